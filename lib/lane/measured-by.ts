// What a lane's numbers are of, and by what they were judged: what two columns of a table must share to be read side by side.
import { sha256Hex } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { readWhole } from "../io/source.js";
import { DETACHED_FILES } from "../records/detached.js";
import { endpointProtocolPath, LANE_FILES, RecordReader, readDocument, recordParser } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import type { OpenedRecords } from "./open.js";

export interface MeasuredBy {
  readonly dataset: string;
  readonly questions: number;
  /** Of the digests of all population records, whatever the order of their lines; a detached lane names the same digests. */
  readonly population_sha256: string;
  /** By endpoint: what judged. */
  readonly protocols: { readonly [endpoint: string]: string };
}

function recordDigests({ source, form }: OpenedRecords): string[] {
  const digests: string[] = [];
  if (form?.paths.question === DETACHED_FILES.population) {
    const questions = new RecordReader(source, DETACHED_FILES.population, recordParser("detached-question"));
    for (let found = questions.next(); found; found = questions.next()) digests.push(found.value.record_sha256);
    questions.finish();
    return digests;
  }
  const lines = new LaneRows(source, [], [LANE_FILES.population]);
  for (const { question } of lines) if (question) digests.push(sha256Hex(question.bytes));
  for (const { error } of lines.seen) if (error) throw error;
  return digests;
}

/** Throws at a record that cannot be read. */
export function measuredBy(opened: OpenedRecords): MeasuredBy {
  const { source, endpoints } = opened;
  const questions = recordDigests(opened);
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
