import { sha256Hex } from "../lib/bytes/digest.js";
import type { Dataset } from "../lib/dataset/index.js";
import { HistoryRenderer } from "../lib/evidence/render.js";
import type { ExaminedRow } from "./check.js";
import type { LaneEvidence } from "./evidence.js";

/** Spans of a packet as the dataset gives them: UTF-8. */
export interface Rendered {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** By dataset, the renderer of the history that was asked for last: questions come history by history, so memory does not grow. */
const renderers = new WeakMap<Dataset, { historyId: string; protocol: string; renderer: HistoryRenderer }>();

function rendererFor(historyId: string, { dataset, preparation }: LaneEvidence): HistoryRenderer | undefined {
  if (!dataset || !preparation.ok) return undefined;
  const known = renderers.get(dataset);
  if (known?.historyId === historyId && known.protocol === preparation.sha256) return known.renderer;
  renderers.delete(dataset);
  const history = dataset.histories.get(historyId);
  if (!history) return undefined;
  const renderer = new HistoryRenderer(history, preparation.value.renderer);
  renderers.set(dataset, { historyId, protocol: preparation.sha256, renderer });
  return renderer;
}

/**
 * The first `count` spans of a row's packet, rendered from the given dataset; undefined without one, or when a span is not in
 * it.
 */
export function beginningFromDataset(row: ExaminedRow, evidence: LaneEvidence, count?: number): Rendered | undefined {
  const { question, packet } = row;
  if (!question || !packet) return undefined;
  const spans = packet.value.spans
    .slice(0, count)
    .map(([session, turn, start, end]) => ({ session, turn, start, end }));
  const bytes = rendererFor(question.value.history_id, evidence)?.render(spans);
  return bytes && { bytes, sha256: sha256Hex(bytes) };
}

const rendered = new WeakMap<ExaminedRow, Rendered | undefined>();

/** The evidence of a row's packet, rendered from the given dataset. Asked by more than one check, and made once for each row. */
export function renderedFromDataset(row: ExaminedRow, evidence: LaneEvidence): Rendered | undefined {
  if (!rendered.has(row)) rendered.set(row, beginningFromDataset(row, evidence));
  return rendered.get(row);
}
