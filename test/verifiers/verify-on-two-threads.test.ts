// Two threads must come to the report that one comes to, whatever stands in the lane, and to none when one of them fails.
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import t from "tap";
import { canonicalJson } from "../../lib/bytes/json.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { Report } from "../../schemas/index.js";
import { BodyThread } from "../../verifiers/body-thread.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { verifyOnTwoThreads } from "../../verifiers/verify-on-two-threads.js";
import type { Ending } from "../support/ending-thread.js";
import { authorTrust, codesOf, goodLane, harbourBytes, type LaneFiles, reseal, verifyFiles } from "../support/lane.js";

t.setTimeout(300_000);

const BODIES = LANE_FILES.bodies;

function onTwo(files: LaneFiles, batchBytes = 2 ** 14, startThread?: () => BodyThread): Promise<Report> {
  const evidence = gatherLane(new MemorySource(files), undefined);
  const start = startThread && { startThread };
  return verifyOnTwoThreads(evidence, { trust: authorTrust() }, CHECKS, undefined, {
    fromBytes: 0,
    batchBytes,
    ...start,
  });
}

t.test("a good lane, with and without its dataset", async (t) => {
  const files = await goodLane();
  const told: number[] = [];
  const evidence = gatherLane(new MemorySource(files), harbourBytes());
  const report = await verifyOnTwoThreads(
    evidence,
    { trust: authorTrust() },
    CHECKS,
    (done, total) => told.push(done / total),
    { fromBytes: 0, batchBytes: 2 ** 14 },
  );
  t.equal(report.exit_code, 0);
  t.equal(canonicalJson(report), canonicalJson(verifyFiles(files, authorTrust(), harbourBytes())));
  t.equal(told.at(-1), 1);
  t.equal(new Set(told).size, told.length, "each row is shown once");
  t.strictSame(
    told,
    told.toSorted((a, b) => a - b),
    "in order",
  );
  for (const batchBytes of [3000, 2 ** 20]) {
    t.equal(canonicalJson(await onTwo(files, batchBytes)), canonicalJson(verifyFiles(files)), `${batchBytes}`);
  }
});

t.test("a short lane is verified in one thread", async (t) => {
  const files = await goodLane();
  const startThread = (): BodyThread => {
    throw new Error("a thread is started");
  };
  const evidence = gatherLane(new MemorySource(files), undefined);
  const report = await verifyOnTwoThreads(evidence, { trust: authorTrust() }, CHECKS, undefined, { startThread });
  t.equal(canonicalJson(report), canonicalJson(verifyFiles(files)));
  await t.rejects(onTwo(files, 2 ** 14, startThread), { message: "a thread is started" });
});

/** The rows that are shown, by one thread and by two. */
async function rowsShown(files: LaneFiles): Promise<{ one: number[]; two: number[] }> {
  const [one, two]: [number[], number[]] = [[], []];
  const evidence = () => gatherLane(new MemorySource(files), undefined);
  const trust = authorTrust();
  verifyLane(evidence(), { trust }, CHECKS, (done) => one.push(done));
  await verifyOnTwoThreads(evidence(), { trust }, CHECKS, (done) => two.push(done), { fromBytes: 0, batchBytes: 6000 });
  return { one, two };
}

const linesOf = (files: LaneFiles): string[] => files.get(BODIES)!.toString("utf8").split("\n").slice(0, -1);
const setLines = (files: LaneFiles, lines: readonly string[], end = "\n"): unknown =>
  files.set(BODIES, Buffer.from(lines.join("\n") + end));
const replaced = (files: LaneFiles, index: number, from: RegExp | string, to: string): unknown =>
  setLines(files, linesOf(files).with(index, linesOf(files)[index]!.replace(from, to)));

/** As it stands in a line, where a body's line feed is escaped twice. */
const BEFORE_EVIDENCE = String.raw`RECORDED EVIDENCE:\\n`;

