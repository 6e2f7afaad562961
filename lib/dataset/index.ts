import type { DatasetIdentity } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import { locomo } from "./locomo.js";
import { own } from "./own.js";
import { populationRecord } from "./records.js";
import type { DatasetAdapter, ParsedDataset, PublishedDataset } from "./types.js";

/** Every dataset adapter. To add one: one file, one line here. */
export const ADAPTERS: readonly DatasetAdapter[] = [locomo, own];

/** The adapter of an id; throws E_UNKNOWN with the list of those there are. */
export function adapterOf(id: string): DatasetAdapter {
  const adapter = ADAPTERS.find((candidate) => candidate.id === id);
  if (adapter) return adapter;
  throw new SealaneError("E_UNKNOWN", `there is no dataset adapter '${id}'`, {
    expected: ADAPTERS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}

/** What is known here of the dataset that an identity names: of a published file, what its lanes hold. */
export function publishedRecords({
  adapter,
  sha256,
}: Pick<DatasetIdentity, "adapter" | "sha256">): PublishedDataset["records"] {
  const known = ADAPTERS.find((candidate) => candidate.id === adapter);
  return known?.published.find((published) => published.sha256 === sha256)?.records;
}

export interface Dataset extends ParsedDataset {
  readonly identity: DatasetIdentity;
}

/**
 * Reads a dataset file. A file whose digest is none the adapter knows is refused (E_DATASET) before it is parsed, unless
 * `allowOther` says that it is meant to be another dataset; then its own digest is its identity.
 */
export function readDataset(adapter: DatasetAdapter, bytes: Uint8Array, at: string, allowOther: boolean): Dataset {
  const sha256 = sha256Hex(bytes);
  const known = adapter.published.find((published) => published.sha256 === sha256);
  const nearest = adapter.published[0];
  if (!known && nearest && !allowOther) {
    const cut =
      bytes.length < nearest.bytes ? `; it is ${nearest.bytes - bytes.length} bytes short, perhaps cut off` : "";
    throw new SealaneError("E_DATASET", `${at} is not the published ${nearest.name}${cut}`, {
      at,
      expected: `SHA-256 ${nearest.sha256}, ${nearest.bytes} bytes`,
      found: `SHA-256 ${sha256}, ${bytes.length} bytes`,
      next: "Get the published file, or say that this is another dataset with --other-dataset.",
    });
  }
  const parsed = adapter.parse(bytes, at);
  const left = parsed.questionsTotal - parsed.excluded.reduce((sum, exclusion) => sum + exclusion.count, 0);
  if (left !== parsed.asked.length)
    throw new Error(`adapter ${adapter.id} lost ${left - parsed.asked.length} questions`);
  for (const [ordinal, asked] of parsed.asked.entries()) {
    // What a lane could not hold (an id outside its grammar) is refused here, not when the lane is sealed.
    checked(
      "population-record",
      populationRecord(asked, ordinal),
      `${at}: question ${JSON.stringify(asked.questionId)}`,
    );
  }
  const identity: DatasetIdentity = {
    name: parsed.name,
    adapter: adapter.id,
    sha256,
    bytes: bytes.length,
    pinned: known !== undefined,
    licence: parsed.licence,
  };
  return { ...parsed, identity };
}
