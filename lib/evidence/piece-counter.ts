// Tokens of evidence, counted line by line where counts add up: packets of one history share most of their lines, so each
// distinct one is counted once and then known by its bytes.
import { LIMITS } from "../bytes/limits.js";
import type { Tokenizer } from "./tokens.js";

const LINE_FEED = 0x0a;
const BRACKET = 0x5b;
const PARENTHESIS = 0x28;

/** Bytes of a piece's beginning that its hash is of. */
const HASHED_BYTES = 48;
/** Bytes of pieces remembered, and places to find them by; when the bytes are used up, all are forgotten. */
const REMEMBERED_BYTES = 2 ** 22;
const PLACES = 2 ** 16;
/** Places looked at for one piece. Pieces made to fall on one another cost what counting them costs, and no more. */
const PROBES = 8;

function hasLongWord(text: string): boolean {
  for (const [word] of text.matchAll(/\S+/g)) if (word.length > LIMITS.wordCharactersMax) return true;
  return false;
}

/** Counts evidence under one tokenizer. Holds at most five and a quarter megabytes, whatever it is given. */
export class PieceCounter {
  readonly #tokenizer: Tokenizer;
  /** The remembered pieces' bytes, one after another. */
  readonly #bytes = Buffer.alloc(REMEMBERED_BYTES);
  readonly #view = viewOf(this.#bytes);
  #used = 0;
  /** Of each place: hash, start, length and count of a piece; a length of 0 is a free place. */
  readonly #places = new Int32Array(4 * PLACES);

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /**
   * Tokens of the whole evidence; undefined when a word of it is too long to be counted (LIMITS.wordCharactersMax).
   * @param evidence well-formed UTF-8
   */
  count(evidence: Buffer): number | undefined {
    if (!this.#tokenizer.addsUpAtLines) return this.#countText(evidence);
    const view = viewOf(evidence);
    let total = 0;
    for (let start = 0; start < evidence.length; ) {
      const end = pieceEnd(evidence, start);
      const count = this.#countPiece(evidence, view, start, end);
      if (count === undefined) return undefined;
      total += count;
      start = end;
    }
    return total;
  }

  #countText(text: Buffer): number | undefined {
    const string = text.toString("utf8");
    return hasLongWord(string) ? undefined : this.#tokenizer.count(string);
  }

  #countPiece(evidence: Buffer, view: DataView, start: number, end: number): number | undefined {
    const length = end - start;
    const hash = hashOf(view, start, end);
    let place = 0;
    for (let probe = 0; probe < PROBES; probe += 1) {
      place = 4 * ((hash + probe) & (PLACES - 1));
      const known = this.#places[place + 2]!;
      if (known === 0) break;
      if (known === length && this.#places[place] === hash && this.#isAt(this.#places[place + 1]!, view, start, end)) {
        return this.#places[place + 3]!;
      }
    }
    const count = this.#countText(evidence.subarray(start, end));
    if (count === undefined || !this.#makeRoom(length)) return count;
    // The last place looked at is free, or is given up.
    evidence.copy(this.#bytes, this.#used, start, end);
    this.#places[place] = hash;
    this.#places[place + 1] = this.#used;
    this.#places[place + 2] = length;
    this.#places[place + 3] = count;
    this.#used += length;
    return count;
  }

  /** Whether the remembered bytes from `mine` on are those of the view from `start` to `end`. */
  #isAt(mine: number, view: DataView, start: number, end: number): boolean {
    const remembered = this.#view;
    const words = end - 3;
    let at = start | 0;
    let other = mine | 0;
    for (; at < words; at = (at + 4) | 0, other = (other + 4) | 0) {
      if (view.getInt32(at, true) !== remembered.getInt32(other, true)) return false;
    }
    for (; at < end; at = (at + 1) | 0, other = (other + 1) | 0)
      if (view.getUint8(at) !== remembered.getUint8(other)) return false;
    return true;
  }

  /** Room for a piece among those remembered; false for one so long that remembering it would crowd out the rest. */
  #makeRoom(length: number): boolean {
    if (length > REMEMBERED_BYTES / 16) return false;
    if (this.#used + length > REMEMBERED_BYTES) {
      this.#used = 0;
      this.#places.fill(0);
    }
    return true;
  }
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Past the next line feed that "[" or "(" follows, or the end. */
function pieceEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const next = bytes[at + 1];
    if (next === BRACKET || next === PARENTHESIS) return at + 1;
  }
  return bytes.length;
}

/**
 * A hash to look a piece up by: of its length and its bytes, or of the first and last of them when there are many. It decides
 * nothing: what is found is compared byte for byte.
 */
function hashOf(view: DataView, start: number, end: number): number {
  let hash = (end - start) | 0;
  const head = Math.min(end, start + HASHED_BYTES) | 0;
  const words = (head - 3) | 0;
  let at = start | 0;
  for (; at < words; at = (at + 4) | 0) hash = mixed(hash, view.getInt32(at, true));
  for (; at < head; at = (at + 1) | 0) hash = mixed(hash, view.getUint8(at));
  if (end - head >= 8) {
    hash = mixed(hash, view.getInt32(end - 8, true));
    hash = mixed(hash, view.getInt32(end - 4, true));
  }
  return hash;
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1 | 0);
  return product ^ (product >>> 15);
}
