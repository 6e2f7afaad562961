import { fused, isEligible, leadersFirst, scoredRows } from "../fusion.js";
import type { Arm } from "./types.js";

/** The candidates of CL1 in their order, without its backbone (paper section 9.1). */
export const nobackbone: Arm = {
  id: "nobackbone",
  title: "the candidates of cl1 in their order, without its backbone",
  needs: ["semantic"],
  // The numbers of eligibility, fusion and the row guard are the paper's (section 3.2; 9.2).
  parameters: {
    k1: 1.2,
    b: 0.75,
    words: "lower-case letters, marks and digits",
    lexical: "bm25 / best bm25 of the question",
    lexical_min: 0.05,
    semantic: "clip((cos + 1) / 2, 0, 1)",
    semantic_min: 0.75,
    fusion_offset: 60,
    rows_max: 32_768,
  },
  rank(asked, context, parameters) {
    const { lexical_min, semantic_min, fusion_offset } = parameters;
    const pool = scoredRows(asked, context, parameters).filter((row) =>
      isEligible(row, Number(lexical_min), Number(semantic_min)),
    );
    const ordered = fused(pool, Number(fusion_offset)).map(({ row }) => row);
    return leadersFirst(ordered).map(({ index }) => [context.segments[index]!]);
  },
};
