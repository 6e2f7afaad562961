import type { AskedQuestion } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import type { ArmContext } from "./arms/types.js";
import type { Segment } from "./segment.js";

/**
 * The segments that are ranked, as indexes in order: where one turn holds a text more than once (white space around it
 * aside), the first of them stands for all (paper section 9.2).
 */
export function mergedRows(segments: readonly Segment[]): number[] {
  const rows: number[] = [];
  let turn = "";
  let texts = new Set<string>();
  for (const [index, segment] of segments.entries()) {
    const key = `${segment.session}.${segment.turn}`;
    if (key !== turn) texts = new Set();
    turn = key;
    const text = segment.text.trim();
    if (texts.has(text)) continue;
    texts.add(text);
    rows.push(index);
  }
  return rows;
}

/** The rows of a history; throws E_LIMIT when there are more than an arm ranks, naming question and history. */
export function guardedRows(asked: AskedQuestion, { rows }: ArmContext, rowsMax: number): readonly number[] {
  if (rows.length <= rowsMax) return rows;
  throw new SealaneError(
    "E_LIMIT",
    `history '${asked.historyId}' of question '${asked.questionId}' has more segments than this arm ranks`,
    {
      at: asked.questionId,
      expected: `at most ${rowsMax} segments, a text repeated inside one turn counted once`,
      found: `${rows.length} segments`,
      next: "Prepare with the arm bm25 or full, or leave this history out of the dataset.",
    },
  );
}
