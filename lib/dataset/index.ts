import type { DatasetIdentity } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import { bytesInput, type Input } from "../io/input.js";
import { checked } from "../records/documents.js";
import { beam } from "./beam.js";
import { locomo } from "./locomo.js";
import { longmemeval } from "./longmemeval.js";
import { own } from "./own.js";
import { DatasetReader } from "./reader.js";
import { populationRecord } from "./records.js";
import type { DatasetAdapter, ParsedDataset, PublishedDataset } from "./types.js";

/** Every dataset adapter. To add one: one file, one line here. */
export const ADAPTERS: readonly DatasetAdapter[] = [beam, locomo, longmemeval, own];

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

/** Length and digest of what an adapter would read, without reading it as a dataset. */
export function identifyDataset(adapter: DatasetAdapter, input: Input): { bytes: number; sha256: string } {
  return new DatasetReader(input, adapter.files(input)).identity();
}

/** Refuses files that are none of those the adapter knows (E_DATASET). */
function refuseOther(adapter: DatasetAdapter, at: string, found: { bytes: number; sha256: string }): void {
  const { published } = adapter;
  if (published.length === 0 || published.some(({ sha256 }) => sha256 === found.sha256)) return;
  const shorter = published.length === 1 && published[0]!.bytes !== undefined ? published[0]!.bytes - found.bytes : 0;
  const cut = shorter > 0 ? `; it is ${shorter} bytes short, perhaps cut off` : "";
  throw new SealaneError(
    "E_DATASET",
    `${at} is not the published ${published.map(({ name }) => name).join(" or ")}${cut}`,
    {
      at,
      expected: published
        .map(({ sha256, bytes }) => `SHA-256 ${sha256}${bytes === undefined ? "" : `, ${bytes} bytes`}`)
        .join(" | "),
      found: `SHA-256 ${found.sha256}, ${found.bytes} bytes`,
      next: "Get the published file, or say that this is another dataset with --other-dataset.",
    },
  );
}

/**
 * Reads a dataset: its questions and references at once, its histories when they are asked for. Files whose digest is none
 * the adapter knows are refused (E_DATASET), whatever else is wrong with them, unless `allowOther` says that they are meant to
 * be another dataset; then their own digest is the dataset's identity.
 */
export function openDataset(adapter: DatasetAdapter, input: Input, allowOther: boolean): Dataset {
  const { at } = input;
  const reader = new DatasetReader(input, adapter.files(input));
  let parsed: ParsedDataset;
  try {
    parsed = adapter.read(reader);
  } catch (error) {
    if (error instanceof SealaneError && !allowOther) refuseOther(adapter, at, reader.identity());
    throw error;
  }
  const found = reader.identity();
  if (!allowOther) refuseOther(adapter, at, found);
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
  const known = adapter.published.find(({ sha256 }) => sha256 === found.sha256);
  const identity: DatasetIdentity = {
    name: known?.dataset ?? parsed.name,
    adapter: adapter.id,
    sha256: found.sha256,
    bytes: found.bytes,
    pinned: known !== undefined,
    licence: parsed.licence,
  };
  return { ...parsed, identity };
}

/** A dataset of one file that is in memory already, as `openDataset` reads it. */
export function readDataset(adapter: DatasetAdapter, bytes: Uint8Array, at: string, allowOther: boolean): Dataset {
  return openDataset(adapter, bytesInput(bytes, at), allowOther);
}

/**
 * Whose the dataset is, where it is published and which bytes of it are meant, in words for a lane's licence notes; nothing for a
 * dataset of the user's own.
 */
export function attributionOf({ adapter, sha256, pinned, licence }: DatasetIdentity): string[] {
  const known = ADAPTERS.find(({ id }) => id === adapter);
  if (!known?.origin) return [];
  const { citation, url } = known.origin;
  const file = known.published.find((published) => published.sha256 === sha256)?.name;
  const which = pinned && file ? `${file} of ${citation}` : `in the form of ${citation}`;
  return [`The dataset is ${which}, SHA-256 ${sha256}: ${url}, under ${licence}.`];
}
