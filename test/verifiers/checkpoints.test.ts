// What the check of checkpoints lets through, and what it leaves to others. What it refuses: fixtures/cases/.
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import { signCheckpoint } from "../../lib/manifest/checkpoint.js";
import { preAuthEncoding } from "../../lib/manifest/envelope.js";
import type { SigningKey } from "../../lib/manifest/keys.js";
import { TREE_NAMES } from "../../lib/manifest/trees.js";
import { trustOf } from "../../lib/manifest/trust.js";
import { checkpointPath } from "../../lib/records/documents.js";
import type { Envelope, Manifest, Report } from "../../schemas/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { codesOf, editDocument, goodLane, type LaneFiles, parsed, reseal, verifyFiles } from "../support/lane.js";
import { testKey } from "../support/test-key.js";

const AUTHOR = testKey("author");
const SECOND = testKey("second");
const outcomeOf = (report: Report) => report.checks.find((check) => check.id === "checkpoints")?.outcome;
const untrusted = (files: LaneFiles) =>
  verifyLane(gatherLane(new MemorySource(files), undefined), { trust: undefined });

/** A second signature on the manifest, as `sealane sign` adds it. */
function cosign(files: LaneFiles, key: SigningKey): void {
  editDocument<Envelope>(files, "manifest.dsse.json", (envelope) => {
    const message = preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, "base64"));
    envelope.signatures.push({ keyid: key.keyId, sig: Buffer.from(key.sign(message)).toString("base64") });
  });
}

/** Adds lines to every checkpoint, and seals again. */
function addLines(files: LaneFiles, line: (note: string, manifest: Manifest, index: number) => string): void {
  const manifest = parsed<Manifest>(files, "manifest.json");
  for (const [index, tree] of TREE_NAMES.entries()) {
    const note = files.get(checkpointPath(tree))!.toString("utf8");
    files.set(checkpointPath(tree), Buffer.from(note + line(note, manifest, index)));
  }
  reseal(files, { checkpoints: "kept" });
}

t.test("a sealed lane has a checkpoint of each tree, listed like every other file", async (t) => {
  const files = await goodLane();
  const manifest = parsed<Manifest>(files, "manifest.json");
  for (const tree of TREE_NAMES) {
    const path = checkpointPath(tree);
    t.ok(manifest.files.some((file) => file.path === path));
    t.equal(files.get(path)!.toString("utf8"), signCheckpoint(manifest, tree, AUTHOR));
  }
  const report = verifyFiles(files);
  t.equal(outcomeOf(report), "passed");
  t.equal(report.exit_code, 0);
});

t.test("where no trusted key signed, the check of signatures is the one to complain", async (t) => {
  const files = await goodLane();
  const elsewhere = trustOf(AUTHOR, "author", "another-lane");
  const stolen = await goodLane();
  reseal(stolen, { key: testKey("thief") });
  for (const [why, report] of [
    ["no trust file", untrusted(files)],
    ["a trust file for other lanes", verifyFiles(files, elsewhere)],
    ["another key is trusted", verifyFiles(files, trustOf(SECOND, "second", "*"))],
    ["sealed by a thief", verifyFiles(stolen)],
  ] as const) {
    t.equal(outcomeOf(report), "not-run", why);
    t.equal(report.exit_code, 3, `${why}: the policy is not met, and that is all`);
    t.equal(report.verdict.integrity, "verified", why);
    t.equal(report.verdict.policy, "not-met", why);
  }
});

t.test("what contradicts the manifest does so whoever is trusted", async (t) => {
  const files = await goodLane();
  reseal(files, { checkpoints: "kept", edit: (manifest) => Object.assign(manifest, { lane_version: 2 }) });
  const report = untrusted(files);
  t.ok(codesOf(report).includes("E_CHECKPOINT"));
  t.equal(report.exit_code, 1);
});

t.test("lines by others stand beside the signer's", async (t) => {
  const cosigned = await goodLane();
  addLines(
    cosigned,
    (_, manifest, index) => signCheckpoint(manifest, TREE_NAMES[index]!, SECOND).split("\n\n").at(-1)!,
  );
  t.equal(outcomeOf(verifyFiles(cosigned)), "passed", "a second signer's");
  const witnessed = await goodLane();
  addLines(witnessed, () => `\u2014 witness.example/w1 ${Buffer.alloc(76, 9).toString("base64")}\n`);
  t.equal(outcomeOf(verifyFiles(witnessed)), "passed", "a witness's, of another signature type");
});

t.test("a lane signed by two of which only the one is trusted who signed no checkpoint", async (t) => {
  const files = await goodLane();
  cosign(files, SECOND);
  const report = verifyFiles(files, trustOf(SECOND, "second", "*"));
  t.equal(outcomeOf(report), "not-run", "the checkpoints may be by the other one");
  t.equal(report.exit_code, 0, "and the manifest, which he signed, says what they say");
  t.equal(outcomeOf(verifyFiles(files)), "passed");
});

t.test("a lane without checkpoints is not refused, and not verified", async (t) => {
  const files = await goodLane();
  for (const tree of TREE_NAMES) files.delete(checkpointPath(tree));
  reseal(files, { checkpoints: "kept" });
  const report = verifyFiles(files);
  t.equal(outcomeOf(report), "not-run");
  t.strictSame(codesOf(report), []);
  t.equal(report.exit_code, 6);
});
