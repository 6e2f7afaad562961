// What a target of the fuzzer is, and what a fault is.
import type { Chance } from "../../../lib/synthetic/chance.js";
import type { Mutator } from "./mutators/mutator.js";

/** A valid input, or the name of one: what a mutated input is held against. */
export interface Seed {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Target {
  readonly name: string;
  /** Valid inputs, made once. */
  seeds(): Promise<readonly Seed[]>;
  /** Drawn beside the mutations that know only bytes. */
  readonly mutators: readonly Mutator[];
  /** Another valid input than the seeds, drawn; undefined for a target that has none. */
  readonly draw?: (chance: Chance) => Buffer;
  /** How many inputs `npm test` gives it. */
  readonly quickInputs: number;
  /** Its share of the time of `npm run fuzz`; 1 if not said. */
  readonly weight?: number;
  /**
   * Gives an input to the parser. Returns whether it was accepted; a refusal may also be thrown, as a SealaneError. Throws
   * anything else when a property does not hold.
   */
  run(input: Buffer, seed: Seed): boolean | Promise<boolean>;
}

/** Something that must never be, whatever the input. */
export class BrokenProperty extends Error {
  override readonly name = "BrokenProperty";
}

export function must(holds: boolean, property: string): void {
  if (!holds) throw new BrokenProperty(property);
}
