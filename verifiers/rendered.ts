import { sha256Hex } from "../lib/bytes/digest.js";
import type { Dataset } from "../lib/dataset/index.js";
import type { History } from "../lib/dataset/types.js";
import { renderEvidence } from "../lib/evidence/render.js";
import type { ExaminedRow } from "./check.js";
import type { LaneEvidence } from "./evidence.js";

/** A packet's evidence as the dataset gives it. */
export interface Rendered {
  readonly text: string;
  readonly sha256: string;
}

const histories = new WeakMap<Dataset, ReadonlyMap<string, History>>();

function historyOf(dataset: Dataset, historyId: string): History | undefined {
  let known = histories.get(dataset);
  if (!known) {
    known = new Map(dataset.histories.map((history) => [history.historyId, history]));
    histories.set(dataset, known);
  }
  return known.get(historyId);
}

const rendered = new WeakMap<ExaminedRow, Rendered | undefined>();

/**
 * The evidence of a row's packet, rendered from the given dataset; undefined without one, or when its spans are not in it. Asked
 * by more than one check, and made once for each row.
 */
export function renderedFromDataset(row: ExaminedRow, { dataset, preparation }: LaneEvidence): Rendered | undefined {
  const { question, packet } = row;
  if (!question || !packet || !dataset || !preparation.ok) return undefined;
  if (!rendered.has(row)) {
    const history = historyOf(dataset, question.value.history_id);
    const spans = packet.value.spans.map(([session, turn, start, end]) => ({ session, turn, start, end }));
    const text = history && renderEvidence(history, spans, preparation.value.renderer);
    rendered.set(row, text === undefined ? undefined : { text, sha256: sha256Hex(text) });
  }
  return rendered.get(row);
}
