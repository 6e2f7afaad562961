// Every parser against a fixed number of mutated inputs from a fixed seed; `npm run fuzz` gives them other ones for as long as is
// wished. And the fuzzer itself, against targets that are wrong on purpose.
import t from "tap";
import { canonicalJson } from "../../lib/bytes/json.js";
import { Chance } from "../../lib/synthetic/chance.js";
import { DOCUMENT_KINDS } from "../../schemas/index.js";
import { TARGETS as BROKEN } from "../support/fuzz/broken-targets.js";
import { drawnDocument } from "../support/fuzz/documents.js";
import { emptyTally, fuzz, inputOf, reproduced, reproducerOf, tryInput } from "../support/fuzz/fuzz.js";
import { TARGETS } from "../support/fuzz/targets/index.js";
import { fuzzWatched, targetOf } from "../support/fuzz/worker.js";

t.setTimeout(600_000);

const BROKEN_MODULE = new URL("../support/fuzz/broken-targets.js", import.meta.url).href;
const brokenTarget = (name: string) => targetOf(name, BROKEN_MODULE);

for (const target of TARGETS) {
  t.test(target.name, async (t) => {
    const seeds = await target.seeds();
    const { inputs, accepted, faults } = await fuzz(target, "npm test", seeds.length + target.quickInputs);
    for (const { kind, input } of faults) t.fail(`input ${input.number}: ${kind}`);
    t.equal(inputs, seeds.length + target.quickInputs);
    t.ok(accepted > 0, `${accepted} accepted`);
    t.ok(accepted < inputs, "and not all");
  });
}

t.test("the same seed gives the same inputs, another one others", async (t) => {
  for (const target of TARGETS) {
    const seeds = await target.seeds();
    const first = seeds.length;
    const bytesOf = (seed: string): Buffer =>
      Buffer.concat([0, 1, 2, 3].map((more) => inputOf(target, seeds, seed, first + more).bytes));
    t.ok(bytesOf("a").equals(bytesOf("a")), target.name);
    t.notOk(bytesOf("a").equals(bytesOf("b")), target.name);
  }
});

t.test("documents are drawn from every schema, and not the same ones", async (t) => {
  for (const kind of DOCUMENT_KINDS) {
    const drawn = new Set([1, 2, 3, 4, 5].map((number) => drawnDocument(kind, new Chance(String(number))).toString()));
    t.ok(drawn.size > 1, `${kind}: ${drawn.size}`);
    for (const text of drawn) t.equal(canonicalJson(JSON.parse(text)), text);
  }
});

t.test("a sound target has no faults", async (t) => {
  const { faults, accepted, codes } = await fuzz(await brokenTarget("sound"), "s", 200);
  t.strictSame(faults, []);
  t.ok(accepted >= 1);
  t.ok(codes.E_SCHEMA! > 100);
});

t.test("a crash, a property that does not hold and a refused seed are faults", async (t) => {
  for (const [name, error] of [
    ["crashes", "TypeError"],
    ["accepts", "BrokenProperty"],
    ["refuses-its-seed", "BrokenProperty"],
  ] as const) {
    const { faults } = await fuzz(await brokenTarget(name), "s", 400);
    t.ok(faults.length > 0, name);
    t.equal(faults[0]?.error.name, error, name);
  }
});

t.test("a reproducer gives the fault again", async (t) => {
  const target = await brokenTarget("crashes");
  const { faults } = await fuzz(target, "s", 400);
  const { from, bytes, number, target: name } = reproduced(reproducerOf(faults[0]!, "s"));
  t.equal(name, "crashes");
  const seed = (await target.seeds()).find((candidate) => candidate.name === from)!;
  const again = await tryInput(target, { number, seed, bytes }, emptyTally());
  t.equal(again?.kind, faults[0]!.kind);
  t.ok(inputOf(target, await target.seeds(), "s", number).bytes.equals(bytes), "its number gives it as well");
});

t.test("an input that does not end, or takes all memory, is found from outside, and the next ones go on", async (t) => {
  const options = { module: BROKEN_MODULE, hangMs: 1000 };
  const hung = await fuzzWatched("hangs", "s", 2.5, options);
  t.ok(hung.found.length >= 2, `${hung.found.length} found`);
  t.match(hung.found[0], { target: "hangs", seed: "s", from: "letters", kind: /no end/ });
  t.ok(hung.found[1]!.number > hung.found[0]!.number);
  const overflown = await fuzzWatched("overflows", "s", 1, { ...options, hangMs: 60_000, heapMiB: 64 });
  t.match(overflown.found[0]?.kind, /memory/);
  const sound = await fuzzWatched("sound", "s", 0.3, options);
  t.strictSame(sound.found, []);
  t.ok(sound.inputs > 50 && sound.accepted >= 1);
  t.equal(BROKEN.length, 6, "each of them is asked for above");
});
