// Byte pair encoding over a published rank table. The table is the identity of a tokenizer; it is read as the bytes that its
// digest is of, and kept in a few flat arrays, because a table of 200,000 strings takes a second's quarter to make and more
// memory than all the rest of a verification.
import { SealaneError } from "../finding.js";

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const PAD = 0x3d;
const NO_RANK = 0x7fffffff;

/** Value of each base64 digit (RFC 4648 section 4), by byte. */
const SEXTETS = new Uint8Array(256);
for (const [value, digit] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  SEXTETS[digit.charCodeAt(0)] = value;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

/** A rank table: which byte strings are tokens, and which pair of them is joined first. */
export class BytePairs {
  /** The tokens' bytes one after another, by rank, and where each begins. */
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  /** Ranks by the hash of their bytes, with linear probing; -1 is a free place. */
  readonly #places: Int32Array;
  /** Working space of one merge: where each part begins, and the rank of each part joined with the next. */
  #parts = new Int32Array(64);
  #ranks = new Int32Array(64);

  /**
   * @param table tiktoken's text form: base64 of the token, blank, rank, line feed; ranks count from 0. It is given up: tokens are
   * written over it, because they are shorter, so that no second copy stands in memory. Throws E_VERSION.
   */
  constructor(table: Uint8Array) {
    let tokens = 0;
    for (let at = 0; at < table.length; at += 1) if (table[at] === BLANK) tokens += 1;
    const starts = new Int32Array(tokens + 1);
    let found = 0;
    let length = 0;
    for (let at = 0; at < table.length; at += 1) {
      let bits = 0;
      let held = 0;
      for (let digit = table[at]!; digit !== BLANK && at < table.length; at += 1, digit = table[at]!) {
        if (digit === PAD) continue;
        bits = ((bits & 0xff) << 6) | SEXTETS[digit]!;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        table[length] = bits >> held;
        length += 1;
      }
      let rank = 0;
      for (at += 1; at < table.length && table[at] !== LINE_FEED; at += 1) rank = rank * 10 + table[at]! - 0x30;
      if (rank !== found || found === tokens) {
        throw new SealaneError("E_VERSION", "the tokenizer's ranks do not count from 0 without a gap");
      }
      found += 1;
      starts[found] = length;
    }
    this.#bytes = table.subarray(0, length);
    this.#starts = starts.subarray(0, found + 1);
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.#starts.length))).fill(-1);
    for (let rank = 0; rank < found; rank += 1) this.#add(rank);
  }

  #add(rank: number): void {
    const mask = this.#places.length - 1;
    let place = hashOf(this.#bytes, this.#starts[rank]!, this.#starts[rank + 1]!) & mask;
    while (this.#places[place] !== -1) place = (place + 1) & mask;
    this.#places[place] = rank;
  }

  #rankOf(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#places.length - 1;
    for (let place = hashOf(bytes, start, end) & mask; ; place = (place + 1) & mask) {
      const rank = this.#places[place]!;
      if (rank === -1) return NO_RANK;
      let mine = this.#starts[rank]!;
      if (this.#starts[rank + 1]! - mine !== end - start) continue;
      let at = start;
      while (at < end && bytes[at] === this.#bytes[mine]) {
        at += 1;
        mine += 1;
      }
      if (at === end) return rank;
    }
  }

  /**
   * Tokens of one piece of text, `bytes` from `start` to `end`: of all neighbouring parts the pair of the lowest rank, the
   * leftmost first, is joined until no pair is a token. The work grows with the square of the length.
   */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (end - start <= 1 || this.#rankOf(bytes, start, end) !== NO_RANK) return end === start ? 0 : 1;
    let count = end - start;
    if (this.#parts.length <= count) {
      this.#parts = new Int32Array(2 * count);
      this.#ranks = new Int32Array(2 * count);
    }
    const parts = this.#parts;
    const ranks = this.#ranks;
    for (let part = 0; part <= count; part += 1) parts[part] = start + part;
    for (let part = 0; part < count - 1; part += 1) ranks[part] = this.#rankOf(bytes, start + part, start + part + 2);
    for (;;) {
      let lowest = NO_RANK;
      let joined = -1;
      for (let part = 0; part < count - 1; part += 1) {
        if (ranks[part]! < lowest) {
          lowest = ranks[part]!;
          joined = part;
        }
      }
      if (joined < 0) return count;
      parts.copyWithin(joined + 1, joined + 2, count + 1);
      ranks.copyWithin(joined, joined + 1, count - 1);
      count -= 1;
      if (joined < count - 1) ranks[joined] = this.#rankOf(bytes, parts[joined]!, parts[joined + 2]!);
      if (joined > 0) ranks[joined - 1] = this.#rankOf(bytes, parts[joined - 1]!, parts[joined + 1]!);
    }
  }
}
