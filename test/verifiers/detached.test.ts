// A detached lane without its dataset is never verified, and with it everything is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { bytesInput, type Input } from "../../lib/io/input.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { packLane } from "../../lib/lane/pack.js";
import { trustOf } from "../../lib/manifest/trust.js";
import type { Report } from "../../schemas/index.js";
import { verifyDetached } from "../../verifiers/detached.js";
import { gatherLane, type Policy } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { sealane } from "../support/cli.js";
import { copyOf, detachedFiles, manifestIn, NEVER, resealDetached, writeFiles } from "../support/detached.js";
import { authorTrust, codesOf, editRecords, goodLane, HARBOUR, harbourBytes, type LaneFiles } from "../support/lane.js";
import { testKey } from "../support/test-key.js";

const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(work, { recursive: true }));
const made = detachedFiles(await goodLane(), harbourBytes(), join(work, "made"));
const good = async (): Promise<LaneFiles> => copyOf(await made);

function verified(files: LaneFiles, given?: Input, policy: Policy = { trust: authorTrust() }): Promise<Report> {
  const whole = async (source: Parameters<typeof gatherLane>[0]): Promise<Report> =>
    verifyLane(gatherLane(source, given), policy);
  return verifyDetached(new MemorySource(files), given, policy, whole, { stop: NEVER, onProgress: () => {} });
}
const outcomes = (report: Report, outcome: string): string[] =>
  report.checks.filter((check) => check.outcome === outcome).map(({ id }) => id);

t.test("without the dataset", async (t) => {
  const report = await verified(await good());
  t.strictSame(codesOf(report), []);
  t.equal(report.exit_code, 6);
  t.equal(report.verdict.integrity, "partial");
  t.equal(report.verdict.policy, "met");
  const proved = ["whole", "signatures", "files", "documents", "protocols", "modes", "packets", "model"];
  t.strictSame(outcomes(report, "passed"), [...proved, "trees", "checkpoints", "results", "times"]);
  for (const id of ["dataset", "requests", "answers", "grades", "references", "tokens", "separation"])
    t.ok(outcomes(report, "not-run").includes(id), id);
});

t.test("with it", async (t) => {
  const report = await verified(await good(), harbourBytes());
  t.equal(report.exit_code, 0);
  t.equal(report.verdict.integrity, "verified");
  t.equal(report.lane!.manifest_sha256, manifestIn(await good()).detached!.manifest_sha256);
  t.strictSame(outcomes(report, "not-run"), []);
  t.ok(outcomes(report, "passed").includes("detached"));
  const another = bytesInput(Buffer.from("{}"), "another.json");
  const refused = await verified(await good(), another);
  t.strictSame(codesOf(refused), ["E_DATASET"]);
  t.equal(refused.exit_code, 1);
  const saysNoneWasGiven = ({ verdict }: Report): boolean =>
    verdict.limits.some((limit) => limit.startsWith("No dataset was given"));
  t.notOk(saysNoneWasGiven(refused), "one was given");
  const broken = await good();
  broken.set("detached/receipts.jsonl", broken.get("detached/receipts.jsonl")!.subarray(0, -9));
  t.strictSame(codesOf(await verified(broken, harbourBytes())), ["E_SIZE"], "a file that was cut off");
  t.notOk(saysNoneWasGiven(await verified(broken, harbourBytes())));
  t.ok(saysNoneWasGiven(await verified(broken)));
  t.ok(saysNoneWasGiven(await verified(await good())));
});

