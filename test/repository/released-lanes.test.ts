// Every released lane is verified by the code of this commit, and made again as far as it can be made without its key.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import type { Manifest, Report } from "../../schemas/index.js";
import { oneDocument, sealane } from "../support/cli.js";
import { filesIn, harbourRun } from "../support/lane.js";
import { repositoryFile, shared } from "../support/shared.js";

const HARBOUR = "harbour-bm25-1500-v1";
const LOCOMO = "locomo-near-1500-v1";
const HARBOUR_FILE = repositoryFile("fixtures/datasets/harbour.json");
const locomo = shared("data/locomo/locomo10.json");
const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(work, { recursive: true }));

const lane = (id: string): string => repositoryFile(`lanes/${id}`);
const manifestAt = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8"));

/** Verifies with the keys of the repository, as a command does when it is given no trust file. */
async function verified(id: string, code: number, ...more: string[]): Promise<Report> {
  const ended = await sealane(["verify", lane(id), "--json", ...more]);
  t.equal(ended.code, code, `${id} ${more.join(" ")}: ${ended.stderr}`);
  return oneDocument(ended) as unknown as Report;
}
const outcomes = (report: Report, outcome: string): string[] =>
  report.checks.filter((check) => check.outcome === outcome).map(({ id }) => id);

t.test("these are released, their manifests beside them", async (t) => {
  t.strictSame(readdirSync(repositoryFile("lanes")).sort(), [HARBOUR, LOCOMO]);
  for (const id of [HARBOUR, LOCOMO]) {
    for (const name of ["manifest.json", "manifest.dsse.json"])
      t.strictSame(readFileSync(repositoryFile(`manifests/${id}.${name}`)), readFileSync(join(lane(id), name)), name);
  }
});

t.test(HARBOUR, async (t) => {
  const without = await verified(HARBOUR, 0);
  t.strictSame(outcomes(without, "failed"), []);
  const report = await verified(HARBOUR, 0, "--dataset", HARBOUR_FILE);
  t.equal(report.lane?.lane_id, HARBOUR);
  t.match(report.verdict, { integrity: "verified", policy: "met" });
  t.strictSame([...outcomes(report, "failed"), ...outcomes(report, "not-run")], []);
  t.ok(outcomes(report, "passed").includes("preparation"));
});

t.test(`${LOCOMO}, without LoCoMo`, async (t) => {
  const report = await verified(LOCOMO, 6);
  t.match(report.verdict, { integrity: "partial", policy: "met" });
  t.equal(report.lane?.lane_id, LOCOMO);
  t.strictSame(outcomes(report, "failed"), []);
  const proved = ["whole", "signatures", "files", "documents", "protocols", "modes", "packets", "model"];
  t.strictSame(outcomes(report, "passed"), [...proved, "trees", "checkpoints", "results", "times"]);
  const named = report.verdict.limits.join(" ");
  for (const id of outcomes(report, "not-run")) {
    const words = id === "preparation" ? "packets those its arm makes" : id;
    t.ok(named.includes(words), `LIMITS names ${id}`);
  }
  t.ok(named.includes(manifestAt(join(lane(LOCOMO), "manifest.json")).dataset.sha256), "and which dataset is missing");
});

t.test(`${LOCOMO}, with LoCoMo`, { skip: locomo.skip, timeout: 120_000 }, async (t) => {
  const whole = manifestAt(join(lane(LOCOMO), "detached/manifest.json"));
  const report = await verified(LOCOMO, 0, "--dataset", locomo.path);
  t.match(report.verdict, { integrity: "verified", policy: "met" });
  t.strictSame([...outcomes(report, "failed"), ...outcomes(report, "not-run")], []);
  const preparation = report.checks.find(({ id }) => id === "preparation");
  t.match(preparation, { outcome: "passed", examined: 1540 });

  const out = join(work, "whole");
  t.match(oneDocument(await sealane(["hydrate", lane(LOCOMO), "--dataset", locomo.path, "--out", out, "--json"])), {
    lane_id: LOCOMO,
    questions: 1540,
  });
  const files = new Map(filesIn(out));
  t.equal(files.size, whole.files.length + 2);
  for (const { path, size, sha256 } of whole.files)
    t.strictSame([files.get(path)?.length, sha256Hex(files.get(path) ?? "")], [size, sha256], path);
  for (const name of ["manifest.json", "manifest.dsse.json"])
    t.strictSame(files.get(name), readFileSync(join(lane(LOCOMO), "detached", name)), name);
  const tables = async (folder: string): Promise<unknown> =>
    (oneDocument(await sealane(["tables", folder, "--dataset", locomo.path, "--json"])) as { lanes: unknown }).lanes;
  t.strictSame(await tables(lane(LOCOMO)), await tables(out), "detached and whole, the same figures");
});

t.test(`${HARBOUR} is made again, byte for byte but for the times of its calls`, async (t) => {
  const run = await harbourRun(join(work, "run"), 1500);
  const released = (path: string): string => readFileSync(join(lane(HARBOUR), path), "utf8");
  const again = (path: string): string => readFileSync(run.path(path), "utf8");
  for (const path of [
    "population.jsonl",
    "turns.jsonl",
    "packets.jsonl",
    "requests.jsonl",
    "bodies/requests.jsonl",
    "evaluator/references.jsonl",
    "evaluator/token-f1/grades.jsonl",
    "protocols/preparation.json",
    "protocols/reader.json",
    "protocols/token-f1.json",
  ]) {
    t.equal(again(path), released(path), path);
  }
  const untimed = (text: string): string => text.replace(/"receipt_sha256":"[0-9a-f]{64}"/g, "");
  t.equal(untimed(again("answers.jsonl")), untimed(released("answers.jsonl")), "answers");
});
