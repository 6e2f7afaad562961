import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { signatureProblem } from "../../../lib/bytes/ed25519.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { EXPORTS, type ExportInputs, exportLane } from "../../../lib/export/index.js";
import { SealaneError } from "../../../lib/finding.js";
import { FolderSource } from "../../../lib/io/folder-source.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { openEnvelope, preAuthEncoding } from "../../../lib/manifest/envelope.js";
import type { Envelope, Manifest, Report } from "../../../schemas/index.js";
import { codesOf, editDocument, goodLane, type LaneFiles, parsed, verifyFiles } from "../../support/lane.js";
import { testKey, testKeyPem } from "../../support/test-key.js";

const TIME = "2026-01-02T15:04:05Z";
const KEY = { pem: testKeyPem("verifier"), at: "verifier.pem" };
const verifier = testKey("verifier");

const reportOf = (report: Report): ExportInputs["report"] => ({
  bytes: Buffer.from(`${canonicalJson(report)}\n`),
  at: "report.json",
});

/** Inputs that every export takes what it needs of. */
async function inputsFor(id: string, files: LaneFiles): Promise<ExportInputs> {
  const { needs } = EXPORTS.find((format) => format.id === id)!;
  const all = { key: KEY, report: reportOf(verifyFiles(files)), time: TIME };
  return Object.fromEntries(Object.entries(all).filter(([name]) => needs.includes(name as keyof ExportInputs)));
}

async function codeOfExport(files: LaneFiles, format: string, inputs: ExportInputs, out: string): Promise<string> {
  try {
    await exportLane(new MemorySource(files), { format, inputs, name: "ours", out });
    return "accepted";
  } catch (error) {
    if (error instanceof SealaneError) return error.code;
    throw error;
  }
}

function filesBelow(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(path.length + 1), sha256Hex(readFileSync(file))];
    }),
  );
}

/** The statement in an envelope that one key signed. */
function statementIn(path: string): { predicateType: string; subject: unknown; predicate: Record<string, unknown> } {
  const envelope = JSON.parse(readFileSync(path, "utf8")) as Envelope;
  const { payload, signatures } = openEnvelope(envelope, path);
  const problem = signatureProblem(preAuthEncoding(envelope.payloadType, payload), signatures[0]!, verifier.bytes);
  if (problem !== undefined || signatures.length !== 1) throw new Error(`not signed by the verifier alone: ${problem}`);
  return JSON.parse(payload.toString("utf8")) as ReturnType<typeof statementIn>;
}

t.test("the list", async (t) => {
  const ids = EXPORTS.map(({ id }) => id);
  t.strictSame(ids, ["sha256sum", "bagit", "ro-crate", "oms", "sigstore-bundle", "signatures", "vsa", "svr"]);
  for (const { id, needs, takes } of EXPORTS) {
    t.notOk(
      needs.some((name) => takes.includes(name)),
      `${id} either needs an input or takes it`,
    );
  }
  t.equal(await codeOfExport(await goodLane(), "tar", {}, join(t.testdir(), "out")), "E_UNKNOWN");
});

t.test("each is made from a folder and from memory alike, never over anything", async (t) => {
  for (const { id } of EXPORTS) {
    const files = await goodLane();
    const inputs = await inputsFor(id, files);
    const dir = t.testdir();
    const out = join(dir, "out");
    const written = await exportLane(new MemorySource(files), { format: id, inputs, name: "ours", out });
    t.ok(written.length > 0, id);
    for (const path of written) t.ok(existsSync(join(out, path)), `${id}: ${path}`);
    const again = join(dir, "again");
    t.equal(await codeOfExport(files, id, inputs, again), "accepted");
    const [one, two] = ["out", "again"].map((name) =>
      written[0] === "" ? readFileSync(join(dir, name), "utf8") : filesBelow(join(dir, name)),
    );
    t.strictSame(two, one, `${id}: the same inputs give the same bytes`);
    t.equal(await codeOfExport(files, id, inputs, out), "E_EXISTS", `${id}: over itself`);
    t.strictSame(readdirSync(dir).sort(), ["again", "out"], `${id}: nothing is left beside it`);
  }
});