t.test("one that was tampered with by whoever can sign", async (t) => {
  type Line = { score: number; category: string; status: string; answer_sha256: string; evidence_sha256: string };
  const cases: [path: string, edit: (lines: Line[]) => void, without: string[], withIt: string[]][] = [
    [
      "evaluator/token-f1/grades.jsonl",
      (lines) => Object.assign(lines[0]!, { score: 1 }),
      ["E_ARITH", "E_RECIPE", "E_TREE"],
      ["E_ARITH", "E_RECIPE", "E_TREE"],
    ],
    [
      "detached/population.jsonl",
      (lines) => Object.assign(lines[0]!, { category: "temporal" }),
      ["E_DENOMINATOR"],
      ["E_DENOMINATOR"],
    ],
    [
      "detached/population.jsonl",
      (lines) => lines.pop(),
      ["E_ARITH", "E_DENOMINATOR", "E_RECIPE", "E_SPAN", "E_TREE"],
      ["E_ARITH", "E_DENOMINATOR", "E_RECIPE", "E_SPAN", "E_TREE"],
    ],
    [
      "detached/answers.jsonl",
      (lines) => Object.assign(lines[0]!, { answer_sha256: "0".repeat(64) }),
      ["E_TREE"],
      ["E_TREE"],
    ],
    ["detached/receipts.jsonl", (lines) => Object.assign(lines[0]!, { data: ["{}"] }), [], ["E_RECIPE"]],
  ];
  for (const [path, edit, without, withIt] of cases) {
    const files = await good();
    editRecords<Line>(files, path, (lines) => void edit(lines));
    t.not(codesOf(await verified(files)).length, 0, `${path}, not signed`);
    resealDetached(files);
    t.strictSame(codesOf(await verified(files)), without, path);
    t.strictSame(codesOf(await verified(files, harbourBytes())), withIt, `${path}, with the dataset`);
  }
});

t.test("whoever signed the one is not taken to have signed the other", async (t) => {
  const files = await good();
  const trust = trustOf(testKey("someone else"), "someone else", "*");
  for (const given of [undefined, harbourBytes()]) {
    const report = await verified(files, given, { trust });
    t.equal(report.exit_code, 3);
    t.equal(report.verdict.policy, "not-met");
  }
  const unsigned = await verified(files, harbourBytes(), { trust: undefined });
  t.not(unsigned.exit_code, 0);
});

t.test("whoever verifies it as a whole lane gets no verification", async (t) => {
  const report = verifyLane(gatherLane(new MemorySource(await good()), harbourBytes()), { trust: authorTrust() });
  t.not(report.verdict.integrity, "verified");
  t.not(report.exit_code, 0);
});

t.test("the commands", async (t) => {
  const lane = join(work, "lane");
  const key = join(work, "author.pem");
  const out = join(work, "detached");
  const whole = join(work, "whole");
  writeFiles(await goodLane(), lane);
  const ends = async (code: number, ...args: string[]): Promise<string> => {
    const ended = await sealane(args);
    t.equal(ended.code, code, `${args[0]}: ${ended.stderr}`);
    return ended.stdout;
  };
  await ends(0, "keys", "new", "--out", key);
  await ends(0, "detach", lane, "--dataset", HARBOUR, "--key", key, "--out", out, "--json");
  await ends(64, "detach", lane, "--dataset", HARBOUR, "--key", key, "--out", out);
  await ends(64, "detach", lane, "--dataset", HARBOUR, "--key", key, "--out", `${out}2`, "--words", "0");
  interface Tables {
    lanes: { retrieval: { rows: { labelled: number }[] } }[];
  }
  const tables = async (folder: string, ...given: string[]): Promise<Tables> =>
    JSON.parse(await ends(0, "tables", folder, "--json", ...given));
  t.strictSame(await tables(out, "--dataset", HARBOUR), await tables(lane, "--dataset", HARBOUR));
  const labelless = await tables(out);
  t.equal(labelless.lanes[0]!.retrieval.rows.at(-1)!.labelled, 0, "labels are the dataset's, and are not here");
  t.strictSame({ ...labelless.lanes[0], retrieval: 0 }, { ...(await tables(lane)).lanes[0], retrieval: 0 });
  await ends(6, "show", out, "--question", "boatyard-01");
  const text = JSON.parse(await ends(0, "hydrate", out, "--dataset", HARBOUR, "--out", whole, "--json"));
  t.equal(text.questions, 36);
  await ends(64, "hydrate", out, "--dataset", HARBOUR, "--out", whole);
  await ends(64, "hydrate", lane, "--dataset", HARBOUR, "--out", `${whole}2`);
  const archive = join(work, "detached.tar.gz");
  await packLane(new MemorySource(await good()), archive, { onProgress: () => {} });
  const report = JSON.parse(await ends(3, "verify", archive, "--dataset", HARBOUR, "--json")) as Report;
  t.equal(report.checks[0]!.id, "detached");
  await ends(0, "verify", archive, "--dataset", HARBOUR, "--only", "grades", "--only", "requests");
});
