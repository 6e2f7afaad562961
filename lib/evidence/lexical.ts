// An inverted index over a history's segments in typed arrays, and BM25 over it (Robertson and Zaragoza 2009, equation 3.15,
// with the non-negative idf ln(1 + (N - df + 0.5) / (df + 0.5))).
import { words } from "../text/words.js";

export interface LexicalScores {
  /** Score by segment; 0 where no word matches. */
  readonly scores: Float64Array;
  /** Segments that share at least one word with the query, in order. */
  readonly matched: readonly number[];
}

export class LexicalIndex {
  readonly #ids = new Map<string, number>();
  readonly #starts: Uint32Array;
  readonly #segments: Uint32Array;
  readonly #counts: Uint16Array;
  readonly #lengths: Uint32Array;
  readonly #meanLength: number;

  readonly #wordsOf: (text: string) => readonly string[];

  /** @param wordsOf what counts as a word, in texts and queries alike */
  constructor(texts: readonly string[], wordsOf: (text: string) => readonly string[] = words) {
    this.#wordsOf = wordsOf;
    this.#lengths = new Uint32Array(texts.length);
    const postings: Map<number, number>[] = [];
    let total = 0;
    for (const [segment, text] of texts.entries()) {
      const found = wordsOf(text);
      this.#lengths[segment] = found.length;
      total += found.length;
      for (const word of found) {
        let id = this.#ids.get(word);
        if (id === undefined) {
          id = postings.length;
          this.#ids.set(word, id);
          postings.push(new Map());
        }
        const counts = postings[id]!;
        counts.set(segment, (counts.get(segment) ?? 0) + 1);
      }
    }
    this.#meanLength = texts.length === 0 ? 0 : total / texts.length;
    const entries = postings.reduce((sum, counts) => sum + counts.size, 0);
    this.#starts = new Uint32Array(postings.length + 1);
    this.#segments = new Uint32Array(entries);
    this.#counts = new Uint16Array(entries);
    let at = 0;
    for (const [id, counts] of postings.entries()) {
      this.#starts[id] = at;
      for (const [segment, count] of counts) {
        this.#segments[at] = segment;
        this.#counts[at] = Math.min(count, 0xffff);
        at += 1;
      }
    }
    this.#starts[postings.length] = at;
  }

  /** BM25 of every segment for the distinct words of a query. */
  bm25(query: string, k1: number, b: number): LexicalScores {
    const size = this.#lengths.length;
    const scores = new Float64Array(size);
    const seen = new Uint8Array(size);
    for (const word of new Set(this.#wordsOf(query))) {
      const id = this.#ids.get(word);
      if (id === undefined) continue;
      const start = this.#starts[id]!;
      const end = this.#starts[id + 1]!;
      const inverse = Math.log(1 + (size - (end - start) + 0.5) / (end - start + 0.5));
      for (let at = start; at < end; at += 1) {
        const segment = this.#segments[at]!;
        const count = this.#counts[at]!;
        const norm = k1 * (1 - b + (b * this.#lengths[segment]!) / this.#meanLength);
        scores[segment]! += (inverse * count * (k1 + 1)) / (count + norm);
        seen[segment] = 1;
      }
    }
    const matched: number[] = [];
    for (let segment = 0; segment < size; segment += 1) if (seen[segment] === 1) matched.push(segment);
    return { scores, matched };
  }

  /** The segments that hold a word as `words` gives it, in order. */
  holding(word: string): Uint32Array {
    const id = this.#ids.get(word);
    return id === undefined ? new Uint32Array() : this.#segments.subarray(this.#starts[id]!, this.#starts[id + 1]!);
  }
}
