// The files of a detached lane that stand for those of the whole one, and what of a question can be read there.
import type { DetachedReceipt, PopulationRecord, ReceiptRecord } from "../../schemas/index.js";
import { checked, LANE_FILES, type LineParser, recordParser } from "./documents.js";

export const DETACHED_FILES = {
  /** The whole lane's manifest and its signatures. */
  manifest: "detached/manifest.json",
  envelope: "detached/manifest.dsse.json",
  population: "detached/population.jsonl",
  answers: "detached/answers.jsonl",
  receipts: "detached/receipts.jsonl",
} as const;

/** Files of the whole lane that hold a dataset's text and do not stand in a detached one, sorted. */
export const REPLACED: readonly string[] = [
  LANE_FILES.answers,
  LANE_FILES.bodies,
  LANE_FILES.references,
  LANE_FILES.population,
  LANE_FILES.receipts,
];

/** A question of a detached lane as a record of the population: its text is empty, as the lane does not hold it. */
export const questionParser: LineParser<PopulationRecord> = (bytes, at) => {
  const { record_sha256: _sha256, ...question } = recordParser("detached-question")(bytes, at);
  return { ...question, question: "" };
};

/** A receipt of a detached lane, without what came back. */
export const receiptParser: LineParser<ReceiptRecord> = (bytes, at) => {
  const { response: _response, ...receipt } = receiptIn(recordParser("detached-receipt")(bytes, at), at);
  return receipt;
};

/** The receipt in a recipe, its texts as they are there: empty where there are pieces. Throws E_SCHEMA and what a receipt is refused for. */
export function receiptIn(recipe: DetachedReceipt, at: string): ReceiptRecord {
  return checked("receipt-record", recipe.record, at);
}
