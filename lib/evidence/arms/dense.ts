import { semanticScale } from "../fusion.js";
import { guardedRows } from "../rows.js";
import type { Arm } from "./types.js";

/** Every segment, by embedding similarity alone (paper section 9.1); ties in order of the history. */
export const dense: Arm = {
  id: "dense",
  title: "all segments, in order of embedding similarity",
  needs: ["semantic"],
  parameters: { semantic: "clip((cos + 1) / 2, 0, 1)", rows_max: 32_768 },
  rank(asked, context, parameters) {
    const rows = guardedRows(asked, context, Number(parameters.rows_max));
    const cosines = context.semantic!.cosines(asked.question);
    return rows
      .toSorted((a, b) => semanticScale(cosines[b]!) - semanticScale(cosines[a]!) || a - b)
      .map((index) => [context.segments[index]!]);
  },
};
