import type { Hash } from "node:crypto";
import { startSha256 } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import type { SourceFile } from "./source.js";

const CHUNK_BYTES = 2 ** 20;
const LINE_FEED = 0x0a;

/**
 * Reads a record file line by line in one pass, in memory bounded by the longest line, and hashes each byte as it goes by:
 * what is parsed and what is hashed are the same buffer.
 */
export class LineReader {
  readonly #file: SourceFile;
  readonly #path: string;
  readonly #hash: Hash = startSha256();
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #position = 0;
  #line = 0;

  constructor(file: SourceFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** Number of the line last returned, from one. */
  get line(): number {
    return this.#line;
  }

  /**
   * The next line without its line feed, valid until the next call; undefined at the end. A last line that no line
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
    // A fresh buffer each time the old one is used up, so that lines handed out before stay what they were.
    // It is no larger than what is left can fill, and one byte, at which the end shows.
    const left = Math.max(0, this.#file.size - this.#position) + 1;
    const wanted = kept < CHUNK_BYTES / 2 ? CHUNK_BYTES : 2 * kept + CHUNK_BYTES;
    const next = Buffer.allocUnsafe(Math.min(wanted, kept + left));
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
