// OpenTimestamps proofs (detached, version 1): from the digest of a file a tree of operations leads to attestations, each of
// which says that the value reached there was seen by a calendar or stands in a Bitcoin block. Read offline, within bounds.
// The form is that of python-opentimestamps, which the tests hold this reading against.
import { createHash } from "node:crypto";
import { SealaneError } from "../finding.js";

/** 31 bytes. */
const MAGIC = Buffer.concat([
  Buffer.from("\0OpenTimestamps\0\0Proof\0", "latin1"),
  Buffer.from("bf89e2e884e89294", "hex"),
]);
const SHA256 = 0x08;
const ATTESTATION = 0x00;
const FORK = 0xff;
const BITCOIN = "0588960d73d71901";
const PENDING = "83dfe30d2ef90c8e";

/** Bounds of python-opentimestamps on a value, an attestation and a path. */
const VALUE_BYTES_MAX = 4096;
const PAYLOAD_BYTES_MAX = 8192;
const URI_BYTES_MAX = 1000;
const DEPTH_MAX = 256;
/** Bounds of our own: a proof merged from many calendars has some hundreds of operations. */
const OPERATIONS_MAX = 10_000;
const ATTESTATIONS_MAX = 256;

export type Attestation =
  /** The value is the Merkle root of the block of this height. */
  | { readonly kind: "bitcoin"; readonly height: number; readonly root: Buffer }
  /** A calendar has promised to bring the value into a block. */
  | { readonly kind: "pending"; readonly uri: string }
  | { readonly kind: "unknown"; readonly tag: string };

export interface TimestampProof {
  /** SHA-256 of the file that was stamped. */
  readonly digest: Buffer;
  readonly attestations: readonly Attestation[];
}

/** Whether bytes begin as a proof does. */
export function isTimestampProof(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

class Reader {
  readonly #bytes: Buffer;
  readonly #at: string;
  #next: number;

  constructor(bytes: Uint8Array, at: string, start = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
    this.#next = start;
  }

  wrong(why: string): SealaneError {
    return new SealaneError("E_OTS", `${this.#at} is no OpenTimestamps proof: ${why}`, { at: this.#at });
  }

  tooMuch(what: string, max: number): SealaneError {
    return new SealaneError("E_LIMIT", `${this.#at} has more than ${max} ${what}`, { at: this.#at });
  }

  take(count: number): Buffer {
    const bytes = this.#bytes.subarray(this.#next, this.#next + count);
    if (bytes.length < count) throw this.wrong("it is cut off");
    this.#next += count;
    return bytes;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** An unsigned number in groups of seven bits, the lowest first. */
  number(max: number, what: string): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * shift;
      if (value > max || shift > 2 ** 49) throw this.tooMuch(what, max);
      if (byte < 0x80) return value;
    }
  }

  block(max: number, what: string): Buffer {
    return this.take(this.number(max, what));
  }

  end(): void {
    if (this.#next !== this.#bytes.length) throw this.wrong("bytes follow its end");
  }
}

/** What the operations make of a value; those with an argument take it from the proof. */
const OPERATIONS: Readonly<Record<number, (value: Buffer, reader: Reader) => Buffer>> = {
  2: (value) => createHash("sha1").update(value).digest(),
  3: (value) => createHash("ripemd160").update(value).digest(),
  [SHA256]: (value) => createHash("sha256").update(value).digest(),
  240: (value, reader) => Buffer.concat([value, argument(reader)]),
  241: (value, reader) => Buffer.concat([argument(reader), value]),
  242: (value) => Buffer.from(value).reverse(),
  243: (value) => Buffer.from(value.toString("hex")),
};

function argument(reader: Reader): Buffer {
  const bytes = reader.block(VALUE_BYTES_MAX, "bytes in an operation");
  if (bytes.length === 0) throw reader.wrong("an operation has an empty argument");
  return bytes;
}

function attestationOf(reader: Reader, value: Buffer, at: string): Attestation {
  const tag = reader.take(8).toString("hex");
  const payload = new Reader(reader.block(PAYLOAD_BYTES_MAX, "bytes in an attestation"), at);
  if (tag === BITCOIN) {
    const height = payload.number(2 ** 32 - 1, "blocks");
    payload.end();
    if (value.length !== 32) throw reader.wrong("what it says to be a Merkle root is not 32 bytes long");
    return { kind: "bitcoin", height, root: value };
  }
  if (tag !== PENDING) return { kind: "unknown", tag };
  const uri = payload.block(URI_BYTES_MAX, "bytes in a calendar's address").toString("latin1");
  payload.end();
  if (!/^[A-Za-z0-9._/:-]+$/.test(uri)) throw reader.wrong("a calendar's address has a foreign character");
  return { kind: "pending", uri };
}

/**
 * Reads a proof and follows its operations. Throws E_OTS, E_LIMIT for one that is larger than a proof is, and E_VERSION for a
 * version or an operation that is not known here.
 */
export function parseTimestampProof(bytes: Uint8Array, at: string): TimestampProof {
  const reader = new Reader(bytes, at, MAGIC.length);
  if (!isTimestampProof(bytes)) throw reader.wrong("it does not begin as one");
  const version = reader.number(2 ** 32, "versions");
  if (version !== 1) {
    throw new SealaneError("E_VERSION", `${at} is of another version`, { at, expected: "1", found: String(version) });
  }
  if (reader.byte() !== SHA256) throw reader.wrong("it is not over the SHA-256 of a file");
  const digest = reader.take(32);
  const attestations: Attestation[] = [];
  let operations = 0;
  const follow = (value: Buffer, depth: number): void => {
    if (depth > DEPTH_MAX) throw reader.tooMuch("operations in one path", DEPTH_MAX);
    for (;;) {
      const first = reader.byte();
      const tag = first === FORK ? reader.byte() : first;
      if (tag === ATTESTATION) {
        attestations.push(attestationOf(reader, value, at));
        if (attestations.length > ATTESTATIONS_MAX) throw reader.tooMuch("attestations", ATTESTATIONS_MAX);
      } else {
        operations += 1;
        if (operations > OPERATIONS_MAX) throw reader.tooMuch("operations", OPERATIONS_MAX);
        const operation = OPERATIONS[tag];
        if (operation === undefined) {
          const found = `0x${tag.toString(16)}`;
          throw new SealaneError("E_VERSION", `${at} has an operation that is not known here`, { at, found });
        }
        const next = operation(value, reader);
        if (next.length > VALUE_BYTES_MAX) throw reader.tooMuch("bytes in a value", VALUE_BYTES_MAX);
        follow(next, depth + 1);
      }
      if (first !== FORK) return;
    }
  };
  follow(digest, 0);
  reader.end();
  return { digest, attestations };
}
