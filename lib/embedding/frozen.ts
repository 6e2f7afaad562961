import { Rows } from "./cosine.js";
import type { Passage, SemanticIndex, VectorSource } from "./types.js";

/** A history's segments by vectors that were made before. A text without one is an error (E_VECTOR), never a guess. */
export class FrozenIndex implements SemanticIndex {
  readonly #source: VectorSource;
  readonly #rows: Rows;

  constructor(passages: readonly Passage[], source: VectorSource) {
    this.#source = source;
    const { dimensions } = source.identity;
    const values = new Float32Array(passages.length * dimensions);
    for (const [index, { text }] of passages.entries()) {
      values.set(source.vector("document", text), index * dimensions);
    }
    this.#rows = new Rows(values, passages.length, dimensions);
  }

  cosines(query: string): Float64Array {
    return this.#rows.cosines(this.#source.vector("query", query));
  }
}