t.test("inputs that are missing, idle or unfit", async (t) => {
  const files = await goodLane();
  const out = join(t.testdir(), "out");
  const report = reportOf(verifyFiles(files));
  const vsa: ExportInputs = { key: KEY, report, time: TIME };
  for (const [format, inputs, name] of [
    ["oms", {}, "no key"],
    ["vsa", { key: KEY, time: TIME }, "no report"],
    ["vsa", { report, time: TIME }, "no key"],
    ["svr", { key: KEY, report }, "no time"],
    ["sha256sum", { key: KEY }, "a key that signs nothing"],
    ["sha256sum", { time: TIME }, "a time that stands nowhere"],
    ["bagit", { report }, "a report that stands nowhere"],
    ["svr", { ...vsa, resource: "https://example.com/x" }, "a resource that stands nowhere"],
    ["vsa", { ...vsa, verifier: "me" }, "no URI"],
    ["vsa", { ...vsa, resource: "https://example.com/a b" }, "a URI with a space"],
    ["vsa", { ...vsa, verifier: "https://example.com/é" }, "a URI beyond ASCII"],
  ] as const) {
    t.equal(await codeOfExport(files, format, inputs, out), "E_USAGE", `${format}: ${name}`);
  }
  for (const [time, code] of [
    ["2026-01-02", "E_USAGE"],
    ["2026-01-02T15:04:05", "E_USAGE"],
    ["2026-01-02T15:04:05+01:00", "E_USAGE"],
    ["2026-02-29T00:00:00Z", "E_USAGE"],
    ["2026-04-31T00:00:00Z", "E_USAGE"],
    ["2026-13-01T00:00:00Z", "E_USAGE"],
    ["2026-00-10T00:00:00Z", "E_USAGE"],
    ["1900-02-29T00:00:00Z", "E_USAGE"],
    ["2026-01-02T24:00:00Z", "E_USAGE"],
    ["2026-01-02T23:59:60Z", "E_USAGE"],
    ["now", "E_USAGE"],
    ["2000-02-29T00:00:00.123Z", "accepted"],
    ["2028-02-29T23:59:59Z", "accepted"],
  ] as const) {
    t.equal(await codeOfExport(files, "bagit", { time }, join(t.testdir(), "out")), code, time);
  }
});

t.test("what is not the lane that was sealed is not exported", async (t) => {
  for (const { id } of EXPORTS) {
    const good = await goodLane();
    const inputs = await inputsFor(id, good);
    for (const [code, harm] of [
      ["E_FILE_MISSING", (files: LaneFiles) => files.delete("answers.jsonl")],
      ["E_FILE_EXTRA", (files: LaneFiles) => files.set("notes.txt", Buffer.from("x"))],
      [
        "E_SUBJECT",
        (files: LaneFiles) =>
          editDocument<Manifest>(files, "manifest.json", (manifest) => {
            manifest.arm = "full";
          }),
      ],
    ] as const) {
      const files = await goodLane();
      harm(files);
      const out = join(t.testdir(), "out");
      t.equal(await codeOfExport(files, id, inputs, out), code, `${id}: ${code}`);
      t.notOk(existsSync(out), `${id}: nothing is left`);
    }
  }
  for (const id of ["sha256sum", "bagit", "ro-crate", "oms"]) {
    const files = await goodLane();
    files.get("answers.jsonl")![10]! ^= 1;
    const out = join(t.testdir(), "out");
    t.equal(await codeOfExport(files, id, await inputsFor(id, await goodLane()), out), "E_DIGEST", id);
    t.notOk(existsSync(out), `${id}: nothing is left`);
  }
});

t.test("the lane in a bag or a crate is the lane", async (t) => {
  const files = await goodLane();
  for (const [id, folder] of [
    ["bagit", "data"],
    ["ro-crate", "lane"],
  ] as const) {
    const out = join(t.testdir(), "out");
    await exportLane(new MemorySource(files), { format: id, inputs: {}, name: "ours", out });
    const copied = new Map(
      new FolderSource(join(out, folder)).entries().map(({ path }) => [path, readFileSync(join(out, folder, path))]),
    );
    t.strictSame(codesOf(verifyFiles(copied)), [], id);
    t.equal(copied.size, files.size);
  }
});

interface Entity {
  "@id": string;
  "@type": string;
  [name: string]: unknown;
}

