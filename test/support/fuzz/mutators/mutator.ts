// What changes bytes. Every choice is drawn from a seed, so that an input can be made again from its number.
import type { Chance } from "../../../../lib/synthetic/chance.js";

/** Other bytes than `bytes`, mostly; `other` is a second valid input of the same target, to take parts from. */
export type Mutator = (bytes: Buffer, chance: Chance, other: Buffer) => Buffer;

/** What no mutation lets an input grow beyond, so that a hundred of them in a row end. */
export const INPUT_BYTES_MAX = 2 ** 21;

/** Bytes with a piece of them put in the place of another. */
export function spliced(bytes: Buffer, start: number, end: number, put: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(end)]);
}

/** A place in bytes, their end included, and one not before it and not far from it. */
export function range(bytes: Buffer, chance: Chance): [start: number, end: number] {
  const start = chance.below(bytes.length + 1);
  const far = chance.pick([1, 2, 4, 16, 64, 512, bytes.length]);
  return [start, Math.min(bytes.length, start + chance.below(far + 1))];
}

/** Draws one of some mutators. */
export const oneOf =
  (...mutators: readonly Mutator[]): Mutator =>
  (bytes, chance, other) =>
    chance.pick(mutators)(bytes, chance, other);
