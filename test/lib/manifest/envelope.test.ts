import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { signatureProblem } from "../../../lib/bytes/ed25519.js";
import { canonicalJson, parseCanonicalJson } from "../../../lib/bytes/json.js";
import {
  openEnvelope,
  PAYLOAD_TYPE,
  preAuthEncoding,
  signStatement,
  statementOf,
} from "../../../lib/manifest/envelope.js";
import { type Envelope, isDocument, type Manifest } from "../../../schemas/index.js";
import { shared } from "../../support/shared.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

// The example of the DSSE protocol, version 1.0.2.
const EXAMPLE_TYPE = "http://example.com/HelloWorld";
const EXAMPLE_BODY = Buffer.from("hello world");
const EXAMPLE_ENCODING = "DSSEv1 29 http://example.com/HelloWorld 11 hello world";

t.test("pre-authentication encoding: the example of the protocol", async (t) => {
  const encoding = preAuthEncoding(EXAMPLE_TYPE, EXAMPLE_BODY);
  t.equal(encoding.toString(), EXAMPLE_ENCODING);
  const coordinate = (decimal: bigint) =>
    Buffer.from(decimal.toString(16).padStart(64, "0"), "hex").toString("base64url");
  const key = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: coordinate(46950820868899156662930047687818585632848591499744589407958293238635476079160n),
      y: coordinate(5640078356564379163099075877009565129882514886557779369047442380624545832820n),
    },
  });
  const signature = "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==";
  const holds = verify("sha256", encoding, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64"));
  t.ok(holds, "the protocol's own signature is over these bytes");
});

const protocol = shared("vectors/dsse/protocol.md");

t.test("pre-authentication encoding: as the protocol prints it", { skip: protocol.skip }, async (t) => {
  const lines = readFileSync(protocol.path, "utf8").split("\n");
  t.same(
    lines.filter((line) => line.startsWith("DSSEv1 ")),
    [EXAMPLE_ENCODING],
  );
});

t.test("pre-authentication encoding: lengths count bytes", async (t) => {
  const payload = Buffer.from('{"é":"😀"}');
  t.equal(payload.length, 13);
  t.equal(preAuthEncoding("é", payload).toString(), 'DSSEv1 2 é 13 {"é":"😀"}');
  t.equal(preAuthEncoding("x/😀", payload).toString(), 'DSSEv1 6 x/😀 13 {"é":"😀"}');
  t.equal(preAuthEncoding("", Buffer.alloc(0)).toString(), "DSSEv1 0  0 ");
  const bytes = Buffer.from([0, 0xff, 0x0a, 0x20]);
  t.same(preAuthEncoding("t", bytes), Buffer.concat([Buffer.from("DSSEv1 1 t 4 "), bytes]), "bytes stay bytes");
  t.notSame(preAuthEncoding("a 1", Buffer.from("b")), preAuthEncoding("a", Buffer.from("1 b")), "no two are alike");
});

const MANIFEST = { lane_id: "example.lane", lane_version: 3 } as Manifest;
const MANIFEST_SHA256 = sha256Hex("a manifest");
const STATEMENT = statementOf(MANIFEST, MANIFEST_SHA256);

t.test("statement", async (t) => {
  t.equal(
    canonicalJson(STATEMENT),
    '{"_type":"https://in-toto.io/Statement/v1","predicate":{"lane_id":"example.lane","lane_version":3},' +
      '"predicateType":"https://sealane.dev/lane-manifest/v1","subject":[{"digest":{"sha256":"' +
      `${MANIFEST_SHA256}"},"name":"manifest.json"}]}`,
  );
  t.ok(isDocument("statement", STATEMENT));
});

