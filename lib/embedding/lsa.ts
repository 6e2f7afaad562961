// Latent semantic analysis, fitted on a history's own segments (Deerwester and others 1990, "Indexing by latent semantic
// analysis"): the embedding that needs nothing. It knows which words of this history keep company, and no more; it has
// read nothing else, so it is the baseline that an encoder must beat, and is called so.
//
// Words are stemmed and weighted, each segment is mixed with its neighbours in the session, and the mixed rows are
// projected onto the subspace of terms that holds most of them: `dimensions` right singular vectors, found by
// subspace iteration from a fixed start (Halko, Martinsson and Tropp 2011). Cosines within a subspace are the same in
// every orthonormal basis of it, so no singular value is worked out. Only + - * / square root and logarithm are used, in a
// fixed order, and vectors are rounded to float32.
import { stem } from "../text/porter.js";
import { words } from "../text/words.js";
import { Rows } from "./cosine.js";
import { orthonormalise, type SparseRow, times, transposedTimes } from "./sparse.js";
import type { EmbeddingIdentity, FittedEmbedder, Passage, SemanticIndex } from "./types.js";

/** Chosen on LoCoMo's even-numbered conversations (docs/embeddings.md). */
export const LSA_PARAMETERS = {
  dimensions: 128,
  words: "lower-case letters, marks and digits; porter stems",
  weight: "(1 + ln tf) idf sqrt(idf), idf = ln(1 + segments / df), rows of length 1",
  neighbour_1: 0.5,
  neighbour_2: 0.25,
  iterations: 3,
  generator: "xorshift32",
  seed: 1990,
} as const;

export const LSA_IDENTITY: EmbeddingIdentity = {
  id: "lsa",
  model: null,
  digest: null,
  dimensions: LSA_PARAMETERS.dimensions,
  document_prefix: "",
  query_prefix: "",
  vectors_sha256: null,
  parameters: { ...LSA_PARAMETERS },
};

/** Numbers in [-0.5, 0.5): Marsaglia's xorshift32 with shifts 13, 17 and 5, divided by 2^32. */
function startingBlock(length: number, seed: number): Float64Array {
  const block = new Float64Array(length);
  let state = seed >>> 0;
  for (let i = 0; i < length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block[i] = (state >>> 0) / 2 ** 32 - 0.5;
  }
  return block;
}

/** Each row plus its neighbours of the same session, one and two away, by their weights. Symmetric, so it is its own transpose. */
function mixed(
  block: Float64Array,
  width: number,
  sessions: readonly number[],
  weights: readonly number[],
): Float64Array {
  const out = block.slice();
  for (const [index, weight] of weights.entries()) {
    const distance = index + 1;
    for (let row = distance; row < sessions.length; row += 1) {
      if (sessions[row] !== sessions[row - distance]) continue;
      const here = row * width;
      const there = (row - distance) * width;
      for (let i = 0; i < width; i += 1) {
        out[here + i]! += weight * block[there + i]!;
        out[there + i]! += weight * block[here + i]!;
      }
    }
  }
  return out;
}

/** How often each stem stands in a text. */
class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #stems = new Map<string, string>();

  get size(): number {
    return this.#ids.size;
  }

  #stemOf(word: string): string {
    let known = this.#stems.get(word);
    if (known === undefined) {
      known = stem(word);
      this.#stems.set(word, known);
    }
    return known;
  }

  /** Counts by id, in order of id; stems that are not known yet are added, or left out when `grow` is false. */
  counts(text: string, grow: boolean): [id: number, count: number][] {
    const counts = new Map<number, number>();
    for (const word of words(text)) {
      const stemmed = this.#stemOf(word);
      let id = this.#ids.get(stemmed);
      if (id === undefined) {
        if (!grow) continue;
        id = this.#ids.size;
        this.#ids.set(stemmed, id);
      }
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return [...counts].sort(([a], [b]) => a - b);
  }
}

/** A weighted row of length 1. */
function weighted(counts: readonly [number, number][], weights: Float64Array): SparseRow {
  const columns = Uint32Array.from(counts, ([id]) => id);
  const values = Float64Array.from(counts, ([id, count]) => (1 + Math.log(count)) * weights[id]!);
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares);
  return { columns, values: values.map((value) => value / length) };
}

/** A history's segments in the space of its own words. */
export class LsaIndex implements SemanticIndex {
  /** A row for each passage, then cosines are read off it. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  readonly #vocabulary = new Vocabulary();
  readonly #weights: Float64Array;
  readonly #basis: Float64Array;
  readonly #rows: Rows;

  /** @param passages in order of the history */
  constructor(passages: readonly Passage[], parameters: EmbeddingIdentity["parameters"]) {
    const counts = passages.map(({ text }) => this.#vocabulary.counts(text, true));
    const terms = this.#vocabulary.size;
    const frequencies = new Float64Array(terms);
    for (const row of counts) for (const [id] of row) frequencies[id]! += 1;
    this.#weights = frequencies.map((frequency) => {
      const idf = Math.log(1 + passages.length / frequency);
      return idf * Math.sqrt(idf);
    });
    const rows = counts.map((row) => weighted(row, this.#weights));
    const sessions = passages.map(({ session }) => session);
    const neighbours = [Number(parameters.neighbour_1), Number(parameters.neighbour_2)];
    const width = Math.min(Number(parameters.dimensions), passages.length, terms);
    const mix = (block: Float64Array): Float64Array => mixed(block, width, sessions, neighbours);
    let block = startingBlock(passages.length * width, Number(parameters.seed));
    for (let step = 1; step < Number(parameters.iterations); step += 1) {
      block = mix(times(rows, transposedTimes(rows, terms, mix(block), width), width));
      orthonormalise(block, width, 1);
    }
    const basis = transposedTimes(rows, terms, mix(block), width);
    orthonormalise(basis, width, 2);
    block = mix(times(rows, basis, width));
    this.dimensions = width;
    this.#basis = basis;
    this.vectors = Float32Array.from(block);
    this.#rows = new Rows(this.vectors, passages.length, width);
  }

  cosines(query: string): Float64Array {
    const counts = this.#vocabulary.counts(query, false);
    const folded = times([weighted(counts, this.#weights)], this.#basis, this.dimensions);
    return this.#rows.cosines(Float32Array.from(folded));
  }
}

export const lsa: FittedEmbedder = {
  id: LSA_IDENTITY.id,
  title: "latent semantic analysis of the history's own words; needs nothing",
  identity: LSA_IDENTITY,
  fit: (passages, parameters) => new LsaIndex(passages, parameters),
};
