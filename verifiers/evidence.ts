// What a check may look at. Gathered once, within bounds; nothing here decides anything.

import { sha256Hex } from "../lib/bytes/digest.js";
import { parseCanonicalJson } from "../lib/bytes/json.js";
import { LIMITS } from "../lib/bytes/limits.js";
import { historiesOf } from "../lib/dataset/histories.js";
import { adapterOf, type Dataset, identifyDataset, openDataset } from "../lib/dataset/index.js";
import type { Tokenizer } from "../lib/evidence/tokens.js";
import { SealaneError } from "../lib/finding.js";
import { hashFile } from "../lib/io/hash.js";
import type { Input } from "../lib/io/input.js";
import { type LaneSource, readWhole, type SourceEntry } from "../lib/io/source.js";
import { openEnvelope } from "../lib/manifest/envelope.js";
import { TREE_NAMES } from "../lib/manifest/trees.js";
import type { Trust } from "../lib/manifest/trust.js";
import {
  checked,
  checkpointPath,
  endpointProtocolPath,
  LANE_FILES,
  type Located,
  parseDocument,
  RecordReader,
  recordParser,
  type WholeKind,
} from "../lib/records/documents.js";
import { type FileSeen, LaneRows } from "../lib/records/rows.js";
import type { BitcoinHeader } from "../lib/time/bitcoin-header.js";
import type {
  AmendmentRecord,
  Envelope,
  Manifest,
  PreparationProtocol,
  ReaderProtocol,
  Results,
  State,
  Statement,
  TokenF1Protocol,
  TreeName,
  TurnRecord,
} from "../schemas/index.js";

/** A document as read, or why it could not be. */
export type Read<T> =
  | { readonly ok: true; readonly value: T; readonly sha256: string }
  | { readonly ok: false; readonly error: SealaneError };

export interface OpenedEnvelope {
  readonly envelope: Envelope;
  readonly payload: Buffer;
  readonly signatures: readonly Buffer[];
}

export interface LaneEvidence {
  readonly entries: readonly SourceEntry[];
  readonly manifest: Read<Manifest>;
  readonly manifestSha256: string | undefined;
  readonly envelope: Read<OpenedEnvelope>;
  readonly statement: Read<Statement>;
  readonly preparation: Read<PreparationProtocol>;
  readonly reader: Read<ReaderProtocol>;
  /** By endpoint that the manifest names. */
  readonly endpoints: ReadonlyMap<string, Read<TokenF1Protocol>>;
  readonly results: Read<Results>;
  /** Signed notes, as bytes. */
  readonly checkpoints: ReadonlyMap<TreeName, Read<Buffer>>;
  /** Without their bytes: there may be hundreds of thousands. */
  readonly turns: readonly Omit<Located<TurnRecord>, "bytes">[];
  readonly amendments: readonly Located<AmendmentRecord>[];
  /** Everything read whole, with length, digest and reading error. */
  readonly wholeFiles: readonly FileSeen[];
  /** The record files of one line a question, to be read once, in step. */
  readonly rows: LaneRows;
  /** The user's own copy of the dataset. */
  readonly dataset: Dataset | undefined;
  /** The user's own copy of the tokenizer, for lanes whose tokenizer is a file. */
  readonly tokenizer: Tokenizer | undefined;
}

/** What someone else says of the lane, as it was given: its kind is told by its bytes. */
export interface GivenAnchor {
  readonly bytes: Uint8Array;
  readonly at: string;
}

/** What the verifier holds the lane against, beside the lane itself. */
export interface Policy {
  /** Undefined: no trust file was given, and none is shipped that speaks of this lane. */
  readonly trust: Trust | undefined;
  /** What was seen here before; undefined when nothing is remembered. */
  readonly state?: State | undefined;
  readonly anchors?: readonly GivenAnchor[] | undefined;
  /** Headers of Bitcoin blocks that the user vouches for. */
  readonly bitcoinHeaders?: readonly BitcoinHeader[] | undefined;
}

const NO_BYTES = new Uint8Array(0);

class Gatherer {
  readonly seen: FileSeen[] = [];
  readonly #source: LaneSource;
  readonly #present: ReadonlySet<string>;

