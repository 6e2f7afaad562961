// Cosignatures (c2sp.org/tlog-cosignature): what is signed, by whom, and when.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import t from "tap";
import { MerkleAccumulator } from "../../../lib/bytes/merkle.js";
import { checkpointText, signatureCheckpoint } from "../../../lib/manifest/checkpoint.js";
import { cosignedNote, cosigners } from "../../../lib/manifest/cosignature.js";
import { publicKeyPem } from "../../../lib/manifest/keys.js";
import { parseNote, signNote } from "../../../lib/manifest/note.js";
import { shared } from "../../support/shared.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const TEXT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
const ADA = testKey("ada");
const BOB = testKey("bob");
const NAME = "witness.example.com/w1";
const lineOf = (note: string): string => note.slice(note.lastIndexOf("\n\n") + 2);
const rawOf = (note: string): Buffer => Buffer.from(lineOf(note).trimEnd().split(" ")[2]!, "base64");
const timesOf = (note: string, ...known: readonly (typeof ADA)[]): [string, number][] =>
  [...cosigners(parseNote(Buffer.from(note), "note"), known, "note")].map(([{ keyId }, ms]) => [keyId, ms]);
const ada = cosignedNote(TEXT, NAME, ADA, 1679315147n);

t.test("a cosignature is what the specification says, made out of its words alone", async (t) => {
  const raw = rawOf(ada);
  const key = Buffer.concat([Buffer.from(`${NAME}\n`), Buffer.of(4), ADA.bytes]);
  t.equal(raw.subarray(0, 4).toString("hex"), createHash("sha256").update(key).digest("hex").slice(0, 8));
  t.equal(raw.subarray(4, 12).readBigUInt64BE(), 1679315147n);
  const message = Buffer.from(`cosignature/v1\ntime 1679315147\n${TEXT}`);
  t.ok(verify(null, message, createPublicKey(publicKeyPem(ADA)), raw.subarray(12)));
  t.equal(raw.length, 76);
  t.strictSame(timesOf(ada, ADA, BOB), [[ADA.keyId, 1679315147000]]);
});

const spec = shared("vectors/c2sp-specs/tlog-cosignature.md");

t.test("the specification's example has the form", { skip: spec.skip }, async (t) => {
  const example = /```\n(example\.com\/behind-the-sofa\n[\s\S]*?)```/.exec(readFileSync(spec.path, "utf8"))?.[1] ?? "";
  const note = parseNote(Buffer.from(example), "example");
  t.equal(note.text, TEXT);
  t.equal(note.signatures.length, 2);
  const { name, signature } = note.signatures[1]!;
  t.equal(name, NAME);
  t.equal(signature.length, 72);
  t.equal(Buffer.from(signature).readBigUInt64BE(), 1679315147n, "20 March 2023, the time in the example");
  t.strictSame(timesOf(example, ADA), [], "and it is by nobody that is known here");
});

t.test("a witness counts once", async (t) => {
  const twice = `${ada}${lineOf(cosignedNote(TEXT, "another.example.com", ADA, 1679310000n))}`;
  t.strictSame(timesOf(twice, ADA, BOB), [[ADA.keyId, 1679310000000]], "under two names, by the earlier time");
  const both = `${ada}${lineOf(cosignedNote(TEXT, NAME, BOB, 5n))}`;
  t.strictSame(timesOf(both, ADA, BOB), [
    [ADA.keyId, 1679315147000],
    [BOB.keyId, 5000],
  ]);
  t.strictSame(timesOf(both), [], "nobody is known");
});

t.test("lines that do not hold", async (t) => {
  const raw = rawOf(ada);
  const noted = (bytes: Uint8Array, name = NAME): string =>
    `${TEXT}\n\u2014 ${name} ${Buffer.from(bytes).toString("base64")}\n`;
  const changed = (at: number): Buffer => {
    const bytes = Buffer.from(raw);
    bytes[at]! ^= 1;
    return bytes;
  };
  for (const [why, note, code] of [
    ["as it is", noted(raw), "accepted"],
    ["another time", noted(changed(11)), "E_CHECKPOINT"],
    ["another signature", noted(changed(40)), "E_CHECKPOINT"],
    ["another text", noted(raw).replace("20852163", "20852164"), "E_CHECKPOINT"],
    ["cut off", noted(raw.subarray(0, -1)), "E_CHECKPOINT"],
    ["a byte more", noted(Buffer.concat([raw, Buffer.of(0)])), "E_CHECKPOINT"],
    [
      "a plain signature under the id of a cosignature",
      noted(Buffer.concat([raw.subarray(0, 4), rawOf(signNote(TEXT, NAME, ADA)).subarray(4)])),
      "E_CHECKPOINT",
    ],
    ["a time beyond the year 9999", cosignedNote(TEXT, NAME, ADA, 253402300800n), "E_CHECKPOINT"],
    ["a time beyond 2^63", cosignedNote(TEXT, NAME, ADA, 2n ** 63n), "E_CHECKPOINT"],
    ["the last second of the year 9999", cosignedNote(TEXT, NAME, ADA, 253402300799n), "accepted"],
  ] as const) {
    t.equal(
      codeOf(() => timesOf(note, ADA)),
      code,
      why,
    );
  }
  // Another key id is another key, or the same under another name: nobody that is known.
  t.strictSame(timesOf(noted(changed(0)), ADA), []);
  t.strictSame(timesOf(noted(raw, "another.example.com"), ADA), []);
  t.strictSame(timesOf(signNote(TEXT, NAME, ADA), ADA), [], "a plain signature is no cosignature");
  for (const name of ["", "two words", "a+b"])
    t.equal(
      codeOf(() => cosignedNote(TEXT, name, ADA, 1n)),
      "E_USAGE",
      name,
    );
});

t.test("the checkpoint of a lane's signatures", async (t) => {
  const lane = { lane_id: "ours", lane_version: 3 };
  const [one, two] = [Buffer.alloc(64, 1), Buffer.alloc(64, 2)];
  const leaf = createHash("sha256")
    .update(Buffer.concat([Buffer.of(0), one]))
    .digest();
  t.equal(
    checkpointText(signatureCheckpoint(lane, [one])),
    `sealane.dev/lane/ours/3/signatures\n1\n${leaf.toString("base64")}\n`,
  );
  const tree = new MerkleAccumulator();
  tree.add(one);
  tree.add(two);
  t.strictSame(signatureCheckpoint(lane, [one, two]).root, tree.root());
});
