import type { Hash } from "node:crypto";
import { startSha256 } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import type { SourceFile } from "./source.js";

/** Bytes read at once: many where memory is used again, and few where each read takes memory that is freed late. */
const CHUNK_BYTES = { reused: 2 ** 20, fresh: 2 ** 17 } as const;
const LINE_FEED = 0x0a;

/**
 * Reads a record file line by line in one pass, in memory bounded by the longest line, and hashes each byte as it goes by:
 * what is parsed and what is hashed are the same buffer.
 */
export class LineReader {
  readonly #file: SourceFile;
  readonly #path: string;
  readonly #reuse: boolean;
  readonly #chunkBytes: number;
  readonly #hash: Hash = startSha256();
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #position = 0;
  #line = 0;

  /** @param reuse whether memory is used again, so that a line is overwritten once another is asked for */
  constructor(file: SourceFile, path: string, reuse = false) {
    this.#file = file;
    this.#path = path;
    this.#reuse = reuse;
    this.#chunkBytes = reuse ? CHUNK_BYTES.reused : CHUNK_BYTES.fresh;
  }

  /** Number of the line last returned, from one. */
  get line(): number {
    return this.#line;
  }

  /**
   * The next line without its line feed, valid until the next call at least; undefined at the end. A last line that no line
   * feed ends throws E_JSON_CANON; one longer than the limit throws E_LIMIT.
   */
  next(): Buffer | undefined {
    let searched = this.#start;
    for (;;) {
      const at = this.#buffer.subarray(0, this.#end).indexOf(LINE_FEED, searched);
      if (at >= 0) {
        const line = this.#buffer.subarray(this.#start, at);
        this.#start = at + 1;
        this.#line += 1;
        return line;
      }
      const kept = this.#end - this.#start;
      if (kept > LIMITS.lineBytesMax) {
        const place = `${this.#path}:${this.#line + 1}`;
        throw new SealaneError("E_LIMIT", `${place} is longer than ${LIMITS.lineBytesMax} bytes`, { at: place });
      }
      if (!this.#fill()) {
        if (kept === 0) return undefined;
        const place = `${this.#path}:${this.#line + 1}`;
        this.#start = this.#end;
        throw new SealaneError("E_JSON_CANON", `${place}: the last line is not ended by a line feed`, { at: place });
      }
      searched = kept;
    }
  }

  #fill(): boolean {
    const kept = this.#end - this.#start;
    // A fresh buffer each time the old one is used up, so that lines handed out before stay what they were, unless that is not
    // asked for: gigabytes of used-up buffers are freed later than they are needed.
    const chunk = this.#chunkBytes;
    const suffices = this.#reuse && this.#buffer.length >= kept + chunk / 2;
    const fresh = (): Buffer<ArrayBuffer> => Buffer.allocUnsafe(kept < chunk / 2 ? chunk : 2 * kept + chunk);
    const next = suffices ? this.#buffer : fresh();
    this.#buffer.copy(next, 0, this.#start, this.#end);
    this.#buffer = next;
    this.#start = 0;
    this.#end = kept;
    const count = this.#file.read(next.subarray(kept), this.#position);
    if (count === 0) return false;
    this.#hash.update(next.subarray(kept, kept + count));
    this.#position += count;
    this.#end = kept + count;
    return true;
  }

  /** Reads what is left and returns the length and digest of the whole file. */
  finish(): { bytes: number; sha256: string } {
    this.#start = this.#end;
    while (this.#fill()) this.#start = this.#end;
    return { bytes: this.#position, sha256: this.#hash.digest("hex") };
  }
}