  constructor(source: LaneSource) {
    this.#source = source;
    this.#present = new Set(
      source
        .entries()
        .filter((entry) => entry.regular)
        .map((entry) => entry.path),
    );
  }

  /** A whole document, read once: the bytes that are hashed are the bytes that are parsed. */
  read<T>(path: string, parse: (bytes: Buffer) => T, bytesMax: number = LIMITS.documentBytesMax): Read<T> {
    let bytes: Buffer;
    try {
      if (!this.#present.has(path)) throw new SealaneError("E_FILE_MISSING", `there is no ${path}`, { at: path });
      bytes = readWhole(this.#source, path, bytesMax);
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      // One that is too long to be read whole is hashed all the same: whether it is the one sealed can be said.
      const seen = error.code === "E_LIMIT" ? hashFile(this.#source, path) : { size: -1, sha256: "" };
      if (this.#present.has(path)) this.seen.push({ path, bytes: seen.size, sha256: seen.sha256, error });
      return { ok: false, error };
    }
    const sha256 = sha256Hex(bytes);
    try {
      const value = parse(bytes);
      this.seen.push({ path, bytes: bytes.length, sha256, error: undefined });
      return { ok: true, value, sha256 };
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      this.seen.push({ path, bytes: bytes.length, sha256, error });
      return { ok: false, error };
    }
  }

  document<K extends WholeKind>(kind: K, path: string): Read<ReturnType<typeof parseDocument<K>>> {
    return this.read(path, (bytes) => parseDocument(kind, bytes, path));
  }

  records<K extends "turn-record" | "amendment-record">(
    kind: K,
    path: string,
    keepBytes: boolean,
  ): Located<ReturnType<typeof checked<K>>>[] {
    if (!this.#present.has(path)) return [];
    const reader = new RecordReader(this.#source, path, recordParser(kind));
    const records: Located<ReturnType<typeof checked<K>>>[] = [];
    let error: SealaneError | undefined;
    try {
      for (const { value, line, bytes } of reader)
        records.push({ value, line, bytes: keepBytes ? Buffer.from(bytes) : NO_BYTES });
    } catch (cause) {
      if (!(cause instanceof SealaneError)) throw cause;
      error = cause;
    }
    this.seen.push({ path, ...reader.finish(), error });
    return records;
  }

  /** Files that no check reads, hashed so that the closure is whole. */
  hash(path: string): void {
    const { size, sha256 } = hashFile(this.#source, path);
    this.seen.push({ path, bytes: size, sha256, error: undefined });
  }
}

function openedEnvelope(bytes: Buffer): OpenedEnvelope {
  const envelope = parseDocument("envelope", bytes, LANE_FILES.envelope);
  return { envelope, ...openEnvelope(envelope, LANE_FILES.envelope) };
}

/**
 * Opens a given dataset by the lane's adapter. Another one than the lane's is not parsed: it is told apart by its digest
 * alone, and nothing else is held against it. Throws E_UNKNOWN for an adapter this release does not have.
 */
function openGiven(manifest: Read<Manifest>, given: Input): Dataset | undefined {
  if (!manifest.ok) return undefined;
  const { dataset } = manifest.value;
  const adapter = adapterOf(dataset.adapter);
  const found = identifyDataset(adapter, given);
  if (found.sha256 === dataset.sha256) return openDataset(adapter, given, true);
  const identity = { ...dataset, name: given.at, ...found, pinned: false };
  return {
    identity,
    name: given.at,
    licence: "",
    histories: historiesOf([]),
    asked: [],
    references: [],
    questionsTotal: 0,
    excluded: [],
  };
}

/**
 * Reads what stands in a lane. Whatever is wrong with it is kept for the checks to say.
 * @param given the user's own copy of the dataset
 * @param tokenizer the user's own copy of the lane's tokenizer, when that is a file
 */
export function gatherLane(source: LaneSource, given: Input | undefined, tokenizer?: Tokenizer): LaneEvidence {
  const gatherer = new Gatherer(source);
  let manifestSha256: string | undefined;
  const manifest = gatherer.read(LANE_FILES.manifest, (bytes) => {
    manifestSha256 = sha256Hex(bytes);
    return parseDocument("manifest", bytes, LANE_FILES.manifest);
  });
  const envelope = gatherer.read(LANE_FILES.envelope, openedEnvelope);
  const statement = statementIn(envelope);
  const endpointIds = manifest.ok ? manifest.value.protocols.endpoints.map((entry) => entry.endpoint) : [];
  const preparation = gatherer.document("preparation-protocol", LANE_FILES.preparation);
  const reader = gatherer.document("reader-protocol", LANE_FILES.reader);
  const endpoints = new Map(
    endpointIds.map((id) => [id, gatherer.document("token-f1-protocol", endpointProtocolPath(id))]),
  );
  const results = gatherer.document("results", LANE_FILES.results);
  const checkpoints = new Map(
    TREE_NAMES.map((tree) => [tree, gatherer.read(checkpointPath(tree), (bytes) => bytes, LIMITS.noteBytesMax)]),
  );
  const turns = gatherer.records("turn-record", LANE_FILES.turns, false);
  const amendments = gatherer.records("amendment-record", LANE_FILES.amendments, true);
  const rows = new LaneRows(source, endpointIds);
  const known = new Set([...gatherer.seen.map((file) => file.path), ...rows.paths]);
  for (const entry of source.entries()) if (entry.regular && !known.has(entry.path)) gatherer.hash(entry.path);
  return {
    entries: source.entries(),
    manifest,
    manifestSha256,
    envelope,
    statement,
    preparation,
    reader,
    endpoints,
    results,
    checkpoints,
    turns,
    amendments,
    wholeFiles: gatherer.seen,
    rows,
    dataset: given && openGiven(manifest, given),
    tokenizer,
  };
}

/** The statement in an envelope: read for what it says; whether to believe it is for the signature check to say. */
function statementIn(envelope: Read<OpenedEnvelope>): Read<Statement> {
  if (!envelope.ok) return envelope;
  const at = `${LANE_FILES.envelope}#/payload`;
  try {
    const value = checked("statement", parseCanonicalJson(envelope.value.payload, at), at);
    return { ok: true, value, sha256: sha256Hex(envelope.value.payload) };
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    return { ok: false, error };
  }
}
