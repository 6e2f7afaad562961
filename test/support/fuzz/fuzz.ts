// The fuzzer: inputs made from a seed, given to a target, and what came of them. An input is known by (seed, target, number).
import { REASONS, SealaneError } from "../../../lib/finding.js";
import { Chance } from "../../../lib/synthetic/chance.js";
import { mutateBytes } from "./mutators/bytes.js";
import { INPUT_BYTES_MAX } from "./mutators/mutator.js";
import { BrokenProperty, type Seed, type Target } from "./target.js";

export interface Input {
  readonly number: number;
  readonly seed: Seed;
  readonly bytes: Buffer;
}

/** What was given and found wrong. */
export interface Fault {
  readonly target: string;
  readonly input: Input;
  /** A kind of fault and where it was, the same for the same fault. */
  readonly kind: string;
  readonly error: Error;
}

export interface Tally {
  inputs: number;
  accepted: number;
  /** How often each reason code was the refusal. */
  readonly codes: Record<string, number>;
  readonly faults: Fault[];
  /** The input that took longest. */
  slowest: { ms: number; number: number };
}

/** The input of a number. The first ones are the seeds themselves, as they are: a target that refuses one tests nothing. */
export function inputOf(target: Target, seeds: readonly Seed[], seed: string, number: number): Input {
  if (number < seeds.length) return { number, seed: seeds[number]!, bytes: Buffer.from(seeds[number]!.bytes) };
  const chance = new Chance(`${seed}/${target.name}/${number}`);
  const [from, other] = [chance.pick(seeds), chance.pick(seeds)];
  let bytes = target.draw && chance.below(3) === 0 ? target.draw(chance) : from.bytes;
  for (let left = chance.pick([1, 1, 1, 2, 3, 5]); left > 0 && bytes.length <= INPUT_BYTES_MAX; left -= 1) {
    const mutate = target.mutators.length > 0 && chance.below(4) > 0 ? chance.pick(target.mutators) : mutateBytes;
    bytes = mutate(bytes, chance, other.bytes);
  }
  return { number, seed: from, bytes: bytes.subarray(0, INPUT_BYTES_MAX) };
}

/** Gives one input to a target; undefined when nothing is wrong. */
export async function tryInput(target: Target, input: Input, tally: Tally): Promise<Fault | undefined> {
  tally.inputs += 1;
  const begun = performance.now();
  try {
    // A parser that writes into what it reads must not spoil what is reported.
    const accepted = await target.run(Buffer.from(input.bytes), input.seed);
    if (accepted) tally.accepted += 1;
    else if (input.bytes.equals(input.seed.bytes)) throw new BrokenProperty(`${input.seed.name} is refused as it is`);
    return undefined;
  } catch (caught) {
    const error = caught instanceof Error ? caught : new Error(String(caught));
    const known = error instanceof SealaneError && Object.hasOwn(REASONS, error.code) && error.code !== "E_INTERNAL";
    if (known) tally.codes[error.code] = (tally.codes[error.code] ?? 0) + 1;
    const isSeed = input.bytes.equals(input.seed.bytes);
    if (known && !isSeed) return undefined;
    const place = /\n +at (.*)/.exec(error.stack ?? "")?.[1] ?? "";
    const fault = { target: target.name, input, kind: `${error.name}: ${error.message}`.slice(0, 120) + place, error };
    tally.faults.push(fault);
    return fault;
  } finally {
    const ms = performance.now() - begun;
    if (ms > tally.slowest.ms) tally.slowest = { ms, number: input.number };
  }
}

export const emptyTally = (): Tally => ({
  inputs: 0,
  accepted: 0,
  codes: {},
  faults: [],
  slowest: { ms: 0, number: 0 },
});

/** A fixed number of inputs, one after the other. */
export async function fuzz(target: Target, seed: string, inputs: number): Promise<Tally> {
  const tally = emptyTally();
  const seeds = await target.seeds();
  for (let number = 0; number < inputs; number += 1) {
    await tryInput(target, inputOf(target, seeds, seed, number), tally);
  }
  return tally;
}

/** A reproducer: one line of JSON, and the input's bytes. */
export function reproducerOf({ target, input, error }: Fault, seed: string): Buffer {
  const head = { target, seed, number: input.number, from: input.seed.name, error: `${error.name}: ${error.message}` };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), input.bytes]);
}

/** Takes a reproducer apart. */
export function reproduced(file: Buffer): { target: string; from: string; number: number; bytes: Buffer } {
  const end = file.indexOf("\n");
  const head = JSON.parse(file.toString("utf8", 0, end)) as { target: string; from: string; number: number };
  return { ...head, bytes: file.subarray(end + 1) };
}