/** What is done to the bodies of a lane; afterwards the legitimate signer seals it again. */
const FAULTS: Readonly<Record<string, (files: LaneFiles) => unknown>> = {
  "other evidence": (files) => replaced(files, 3, BEFORE_EVIDENCE, `${BEFORE_EVIDENCE}(9.9) Ann: Hm.\\\\n`),
  "an instruction of its own": (files) => replaced(files, 3, "You answer", "You invent"),
  "another spelling of a character": (files) => replaced(files, 4, "You", "\\u0059ou"),
  "a blank before the body": (files) => replaced(files, 4, '{"body":', '{"body": '),
  "a lone surrogate": (files) => replaced(files, 2, "You answer", "\\ud800ou answer"),
  "an id that is none": (files) => replaced(files, 2, /"question_id":"[^"]+"/, '"question_id":"../x"'),
  "an id with an escape": (files) => replaced(files, 2, /"question_id":"[^"]+"/, '"question_id":"\\n"'),
  "a line that is no JSON, and one that is no record": (files) => {
    replaced(files, 6, "{", "(");
    replaced(files, 2, '{"body"', '{"corpse"');
  },
  "bytes that are no UTF-8": (files) => {
    files.get(BODIES)![files.get(BODIES)!.length >> 1] = 0xff;
  },
  "no last line feed": (files) => setLines(files, linesOf(files), ""),
  "a broken line, and no last line feed": (files) => setLines(files, linesOf(files).with(1, "{"), ""),
  "one line more": (files) => setLines(files, [...linesOf(files), linesOf(files)[0]!]),
  "lines after a broken one, beyond the population": (files) =>
    setLines(files, [...linesOf(files).with(5, "{}"), ...linesOf(files)]),
  "one line less": (files) => setLines(files, linesOf(files).slice(0, -1)),
  "two lines for one another": (files) =>
    setLines(files, linesOf(files).with(0, linesOf(files)[1]!).with(1, linesOf(files)[0]!)),
  "a line longer than a batch": (files) =>
    replaced(files, 1, BEFORE_EVIDENCE, `${BEFORE_EVIDENCE}${"a b ".repeat(20_000)}`),
  "a word too long to be counted": (files) =>
    replaced(files, 1, BEFORE_EVIDENCE, `${BEFORE_EVIDENCE}${"x".repeat(20_000)}`),
  "no bodies": (files) => files.set(BODIES, Buffer.alloc(0)),
  "no file of bodies": (files) => files.delete(BODIES),
  "no reader protocol": (files) => files.set(LANE_FILES.reader, Buffer.from("{}")),
  "no preparation protocol": (files) => files.set(LANE_FILES.preparation, Buffer.from("{}")),
  "no population": (files) => files.set(LANE_FILES.population, Buffer.alloc(0)),
};

for (const [name, fault] of Object.entries(FAULTS)) {
  t.test(`the same report of a lane with ${name}`, async (t) => {
    const raw = await goodLane();
    fault(raw);
    const expected = verifyFiles(raw);
    t.not(expected.exit_code, 0);
    t.equal(canonicalJson(await onTwo(raw, 6000)), canonicalJson(expected), "edited");
    const { one, two } = await rowsShown(raw);
    t.strictSame(two, one, "the same rows are shown");
    const sealed = await goodLane();
    fault(sealed);
    if (!sealed.has(BODIES)) return;
    reseal(sealed);
    const signed = verifyFiles(sealed);
    t.not(signed.exit_code, 0);
    t.equal(canonicalJson(await onTwo(sealed)), canonicalJson(signed), `and sealed again: ${codesOf(signed)}`);
  });
}

t.test("any byte of the bodies changed", async (t) => {
  const good = await goodLane();
  const length = good.get(BODIES)!.length;
  await fc.assert(
    fc.asyncProperty(fc.nat(length - 1), fc.nat(255), async (place, byte) => {
      const files: LaneFiles = new Map([...good].map(([path, bytes]) => [path, Buffer.from(bytes)]));
      files.get(BODIES)![place] = byte;
      reseal(files);
      return canonicalJson(await onTwo(files)) === canonicalJson(verifyFiles(files));
    }),
    { seed: 4, numRuns: 25 },
  );
  t.pass();
});

t.test("a thread that fails makes no report", async (t) => {
  const files = await goodLane();
  const expected: Readonly<Record<Ending, object>> = {
    throws: { message: "the thread is broken" },
    "exits with 0": { message: /ended with 0/ },
    "answers too little": { message: /another batch/ },
    "says what is wrong": { name: "SealaneError", code: "E_VERSION", expected: "a", next: "b", exitCode: 4 },
  };
  for (const [ending, error] of Object.entries(expected)) {
    const script = new URL("../support/ending-thread.js", import.meta.url);
    const start = (): BodyThread => new BodyThread(new Worker(script, { workerData: { ending } }));
    const failed: unknown = await onTwo(files, 6000, start).catch((cause: unknown) => cause);
    t.match(failed, error, ending);
  }
});
