// How long packets and calls were.
import { DETACHED_FILES } from "../records/detached.js";
import { LANE_FILES } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import { type Summary, summary } from "../statistics/describe.js";
import type { OpenedRecords } from "./open.js";

export interface Lengths {
  /** Null without packets. */
  readonly evidence_tokens: Summary | null;
  /** Wall time of the calls that came back, by the receipts' own clock, in milliseconds; null when none did. */
  readonly call_ms: Summary | null;
}

/** Measures a lane or run. Throws at a record that cannot be read. */
export function measureLengths({ source, form }: OpenedRecords): Lengths {
  const lines = new LaneRows(source, [], [LANE_FILES.packets, LANE_FILES.receipts, DETACHED_FILES.receipts], form);
  const tokens: number[] = [];
  const times: number[] = [];
  for (const { packet, receipt } of lines) {
    if (packet) tokens.push(packet.value.tokens);
    if (receipt?.value.ended !== undefined)
      times.push(Date.parse(receipt.value.ended) - Date.parse(receipt.value.started));
  }
  for (const { error } of lines.seen) if (error) throw error;
  return { evidence_tokens: summary(tokens), call_ms: summary(times) };
}