t.test("ro-crate: every rule of 1.2 for an attached package that a lane meets", async (t) => {
  const files = await goodLane();
  const out = join(t.testdir(), "out");
  await exportLane(new MemorySource(files), { format: "ro-crate", inputs: {}, name: "ours", out });
  const crate = JSON.parse(readFileSync(join(out, "ro-crate-metadata.json"), "utf8")) as {
    "@context": string;
    "@graph": Entity[];
  };
  t.equal(crate["@context"], "https://w3id.org/ro/crate/1.2/context");
  const byId = new Map(crate["@graph"].map((entity) => [entity["@id"], entity]));
  t.equal(byId.size, crate["@graph"].length, "flat, each entity once");
  const descriptor = byId.get("ro-crate-metadata.json")!;
  t.match(descriptor, { "@type": "CreativeWork", about: { "@id": "./" } });
  t.strictSame(descriptor.conformsTo, { "@id": "https://w3id.org/ro/crate/1.2" });
  const manifest = parsed<Manifest>(files, "manifest.json");
  const root = byId.get("./")!;
  t.match(root, {
    "@type": "Dataset",
    name: /harbour-test/,
    description: /36 questions/,
    datePublished: manifest.sealed,
  });
  const licence = byId.get((root.license as { "@id": string })["@id"])!;
  t.equal(licence.name, manifest.dataset.licence);
  t.equal(licence.description, manifest.licence_notes.join(" "));
  for (const [id, { "@type": type, ...entity }] of byId) {
    for (const value of Object.values(entity).flat()) {
      const target = (value as { "@id"?: string } | null)?.["@id"];
      if (target !== undefined && !target.startsWith("https:")) t.ok(byId.has(target), `${id} refers to ${target}`);
    }
    if (type !== "File") continue;
    const bytes = readFileSync(join(out, id));
    t.equal(entity.sha256, sha256Hex(bytes), id);
    t.equal(entity.contentSize, String(bytes.length), id);
    t.not(entity.encodingFormat, "application/octet-stream", `${id} is of a known kind`);
  }
  const parts = (byId.get("lane/")!.hasPart as { "@id": string }[]).map((part) => part["@id"]);
  t.strictSame(parts.sort(), [...files.keys()].map((path) => `lane/${path}`).sort(), "every file is a part");

  const dated = join(t.testdir(), "out");
  await exportLane(new MemorySource(files), { format: "ro-crate", inputs: { time: TIME }, name: "ours", out: dated });
  t.match(readFileSync(join(dated, "ro-crate-metadata.json"), "utf8"), `"datePublished": "${TIME}"`);
});

t.test("sigstore-bundle: ids that are not ours", async (t) => {
  for (const [code, edit] of [
    ["E_KEYTYPE", (envelope: Envelope) => (envelope.signatures[0]!.keyid = "../../outside")],
    ["E_KEYTYPE", (envelope: Envelope) => (envelope.signatures[0]!.keyid = "")],
    ["E_DUPLICATE", (envelope: Envelope) => envelope.signatures.push(envelope.signatures[0]!)],
  ] as const) {
    const files = await goodLane();
    editDocument<Envelope>(files, "manifest.dsse.json", (envelope) => void edit(envelope));
    t.equal(await codeOfExport(files, "sigstore-bundle", {}, join(t.testdir(), "out")), code);
  }
});

t.test("vsa and svr of a lane that was verified", async (t) => {
  const files = await goodLane();
  const report = verifyFiles(files);
  t.equal(report.exit_code, 0);
  const given = reportOf(report)!;
  const trust = { bytes: Buffer.from("a trust file"), at: "trust.json" };
  const inputs: ExportInputs = { key: KEY, report: given, time: TIME };
  const dir = t.testdir();
  const make = async (format: string, name: string, more: ExportInputs = {}) => {
    const out = join(dir, name);
    await exportLane(new MemorySource(files), { format, inputs: { ...inputs, ...more }, name: "ours", out });
    return statementIn(out);
  };
  const subject = [{ name: "manifest.json", digest: { sha256: sha256Hex(files.get("manifest.json")!) } }];
  const reference = {
    digest: { sha256: sha256Hex(given.bytes) },
    exit_code: 0,
    integrity: "verified",
    policy: "met",
  };
  const vsa = await make("vsa", "vsa");
  t.strictSame(vsa, {
    _type: "https://in-toto.io/Statement/v1",
    subject,
    predicateType: "https://slsa.dev/verification_summary/v1",
    predicate: {
      verifier: {
        id: `https://sealane.dev/verifier/${report.tool.version}`,
        version: { sealane: report.tool.version },
      },
      timeVerified: TIME,
      resourceUri: "https://sealane.dev/lane/harbour-test/1",
      policy: { uri: "https://sealane.dev/policy/reference-verification/v1" },
      verificationResult: "PASSED",
      verifiedLevels: ["SEALANE_INTEGRITY_VERIFIED", "SEALANE_POLICY_MET"],
      "https://sealane.dev/report/v1": reference,
    },
  });
  const mine = await make("vsa", "mine", {
    verifier: "https://example.com/me",
    resource: "https://example.com/l",
    trust,
  });
  t.match(mine.predicate, {
    verifier: { id: "https://example.com/me" },
    resourceUri: "https://example.com/l",
    policy: { annotations: { trust_sha256: sha256Hex("a trust file") } },
  });
  const { predicateType, predicate } = await make("svr", "svr", { trust });
  t.equal(predicateType, "https://in-toto.io/attestation/svr/v0.2");
  t.match(predicate, {
    verifier: { policies: [{ annotations: { trust_sha256: sha256Hex("a trust file") } }] },
    timeCreated: TIME,
    "https://sealane.dev/report/v1": reference,
  });
  const properties = predicate.properties as string[];
  for (const name of ["INTEGRITY_VERIFIED", "POLICY_MET", "CHECK_SIGNATURES_PASSED", "CHECK_GRADES_PASSED"]) {
    t.ok(properties.includes(`SEALANE_${name}`), name);
  }
  t.notOk(properties.includes("SEALANE_CHECK_DATASET_PASSED"), "what was not run is not claimed");
});

