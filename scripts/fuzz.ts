// `npm run fuzz -- [--seconds N] [--seed S] [--only TARGET] [--out FOLDER]`: mutated inputs for every parser, some seconds for each;
// `--replay FILE` gives one input once more. See test/support/fuzz/.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sha256Hex } from "../lib/bytes/digest.js";
import { emptyTally, reproduced, reproducerOf, tryInput } from "../test/support/fuzz/fuzz.js";
import type { Target } from "../test/support/fuzz/target.js";
import { TARGETS } from "../test/support/fuzz/targets/index.js";
import { fuzzWatched, targetOf } from "../test/support/fuzz/worker.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: "sealane" },
    only: { type: "string" },
    out: { type: "string", default: join(tmpdir(), "sealane-fuzz") },
    replay: { type: "string" },
  },
});

async function replay(file: string): Promise<boolean> {
  const { target: name, from, number, bytes } = reproduced(readFileSync(file));
  const target = await targetOf(name);
  const seed = (await target.seeds()).find((candidate) => candidate.name === from);
  if (!seed) throw new Error(`${name} has no seed ${from}`);
  const tally = emptyTally();
  const fault = await tryInput(target, { number, seed, bytes }, tally);
  console.log(fault ? (fault.error.stack ?? fault.kind) : `nothing is wrong: ${outcomeOf(tally)}`);
  return fault === undefined;
}

function outcomeOf({ accepted, codes }: { readonly accepted: number; readonly codes: object }): string {
  return accepted > 0 ? "accepted" : `refused, ${Object.keys(codes).join(", ") || "with a report"}`;
}

async function fuzzAll(targets: readonly Target[], seconds: number, seed: string, out: string): Promise<boolean> {
  let faults = 0;
  const whole = targets.reduce((sum, { weight = 1 }) => sum + weight, 0);
  for (const { name, weight = 1 } of targets) {
    const watched = await fuzzWatched(name, seed, (seconds * weight) / whole);
    const perSecond = Math.round(watched.inputs / watched.seconds);
    const { inputs, accepted, codes, found, slowest } = watched;
    console.log(
      `${name}: ${inputs} inputs, ${perSecond} a second, ${accepted} accepted, ${Object.keys(codes).length} reason codes, ` +
        `slowest ${Math.round(slowest.ms)} ms (input ${slowest.number}), ${found.length} faults`,
    );
    for (const { number, from, bytes, kind, error } of found) {
      const input = { number, seed: { name: from, bytes: Buffer.alloc(0) }, bytes: Buffer.from(bytes) };
      const fault = { target: name, input, kind, error: new Error(kind) };
      mkdirSync(out, { recursive: true });
      const file = join(out, `${name}-${sha256Hex(bytes).slice(0, 12)}`);
      writeFileSync(file, reproducerOf(fault, seed));
      console.log(`  seed ${seed}, target ${name}, input ${number}; npm run fuzz -- --replay ${file}`);
      console.log(`  ${error.replaceAll("\n", "\n  ")}`);
      faults += 1;
    }
  }
  return faults === 0;
}

const seconds = Number(values.seconds);
const targets = TARGETS.filter(({ name }) => name === (values.only ?? name));
if (!(seconds > 0) || targets.length === 0) {
  console.error("npm run fuzz -- [--seconds N] [--seed S] [--only TARGET] [--out FOLDER] | --replay FILE; targets:");
  console.error(TARGETS.map(({ name }) => `  ${name}`).join("\n"));
  process.exitCode = 64;
} else {
  const fine =
    values.replay === undefined
      ? await fuzzAll(targets, seconds, values.seed, resolve(values.out))
      : await replay(values.replay);
  process.exitCode = fine ? 0 : 1;
}