t.test("a signed statement comes back", async (t) => {
  const key = testKey("author");
  const envelope = signStatement(STATEMENT, key);
  t.ok(isDocument("envelope", envelope));
  t.equal(envelope.payloadType, "application/vnd.in-toto+json");
  t.same(
    envelope.signatures.map(({ keyid }) => keyid),
    [key.keyId],
  );
  const { payload, signatures } = openEnvelope(envelope, "manifest.dsse.json");
  t.equal(payload.toString(), canonicalJson(STATEMENT), "the payload is canonical");
  t.same(parseCanonicalJson(payload, "payload"), STATEMENT);
  t.equal(signatures.length, 1);
  const encoding = preAuthEncoding(envelope.payloadType, payload);
  t.equal(signatureProblem(encoding, signatures[0]!, key.bytes), undefined);
  t.same(signStatement(STATEMENT, key), envelope, "the same statement and key give the same envelope");

  for (let at = 0; at < payload.length; at += 13) {
    const changed = Buffer.from(payload);
    changed[at]! ^= 1;
    const problem = signatureProblem(preAuthEncoding(PAYLOAD_TYPE, changed), signatures[0]!, key.bytes);
    t.equal(problem, "false", `byte ${at} changed`);
  }
  for (const [name, bytes] of [
    ["the payload alone", payload],
    ["another payload type", preAuthEncoding("application/json", payload)],
    ["a line feed more", preAuthEncoding(PAYLOAD_TYPE, Buffer.concat([payload, Buffer.from("\n")]))],
  ] as const) {
    t.equal(signatureProblem(bytes, signatures[0]!, key.bytes), "false", name);
  }
  t.equal(signatureProblem(encoding, signatures[0]!, testKey("other").bytes), "false", "another key");
});

t.test("several signatures", async (t) => {
  const keys = ["one", "two", "three"].map(testKey);
  const envelopes = keys.map((key) => signStatement(STATEMENT, key));
  const joint: Envelope = { ...envelopes[0]!, signatures: envelopes.flatMap(({ signatures }) => signatures) };
  const { payload, signatures } = openEnvelope(joint, "manifest.dsse.json");
  const encoding = preAuthEncoding(joint.payloadType, payload);
  t.same(
    keys.map((key, index) => signatureProblem(encoding, signatures[index]!, key.bytes)),
    [undefined, undefined, undefined],
    "in their order",
  );
});

t.test("base64 is strict", async (t) => {
  const envelope = signStatement(STATEMENT, testKey("author"));
  const [{ keyid, sig }] = envelope.signatures as [Envelope["signatures"][0]];
  const open = (payload: string, ...sigs: string[]) =>
    openEnvelope({ ...envelope, payload, signatures: sigs.map((text) => ({ keyid, sig: text })) }, "e");
  const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");

  t.same(open(envelope.payload, urlSafe(sig)), openEnvelope(envelope, "e"), "the URL-safe alphabet is read too");
  const bytes = Buffer.from("fbffbf", "hex");
  t.same(open("-_-_", "+/+/"), { payload: bytes, signatures: [bytes] });
  t.same(open("", ""), { payload: Buffer.alloc(0), signatures: [Buffer.alloc(0)] });

  for (const [name, change] of [
    ["a line feed at the end", (text: string) => `${text}\n`],
    ["lines of 64", (text: string) => text.replace(/(.{64})/g, "$1\n")],
    ["a space before", (text: string) => ` ${text}`],
    ["something after", (text: string) => `${text}!!`],
    ["padding lost", (text: string) => text.slice(0, -1)],
    ["padding too much", (text: string) => `${text}=`],
    ["a bit below the last byte", (text: string) => text.replace(/.(=+)$/, "B$1")],
    ["both alphabets", (text: string) => `-+-+${text}`],
    ["a foreign character", (text: string) => `é${text.slice(1)}`],
  ] as const) {
    const payload = Buffer.alloc(64).toString("base64");
    t.throws(() => open(change(payload), sig), { code: "E_BASE64", at: "e#/payload" }, `${name}, payload`);
    t.throws(
      () => open(payload, sig, change(sig)),
      { code: "E_BASE64", at: "e#/signatures/1/sig" },
      `${name}, signature`,
    );
  }
  t.equal(
    codeOf(() => open(`${"A".repeat(19_999_999)}!`, sig)),
    "E_BASE64",
    "20 megabytes are refused like anything else",
  );
});
