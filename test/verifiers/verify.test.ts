import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { canonicalJson } from "../../lib/bytes/json.js";
import { FolderSource } from "../../lib/io/folder-source.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { openArchive } from "../../lib/lane/archive-source.js";
import { packLane } from "../../lib/lane/pack.js";
import { trustOf } from "../../lib/manifest/trust.js";
import type { Envelope } from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  goodLane,
  harbourBytes,
  type LaneFiles,
  verifyFiles,
} from "../support/lane.js";
import { testKey } from "../support/test-key.js";

t.setTimeout(120_000);

function writeLane(folder: string, files: LaneFiles): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

t.test("the registry", async (t) => {
  const ids = CHECKS.map((check) => check.id);
  t.equal(new Set(ids).size, ids.length, "ids are unique");
  const codes = CHECKS.flatMap((check) => check.emits);
  t.equal(new Set(codes).size, codes.length, "each reason code belongs to one check");
});

t.test("a good lane passes every check and examines something in each", async (t) => {
  const report = verifyFiles(await goodLane(), authorTrust(), harbourBytes());
  t.equal(report.exit_code, 0);
  t.equal(report.verdict.integrity, "verified");
  t.equal(report.verdict.policy, "met");
  for (const check of report.checks) {
    if (["amendments", "history", "anchors"].includes(check.id)) t.equal(check.outcome, "not-applicable");
    else t.equal(check.outcome, "passed", check.id);
  }
});

t.test("without the dataset the verdict stands and says what it does not cover", async (t) => {
  const report = verifyFiles(await goodLane());
  t.equal(report.exit_code, 0);
  t.equal(report.checks.find((check) => check.id === "dataset")?.outcome, "not-run");
  t.ok(report.verdict.limits.length >= 3);
});

t.test("without a trust file that speaks of the lane the policy is not met", async (t) => {
  const files = await goodLane();
  t.equal(verifyLane(gatherLane(new MemorySource(files), undefined), { trust: undefined }).exit_code, 3);
  const elsewhere = trustOf(testKey("author"), "author", "another-lane");
  t.equal(verifyFiles(files, elsewhere).exit_code, 3);
  const here = trustOf(testKey("author"), "author", "harbour-*");
  t.equal(verifyFiles(files, here).exit_code, 0);
});

t.test("an unknown extra signature and the URL-safe alphabet are tolerated", async (t) => {
  const files = await goodLane();
  editDocument<Envelope>(files, "manifest.dsse.json", (envelope) => {
    envelope.signatures.push({ keyid: testKey("stranger").keyId, sig: Buffer.alloc(64, 1).toString("base64") });
    envelope.signatures[0]!.sig = envelope.signatures[0]!.sig.replaceAll("+", "-").replaceAll("/", "_");
  });
  t.equal(verifyFiles(files).exit_code, 0);
});

t.test("the same lane gives the same report bytes from memory, folder and every archive", async (t) => {
  const files = await goodLane();
  const expected = canonicalJson(verifyFiles(files));
  const dir = t.testdir();
  writeLane(join(dir, "lane"), files);
  const reports = [verifyLane(gatherLane(new FolderSource(join(dir, "lane")), undefined), { trust: authorTrust() })];
  for (const name of ["lane.tar", "lane.tar.gz", "lane.zip"]) {
    await packLane(new MemorySource(files), join(dir, name));
    const source = await openArchive(join(dir, name));
    reports.push(verifyLane(gatherLane(source, undefined), { trust: authorTrust() }));
    source.close();
  }
  for (const report of reports) t.equal(canonicalJson(report), expected);
});

t.test("links, empty folders and special files in a folder are named", async (t) => {
  const dir = t.testdir();
  writeLane(dir, await goodLane());
  symlinkSync("answers.jsonl", join(dir, "link.jsonl"));
  mkdirSync(join(dir, "empty"));
  const report = verifyLane(gatherLane(new FolderSource(dir), undefined), { trust: authorTrust() });
  t.strictSame(codesOf(report), ["E_NOT_REGULAR"]);
  t.equal(report.exit_code, 1);
});

t.test("a lane file replaced by a link to the right content is refused", async (t) => {
  const dir = t.testdir();
  const files = await goodLane();
  writeFileSync(join(dir, "elsewhere"), files.get("answers.jsonl")!);
  files.delete("answers.jsonl");
  writeLane(join(dir, "lane"), files);
  symlinkSync(join(dir, "elsewhere"), join(dir, "lane", "answers.jsonl"));
  const report = verifyLane(gatherLane(new FolderSource(join(dir, "lane")), undefined), { trust: authorTrust() });
  t.strictSame(codesOf(report), ["E_FILE_MISSING", "E_NOT_REGULAR"]);
});

t.test("a single flipped bit never passes", async (t) => {
  const good = await goodLane();
  let flips = 0;
  let passed = 0;
  for (const [path, bytes] of good) {
    // Bits all along each file; the two documents that all others hang on more closely.
    const step =
      path === "manifest.json" || path === "manifest.dsse.json" ? 1 : Math.max(8, Math.ceil((bytes.length * 8) / 15));
    for (let bit = 0; bit < bytes.length * 8; bit += step) {
      if (step === 1 && bit % 131 !== 0) continue;
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const files = new Map(good).set(path, flipped);
      flips += 1;
      if (verifyFiles(files).exit_code === 0) passed += 1;
    }
  }
  t.equal(passed, 0, `${flips} flips`);
  t.ok(flips > 300);
});
