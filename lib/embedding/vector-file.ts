// The vector file, byte for byte (docs/embeddings.md). All numbers are little-endian.
//
//   8 bytes   "sealvec1"
//   4 bytes   length of the header
//   header    canonical JSON (schemas/vectors.schema.json), then zeros up to a multiple of four
//   rows      strictly ascending: 32 bytes SHA-256 of the prefixed text, 1 byte kind, 1 zero, 2 bytes position in
//             `compute`, then the vector as float32
import type { Vectors } from "../../schemas/index.js";
import { sha256 } from "../bytes/digest.js";
import { canonicalJson, parseCanonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import type { EmbeddingIdentity, TextKind } from "./types.js";

const MAGIC = Buffer.from("sealvec1");
const HEADER_BYTES_MAX = 16 * 2 ** 20;

/** Bytes before the header's text. */
export const START_BYTES = MAGIC.length + 4;
/** Bytes of a row's key: digest and kind. Rows are sorted by them. */
export const KEY_BYTES = 33;
/** Bytes of a row before its numbers. */
const ROW_START_BYTES = 36;

const KINDS: readonly TextKind[] = ["document", "query"];

export const rowBytes = (dimensions: number): number => ROW_START_BYTES + 4 * dimensions;

/** What a row is found by: the digest of the text as the model was given it, prefix included, and whether it is stored or asked. */
export function keyOf(identity: EmbeddingIdentity, kind: TextKind, text: string): Buffer {
  const prefix = kind === "document" ? identity.document_prefix : identity.query_prefix;
  return Buffer.concat([sha256(prefix + text), Buffer.of(KINDS.indexOf(kind))]);
}

/** Everything before the rows. */
export function headerBytes(header: Vectors): Buffer {
  const text = Buffer.from(canonicalJson(header));
  const start = Buffer.alloc(START_BYTES);
  MAGIC.copy(start);
  start.writeUInt32LE(text.length, MAGIC.length);
  return Buffer.concat([start, text, Buffer.alloc(paddingAfter(START_BYTES + text.length))]);
}

const paddingAfter = (length: number): number => (4 - (length % 4)) % 4;

export function encodeRow(key: Uint8Array, compute: number, vector: Float32Array): Buffer {
  const row = Buffer.alloc(rowBytes(vector.length));
  row.set(key);
  row.writeUInt16LE(compute, KEY_BYTES + 1);
  for (const [index, value] of vector.entries()) row.writeFloatLE(value, ROW_START_BYTES + 4 * index);
  return row;
}

/** The vector of a row. */
export function vectorOf(row: Buffer): Float32Array {
  const vector = new Float32Array((row.length - ROW_START_BYTES) / 4);
  for (let index = 0; index < vector.length; index += 1) vector[index] = row.readFloatLE(ROW_START_BYTES + 4 * index);
  return vector;
}

function refuse(at: string, message: string, more: { expected?: string; found?: string } = {}): SealaneError {
  return new SealaneError("E_VECTOR", `${at}: ${message}`, {
    at,
    ...more,
    next: "Make the file again with: sealane embed",
  });
}

/** Length of the header's text, out of a file's first bytes. Throws E_VECTOR, E_LIMIT. */
export function headerLength(start: Uint8Array, at: string): number {
  if (start.length < START_BYTES || !MAGIC.equals(start.subarray(0, MAGIC.length))) {
    throw refuse(at, "this is no vector file");
  }
  const length = Buffer.from(start).readUInt32LE(MAGIC.length);
  if (length > HEADER_BYTES_MAX) {
    throw new SealaneError("E_LIMIT", `${at}: the header is ${length} bytes long; the limit is ${HEADER_BYTES_MAX}`, {
      at,
    });
  }
  return length;
}

/**
 * The header out of its bytes, padding included, held against the length of the whole file. Throws E_VECTOR, E_JSON, E_JSON_CANON,
 * E_SCHEMA, E_VERSION.
 */
export function parseHeader(bytes: Uint8Array, length: number, fileBytes: number, at: string): Vectors {
  const padded = length + paddingAfter(START_BYTES + length);
  if (bytes.length !== padded) throw refuse(at, "the file ends in its header");
  const header = checked("vectors", parseCanonicalJson(bytes.subarray(0, length), at), at);
  if (bytes.subarray(length).some((byte) => byte !== 0)) throw refuse(at, "the padding after the header is not zero");
  const { embedding, count } = header;
  if (embedding.vectors_sha256 !== null) throw refuse(at, "the header names a vector file of its own");
  const expected = START_BYTES + padded + count * rowBytes(embedding.dimensions);
  if (fileBytes !== expected) {
    throw refuse(at, "the file is not as long as its header says", {
      expected: `${expected} bytes`,
      found: `${fileBytes} bytes`,
    });
  }
  return header;
}

/** Length of everything before the rows. */
export const rowsStart = (length: number): number => START_BYTES + length + paddingAfter(START_BYTES + length);

/** Holds rows against their header as they go by, in order. Throws E_VECTOR at the first that is wrong. */
export class RowChecker {
  readonly #header: Vectors;
  readonly #at: string;
  readonly #counts: number[];
  #before: Buffer | undefined;
  #number = 0;

  constructor(header: Vectors, at: string) {
    this.#header = header;
    this.#at = at;
    this.#counts = header.compute.map(() => 0);
  }

  #refuse(message: string): SealaneError {
    return refuse(`${this.#at}, row ${this.#number}`, message);
  }

  check(row: Buffer): void {
    this.#number += 1;
    const key = row.subarray(0, KEY_BYTES);
    if (this.#before && Buffer.compare(this.#before, key) >= 0) throw this.#refuse("rows are out of order or double");
    this.#before = Buffer.from(key);
    if (row[KEY_BYTES - 1]! >= KINDS.length) throw this.#refuse("the text is of no known kind");
    if (row[KEY_BYTES] !== 0) throw this.#refuse("a byte that must be zero is not");
    // Of an entry that is not there nothing is counted, and then some entry has fewer rows than it says.
    const compute = row.readUInt16LE(KEY_BYTES + 1);
    if (compute < this.#counts.length) this.#counts[compute]! += 1;
    let isZero = true;
    for (let at = ROW_START_BYTES; at < row.length; at += 4) {
      const value = row.readFloatLE(at);
      if (!Number.isFinite(value)) throw this.#refuse("a number is not finite");
      if (value !== 0) isZero = false;
    }
    if (isZero) throw this.#refuse("the vector is all zeros");
  }

  finish(): void {
    for (const [index, { vectors }] of this.#header.compute.entries()) {
      if (this.#counts[index] !== vectors) {
        throw refuse(this.#at, `compute entry ${index} made another number of rows than it says`, {
          expected: `${vectors}`,
          found: `${this.#counts[index]}`,
        });
      }
    }
  }
}
