import { SealaneError } from "../finding.js";

/**
 * A list of numbers as it came, as the vector it must be: as many finite numbers as expected, not all of them zero, also after
 * rounding to float32. Throws E_VECTOR.
 */
export function checkedVector(numbers: unknown, dimensions: number, at: string): Float32Array {
  const wrong = (found: string): SealaneError =>
    new SealaneError("E_VECTOR", `${at} is no vector of this model`, {
      at,
      expected: `${dimensions} finite numbers, not all zero`,
      found,
    });
  if (!Array.isArray(numbers)) throw wrong(typeof numbers);
  if (numbers.length !== dimensions) throw wrong(`${numbers.length} numbers`);
  const vector = new Float32Array(dimensions);
  for (const [index, value] of numbers.entries()) {
    if (typeof value !== "number" || !Number.isFinite(Math.fround(value)))
      throw wrong(`number ${index + 1} is ${value}`);
    vector[index] = value;
  }
  if (vector.every((value) => value === 0)) throw wrong("zeros");
  return vector;
}
