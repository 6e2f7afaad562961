// Exact cosines of one vector with many rows. Each dot product runs over eight accumulators, element i into number i mod 8
// (the last, incomplete eight into number 0), which are added as ((0+1)+(2+3))+((4+5)+(6+7)): double precision, one
// fixed order, so the same vectors have the same cosines on every machine.

/** Dot product of `query` with the `dimensions` numbers of `rows` from `at` on. */
export function dot(rows: Float32Array, at: number, query: Float32Array, dimensions: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  const whole = dimensions - (dimensions % 8);
  let i = 0;
  for (; i < whole; i += 8) {
    s0 += rows[at + i]! * query[i]!;
    s1 += rows[at + i + 1]! * query[i + 1]!;
    s2 += rows[at + i + 2]! * query[i + 2]!;
    s3 += rows[at + i + 3]! * query[i + 3]!;
    s4 += rows[at + i + 4]! * query[i + 4]!;
    s5 += rows[at + i + 5]! * query[i + 5]!;
    s6 += rows[at + i + 6]! * query[i + 6]!;
    s7 += rows[at + i + 7]! * query[i + 7]!;
  }
  for (; i < dimensions; i += 1) s0 += rows[at + i]! * query[i]!;
  return s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7));
}

/** Rows of equal length, one after another, with their lengths in the sense of Euclid. */
export class Rows {
  readonly dimensions: number;
  readonly #values: Float32Array;
  readonly #norms: Float64Array;

  /** @param values `count` rows of `dimensions` numbers each */
  constructor(values: Float32Array, count: number, dimensions: number) {
    this.dimensions = dimensions;
    this.#values = values;
    this.#norms = new Float64Array(count);
    for (let row = 0; row < count; row += 1) {
      const at = row * dimensions;
      this.#norms[row] = Math.sqrt(dot(values, at, values.subarray(at, at + dimensions), dimensions));
    }
  }

  /** Cosine of `query` with each row, kept within [-1, 1] against rounding; 0 where either is all zeros. */
  cosines(query: Float32Array): Float64Array {
    const { dimensions } = this;
    const norm = Math.sqrt(dot(query, 0, query, dimensions));
    const cosines = new Float64Array(this.#norms.length);
    for (let row = 0; row < cosines.length; row += 1) {
      const length = this.#norms[row]! * norm;
      if (length === 0) continue;
      const cosine = dot(this.#values, row * dimensions, query, dimensions) / length;
      cosines[row] = Math.min(1, Math.max(-1, cosine));
    }
    return cosines;
  }
}
