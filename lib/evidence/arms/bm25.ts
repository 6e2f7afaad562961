import type { Arm } from "./types.js";

/** Keyword selection: only segments that share a word with the question, in BM25 order (paper section 9.1); ties in order of the history. */
export const bm25: Arm = {
  id: "bm25",
  title: "segments that share a word with the question, in BM25 order",
  parameters: { k1: 1.2, b: 0.75, words: "lower-case letters, marks and digits" },
  rank(asked, { segments, lexical }, parameters) {
    const { scores, matched } = lexical.bm25(asked.question, Number(parameters.k1), Number(parameters.b));
    return matched
      .toSorted((first, second) => scores[second]! - scores[first]! || first - second)
      .map((index) => [segments[index]!]);
  },
};