t.test("vsa and svr of a lane that does not hold", async (t) => {
  const files = await goodLane();
  const harmed = new Map(files);
  harmed.set("answers.jsonl", Buffer.from("{}\n"));
  const report = verifyFiles(harmed);
  t.equal(report.exit_code, 1);
  const dir = t.testdir();
  const inputs: ExportInputs = { key: KEY, report: reportOf(report), time: TIME };
  for (const format of ["vsa", "svr"]) {
    await exportLane(new MemorySource(files), { format, inputs, name: "ours", out: join(dir, format) });
  }
  const { predicate: vsa } = statementIn(join(dir, "vsa"));
  t.match(vsa, { verificationResult: "FAILED", verifiedLevels: ["FAILED"] });
  t.match(vsa["https://sealane.dev/report/v1"], { exit_code: 1, integrity: "failed" });
  const properties = statementIn(join(dir, "svr")).predicate.properties as string[];
  t.notOk(properties.includes("SEALANE_INTEGRITY_VERIFIED"));
  t.notOk(properties.includes("SEALANE_CHECK_FILES_PASSED"));
});

t.test("reports that are not on this lane", async (t) => {
  const files = await goodLane();
  const report = verifyFiles(files);
  const out = join(t.testdir(), "out");
  const withReport = (bytes: string): ExportInputs => ({
    key: KEY,
    time: TIME,
    report: { bytes: Buffer.from(bytes), at: "r" },
  });
  for (const [code, bytes, name] of [
    ["E_SUBJECT", canonicalJson({ ...report, lane: null }), "of nothing that could be read"],
    [
      "E_SUBJECT",
      canonicalJson({ ...report, lane: { ...report.lane, manifest_sha256: "0".repeat(64) } }),
      "of another lane",
    ],
    ["E_SCHEMA", canonicalJson({ ...report, mode: "a look" }), "of another shape"],
    ["E_VERSION", canonicalJson({ ...report, schema: "sealane-report/2" }), "of another version"],
    ["E_JSON", "PASSED", "in words"],
  ] as const) {
    for (const format of ["vsa", "svr"]) {
      t.equal(await codeOfExport(files, format, withReport(bytes), out), code, `${format}: ${name}`);
    }
  }
});

t.test("keys for model signatures", async (t) => {
  const files = await goodLane();
  const { generateKeyPairSync } = await import("node:crypto");
  for (const [code, options] of [
    ["accepted", ["ec", { namedCurve: "P-256" }]],
    ["E_KEYTYPE", ["ec", { namedCurve: "secp256k1" }]],
    ["E_KEYTYPE", ["ed448", undefined]],
    ["E_KEYTYPE", ["rsa", { modulusLength: 2048 }]],
  ] as const) {
    const [kind, more] = options;
    const { privateKey } = generateKeyPairSync(kind as "ec", more as { namedCurve: string });
    const key = { pem: privateKey.export({ format: "pem", type: "pkcs8" }) as string, at: "model.pem" };
    t.equal(await codeOfExport(files, "oms", { key }, join(t.testdir(), "out")), code, JSON.stringify(options));
  }
  t.equal(await codeOfExport(files, "oms", { key: { pem: "x", at: "x" } }, join(t.testdir(), "out")), "E_KEY");
});
