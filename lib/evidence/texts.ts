import type { Dataset } from "../dataset/index.js";
import type { TextKind } from "../embedding/types.js";
import { PASSAGE_BYTES_MAX } from "./prepare.js";
import { indexedText, segmentHistory } from "./segment.js";

/** Every text that a semantic index of this dataset is asked about: the segments of each history that has questions, and the questions. */
export function* textsToEmbed(dataset: Dataset): Generator<{ readonly kind: TextKind; readonly text: string }> {
  const asked = new Set(dataset.asked.map(({ historyId }) => historyId));
  for (const history of dataset.histories) {
    if (!asked.has(history.historyId)) continue;
    for (const segment of segmentHistory(history, PASSAGE_BYTES_MAX)) {
      yield { kind: "document", text: indexedText(history, segment) };
    }
  }
  for (const { question } of dataset.asked) yield { kind: "query", text: question };
}
