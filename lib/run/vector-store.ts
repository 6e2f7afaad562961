import type { Vectors } from "../../schemas/index.js";
import { startSha256 } from "../bytes/digest.js";
import type { EmbeddingIdentity, TextKind, VectorSource } from "../embedding/types.js";
import {
  headerLength,
  KEY_BYTES,
  keyOf,
  parseHeader,
  RowChecker,
  rowBytes,
  rowsStart,
  START_BYTES,
  vectorOf,
} from "../embedding/vector-file.js";
import { SealaneError } from "../finding.js";
import { openNamedFile } from "../io/named-file.js";
import type { SourceFile } from "../io/source.js";

const BLOCK_BYTES = 2 ** 20;

/** Bytes of a file from a position on; fewer when it ends. */
function readAt(file: SourceFile, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, Math.max(0, file.size - position)));
  let filled = 0;
  while (filled < bytes.length) {
    const count = file.read(bytes.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/**
 * A vector file, read whole and strictly once (order, counts, finite numbers, no zero vector, exact length), then by key: the
 * keys are held in memory, the vectors stay on disk.
 */
export class VectorStore implements VectorSource {
  readonly identity: EmbeddingIdentity;
  readonly header: Vectors;
  readonly #path: string;
  readonly #file: SourceFile;
  readonly #rowsAt: number;
  readonly #rowBytes: number;
  readonly #keys: Buffer;

  /** Throws E_MISSING, E_IO, E_VECTOR, E_JSON, E_JSON_CANON, E_SCHEMA, E_VERSION. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openNamedFile(path);
    try {
      const start = readAt(this.#file, 0, START_BYTES);
      const length = headerLength(start, path);
      this.#rowsAt = rowsStart(length);
      const rest = readAt(this.#file, START_BYTES, this.#rowsAt - START_BYTES);
      this.header = parseHeader(rest, length, this.#file.size, path);
      this.#rowBytes = rowBytes(this.header.embedding.dimensions);
      this.#keys = Buffer.alloc(this.header.count * KEY_BYTES);
      const hash = startSha256().update(start).update(rest);
      this.#readRows((rows) => hash.update(rows));
      this.identity = { ...this.header.embedding, vectors_sha256: hash.digest("hex") };
    } catch (cause) {
      this.#file.close();
      throw cause;
    }
  }

  #readRows(onRows: (bytes: Buffer) => void): void {
    const checker = new RowChecker(this.header, this.#path);
    const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / this.#rowBytes));
    for (let first = 0; first < this.header.count; first += perBlock) {
      const count = Math.min(perBlock, this.header.count - first);
      const rows = readAt(this.#file, this.#rowsAt + first * this.#rowBytes, count * this.#rowBytes);
      if (rows.length < count * this.#rowBytes) {
        throw new SealaneError("E_IO", `${this.#path} became shorter while it was read`, { at: this.#path });
      }
      onRows(rows);
      for (let index = 0; index < count; index += 1) {
        const row = rows.subarray(index * this.#rowBytes, (index + 1) * this.#rowBytes);
        checker.check(row);
        row.copy(this.#keys, (first + index) * KEY_BYTES, 0, KEY_BYTES);
      }
    }
    checker.finish();
  }

  /** Which row has a key, by halving; -1 when none has. */
  #rowOf(key: Buffer): number {
    let low = 0;
    let high = this.header.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#keys.compare(key, 0, KEY_BYTES, middle * KEY_BYTES, (middle + 1) * KEY_BYTES);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  vector(kind: TextKind, text: string): Float32Array {
    const key = keyOf(this.identity, kind, text);
    const row = this.#rowOf(key);
    if (row < 0) {
      throw new SealaneError("E_VECTOR", `${this.#path} has no vector of a ${kind}`, {
        at: this.#path,
        expected: `a row of SHA-256 ${key.subarray(0, 32).toString("hex")}`,
        found: "none",
        next: "Make the vectors of this very dataset with: sealane embed",
      });
    }
    const bytes = readAt(this.#file, this.#rowsAt + row * this.#rowBytes, this.#rowBytes);
    if (bytes.length < this.#rowBytes || !bytes.subarray(0, KEY_BYTES).equals(key)) {
      throw new SealaneError("E_RUN_CHANGED", `${this.#path} was changed while it was in use`, { at: this.#path });
    }
    return vectorOf(bytes);
  }

  close(): void {
    this.#file.close();
  }
}
