import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { countersign } from "../../../lib/lane/sign.js";
import { signStatement, statementOf } from "../../../lib/manifest/envelope.js";
import type { Trust } from "../../../lib/manifest/trust.js";
import { trustOf } from "../../../lib/manifest/trust.js";
import type { Envelope, Manifest } from "../../../schemas/index.js";
import { writeLane } from "../../support/foreign.js";
import { codesOf, editDocument, goodLane, type LaneFiles, parsed, verifyFiles } from "../../support/lane.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const author = testKey("author");
const second = testKey("second");
const ENVELOPE = "manifest.dsse.json";

/** Both keys may sign every lane, and two must. */
function trustInTwo(): Trust {
  const one = trustOf(author, "author", "*");
  const keys = [author, second].map((key) => ({ bytes: key.bytes, keyId: key.keyId, owner: "one of two" }));
  return { ...one, keys, rules: [{ lanes: "*", threshold: 2, keyIds: keys.map(({ keyId }) => keyId) }] };
}

function laneIn(dir: string, files: LaneFiles): { lane: string; envelope: () => Buffer } {
  const lane = join(dir, "lane");
  writeLane(lane, files);
  return { lane, envelope: () => readFileSync(join(lane, ENVELOPE)) };
}

t.test("two signatures verify under a threshold of two", async (t) => {
  const files = await goodLane();
  const { lane, envelope } = laneIn(t.testdir(), files);
  t.strictSame(codesOf(verifyFiles(files, trustInTwo())), ["E_THRESHOLD"]);
  const before = JSON.parse(envelope().toString()) as Envelope;
  const inode = statSync(join(lane, ENVELOPE)).ino;
  const signed = countersign(lane, second);
  t.strictSame(
    signed.signatures.map(({ keyid }) => keyid),
    [author.keyId, second.keyId],
  );
  t.equal(envelope().toString(), canonicalJson(signed), "canonical, as it must be in a lane");
  t.strictSame({ ...signed, signatures: signed.signatures.slice(0, 1) }, before, "all that stood there stays");
  t.not(statSync(join(lane, ENVELOPE)).ino, inode, "replaced, not written into");
  files.set(ENVELOPE, envelope());
  t.strictSame(codesOf(verifyFiles(files, trustInTwo())), []);
  t.equal(verifyFiles(files, trustInTwo()).verdict.policy, "met");
});

t.test("each key once", async (t) => {
  const { lane, envelope } = laneIn(t.testdir(), await goodLane());
  t.equal(
    codeOf(() => countersign(lane, author)),
    "E_EXISTS",
    "the one who sealed",
  );
  countersign(lane, second);
  const before = envelope();
  t.equal(
    codeOf(() => countersign(lane, second)),
    "E_EXISTS",
    "the one who countersigned",
  );
  t.same(envelope(), before);

  const renamed = await goodLane();
  editDocument<Envelope>(renamed, ENVELOPE, (document) => {
    document.signatures[0]!.keyid = "another name for it";
  });
  t.equal(
    codeOf(() => countersign(laneIn(t.testdir(), renamed).lane, author)),
    "E_EXISTS",
    "under another id",
  );

  const forged = await goodLane();
  editDocument<Envelope>(forged, ENVELOPE, (document) => {
    document.signatures.push({ keyid: second.keyId, sig: Buffer.alloc(64, 1).toString("base64") });
  });
  t.equal(
    codeOf(() => countersign(laneIn(t.testdir(), forged).lane, second)),
    "E_SIG",
    "under its id, by another",
  );

  const full = await goodLane();
  editDocument<Envelope>(full, ENVELOPE, (document) => {
    const [one] = document.signatures;
    document.signatures = Array.from({ length: 64 }, (_, index) => ({ keyid: `unknown ${index}`, sig: one!.sig }));
  });
  t.equal(
    codeOf(() => countersign(laneIn(t.testdir(), full).lane, second)),
    "E_LIMIT",
    "more than an envelope takes",
  );
});

t.test("what is not the lane that was sealed is not signed", async (t) => {
  const refusals: [code: string, name: string, harm: (files: LaneFiles) => void][] = [
    ["E_DIGEST", "a byte of a file changed", (files) => flip(files, "answers.jsonl")],
    ["E_SIZE", "a file longer", (files) => files.set("answers.jsonl", Buffer.from(`${files.get("answers.jsonl")}\n`))],
    ["E_FILE_MISSING", "a file gone", (files) => files.delete("answers.jsonl")],
    ["E_FILE_EXTRA", "a file more", (files) => files.set("notes.txt", Buffer.from("x"))],
    ["E_MANIFEST_MISSING", "no manifest", (files) => files.delete("manifest.json")],
    ["E_SIGNATURE_MISSING", "no envelope", (files) => files.delete(ENVELOPE)],
    [
      "E_SUBJECT",
      "another manifest",
      (files) =>
        editDocument<Manifest>(files, "manifest.json", (manifest) => {
          manifest.sealed = "2026-01-03T00:00:00.000Z";
        }),
    ],
    [
      "E_PREDICATE",
      "a statement that names another version",
      (files) => {
        const manifest = parsed<Manifest>(files, "manifest.json");
        const statement = statementOf({ ...manifest, lane_version: 9 }, sha256Hex(files.get("manifest.json")!));
        files.set(ENVELOPE, Buffer.from(canonicalJson(signStatement(statement, author))));
      },
    ],
    [
      "E_SCHEMA",
      "a statement about something else",
      (files) => files.set(ENVELOPE, Buffer.from(canonicalJson(signStatement({ _type: "x" }, author)))),
    ],
    [
      "E_BASE64",
      "a payload that two decoders read in two ways",
      (files) =>
        editDocument<Envelope>(files, ENVELOPE, (document) => {
          document.payload += "\n";
        }),
    ],
    [
      "E_JSON_CANON",
      "an envelope in another form",
      (files) => files.set(ENVELOPE, Buffer.from(` ${files.get(ENVELOPE)}`)),
    ],
  ];
  for (const [code, name, harm] of refusals) {
    const files = await goodLane();
    harm(files);
    const { lane } = laneIn(t.testdir(), files);
    t.equal(
      codeOf(() => countersign(lane, second)),
      code,
      name,
    );
    const before = files.get(ENVELOPE);
    if (before) t.same(readFileSync(join(lane, ENVELOPE)), before, `${name}: the envelope is untouched`);
  }
  const { lane } = laneIn(t.testdir(), await goodLane());
  writeFileSync(join(lane, "..", "elsewhere"), "x");
  symlinkSync(join(lane, "..", "elsewhere"), join(lane, "link"));
  t.equal(
    codeOf(() => countersign(lane, second)),
    "E_NOT_REGULAR",
    "a link",
  );
});

function flip(files: LaneFiles, path: string): void {
  const bytes = files.get(path)!;
  bytes[10]! ^= 1;
}
