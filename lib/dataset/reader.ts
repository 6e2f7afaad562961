import type { Hash } from "node:crypto";
import { sha256Hex, startSha256 } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import { hashFile } from "../io/hash.js";
import { chunksOf, type Input } from "../io/input.js";
import { readWhole } from "../io/source.js";

/** Where a part of a dataset's file stands and which bytes it had when it was read first. */
export interface Part {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly sha256: string;
}

/**
 * Reads a dataset's files once, from beginning to end, and hashes what goes by: what is parsed and what is identified are
 * the same bytes. Parts are read again when they are needed, and refused when they changed.
 */
export class DatasetReader {
  readonly input: Input;
  /** The files that make up the dataset, in order; for a single file its name. */
  readonly paths: readonly string[];
  readonly #seen = new Map<string, { size: number; sha256: string }>();

  constructor(input: Input, paths: readonly string[]) {
    this.input = input;
    this.paths = paths;
  }

  /** A file's name for messages. */
  placeOf(path: string): string {
    return this.input.kind === "file" ? path : `${this.input.at}/${path}`;
  }

  /** A whole file. Throws E_LIMIT, E_IO. */
  whole(path: string): Buffer {
    const bytes = readWhole(this.input.source, path, LIMITS.datasetBytesMax);
    this.#seen.set(path, { size: bytes.length, sha256: sha256Hex(bytes) });
    return bytes;
  }

  /** A file's bytes in order, in pieces. */
  *chunks(path: string): Generator<Buffer> {
    const file = this.input.source.open(path);
    try {
      const hash: Hash = startSha256();
      let size = 0;
      for (const chunk of chunksOf(file)) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
      this.#seen.set(path, { size, sha256: hash.digest("hex") });
    } finally {
      file.close();
    }
  }

  /** A part of a file, read again. Throws E_DATASET when it is not what it was. */
  part({ path, start, end, sha256 }: Part): Buffer {
    const file = this.input.source.open(path);
    const bytes = Buffer.alloc(end - start);
    try {
      for (let filled = 0; filled < bytes.length; ) {
        const count = file.read(bytes.subarray(filled), start + filled);
        if (count === 0) break;
        filled += count;
      }
    } finally {
      file.close();
    }
    const found = sha256Hex(bytes);
    if (found !== sha256) {
      const at = this.placeOf(path);
      throw new SealaneError("E_DATASET", `${at} was changed while it was in use`, {
        at,
        expected: `bytes ${start} to ${end} of SHA-256 ${sha256}`,
        found,
        next: "Run the command again, and leave the file alone meanwhile.",
      });
    }
    return bytes;
  }

  /**
   * Length and digest of the whole dataset: of one file, its own; of a folder, the sum of lengths and the digest of the
   * listing that `sha256sum` prints of its files in this order (digest, two blanks, path, line feed).
   */
  identity(): { bytes: number; sha256: string } {
    const files = this.paths.map((path) => ({ path, ...(this.#seen.get(path) ?? hashFile(this.input.source, path)) }));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const [first] = files;
    if (this.input.kind === "file" && first) return { bytes, sha256: first.sha256 };
    return { bytes, sha256: sha256Hex(files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("")) };
  }
}
