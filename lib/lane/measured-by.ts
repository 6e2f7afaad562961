// What a lane's numbers are of, and by what they were judged: what two columns of a table must share to be read side by side.
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { readWhole } from "../io/source.js";
import { endpointProtocolPath, LANE_FILES, readDocument } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import type { OpenedRecords } from "./open.js";

export interface MeasuredBy {
  readonly dataset: string;
  readonly questions: number;
  /** Of all questions with what they ask and where they belong, in no order. */
  readonly population_sha256: string;
  /** By endpoint: what judged. */
  readonly protocols: { readonly [endpoint: string]: string };
}

/** Throws at a record that cannot be read. */
export function measuredBy({ source, endpoints }: OpenedRecords): MeasuredBy {
  const lines = new LaneRows(source, [], [LANE_FILES.population]);
  const questions: string[] = [];
  for (const { question } of lines) if (question) questions.push(canonicalJson({ ...question.value, ordinal: 0 }));
  for (const { error } of lines.seen) if (error) throw error;
  const { value: preparation } = readDocument(source, "preparation-protocol", LANE_FILES.preparation);
  return {
    dataset: preparation.dataset.name,
    questions: questions.length,
    population_sha256: sha256Hex(questions.sort(byCodeUnit).join("\n")),
    protocols: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint,
        sha256Hex(readWhole(source, endpointProtocolPath(endpoint), LIMITS.documentBytesMax)),
      ]),
    ),
  };
}
