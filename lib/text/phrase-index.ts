// Where runs of words stand in many texts: a hash table over all runs of a fixed length, in typed arrays, so that a history of
// ten million tokens takes some two hundred megabytes, and a look-up costs as much as there are runs that are alike.
import { placedWords } from "./word-places.js";

/** A text by the name under which it can be found again. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Words of a text, from the one at `first`. */
export interface Phrase {
  readonly text: NamedText;
  readonly count: number;
  /** Places of each word in the text, in UTF-16 code units. */
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

/** Places at which the longest of several equal beginnings is looked for; any of them is a true one. */
const CANDIDATES_MAX = 64;

class Growing {
  values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

/** All runs of `length` words in some texts. */
export class PhraseIndex {
  readonly #length: number;
  readonly #texts: NamedText[] = [];
  readonly #ids = new Map<string, number>();
  readonly #words = new Growing();
  readonly #starts = new Growing();
  readonly #ends = new Growing();
  readonly #textOf = new Growing();
  readonly #heads: Int32Array;
  readonly #next: Int32Array;

  constructor(texts: Iterable<NamedText>, length: number) {
    this.#length = length;
    for (const text of texts) this.#add(text);
    const count = this.#words.length;
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1);
    this.#next = new Int32Array(count);
    for (let at = count - length; at >= 0; at -= 1) {
      if (this.#textOf.values[at] !== this.#textOf.values[at + length - 1]) continue;
      const slot = this.#slot(this.#words.values, at);
      this.#next[at] = this.#heads[slot]!;
      this.#heads[slot] = at;
    }
  }

  #add(text: NamedText): void {
    this.#texts.push(text);
    for (const { word, start, end } of placedWords(text.text)) {
      const id = this.#ids.get(word) ?? this.#ids.size;
      this.#ids.set(word, id);
      this.#words.push(id);
      this.#starts.push(start);
      this.#ends.push(end);
      this.#textOf.push(this.#texts.length - 1);
    }
  }

  #slot(ids: ArrayLike<number>, at: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let index = at; index < at + this.#length; index += 1) {
      hash = Math.imul(hash ^ ids[index]!, 0x01000193);
      hash ^= hash >>> 15;
    }
    return hash & (this.#heads.length - 1);
  }

  /** The words of a text as this index knows them; -1 for one that it has never seen. */
  idsOf(words: readonly string[]): Int32Array {
    return Int32Array.from(words, (word) => this.#ids.get(word) ?? -1);
  }

  /** The longest run of words here that equals those from `from` on; undefined when it is shorter than the length of the index. */
  longest(ids: Int32Array, from: number): Phrase | undefined {
    if (from + this.#length > ids.length) return undefined;
    let best = -1;
    let bestCount = this.#length - 1;
    let seen = 0;
    for (let at = this.#heads[this.#slot(ids, from)]!; at >= 0 && seen < CANDIDATES_MAX; at = this.#next[at]!) {
      const count = this.#common(ids, from, at);
      if (count >= this.#length) seen += 1;
      if (count > bestCount) [best, bestCount] = [at, count];
    }
    return best < 0 ? undefined : this.#phrase(best, bestCount);
  }

  #common(ids: Int32Array, from: number, at: number): number {
    const text = this.#textOf.values[at];
    const most = Math.min(ids.length - from, this.#words.length - at);
    let count = 0;
    while (
      count < most &&
      this.#words.values[at + count] === ids[from + count] &&
      this.#textOf.values[at + count] === text
    )
      count += 1;
    return count;
  }

  #phrase(at: number, count: number): Phrase {
    const places = Array.from({ length: count }, (_, index) => ({
      start: this.#starts.values[at + index]!,
      end: this.#ends.values[at + index]!,
    }));
    return { text: this.#texts[this.#textOf.values[at]!]!, count, places };
  }
}
