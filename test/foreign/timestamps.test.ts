// Time stamps as other programs make and read them: openssl's tokens are ours and ours are openssl's, good and tampered; and
// python-opentimestamps reads out of a proof what we read.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RFC3161Timestamp } from "@sigstore/core";
import fc from "fast-check";
import t from "tap";
import { SealaneError } from "../../lib/finding.js";
import { certificateInPem, readCertificate } from "../../lib/time/certificate.js";
import { parseTimestampProof } from "../../lib/time/opentimestamps.js";
import { parseToken } from "../../lib/time/token.js";
import { checkToken, isImprintOf } from "../../lib/time/token-check.js";
import {
  CODE_SIGNING,
  certificate,
  forPurposes,
  forUses,
  type Issued,
  isAuthority,
  pemOf,
  TIME_STAMPING,
  type TokenOptions,
  token,
  world,
} from "../support/authorities.js";
import { tool } from "../support/foreign.js";
import * as ots from "../support/stamps.js";

t.setTimeout(180_000);
const dir = t.testdir();
const file = (name: string): string => join(dir, name);
const openssl = tool("openssl", ["version"], /OpenSSL 3\.[\d.]+/);
const BYTES = Buffer.from("the 64 bytes of a signature");
writeFileSync(file("bytes"), BYTES);
writeFileSync(file("other"), "other bytes");

/** Whether we accept a token over bytes under a trusted certificate. */
function ours(der: Uint8Array, bytes: Uint8Array, trusted: string): boolean {
  try {
    const parsed = parseToken(der, "token");
    checkToken(parsed, [certificateInPem(trusted, "trusted")], "token");
    return isImprintOf(parsed.imprint, bytes);
  } catch (error) {
    if (error instanceof SealaneError) return false;
    throw error;
  }
}
/** Whether openssl does, at the time of the token. */
function theirs(der: Uint8Array, name: string, trusted: string, more: readonly string[] = []): boolean {
  writeFileSync(file("token"), der);
  writeFileSync(file("trusted.pem"), trusted);
  const args = ["ts", "-verify", "-data", name, "-in", "token", "-CAfile", "trusted.pem", ...more];
  return openssl.run(args, { cwd: dir }).ok;
}

const EXTENSIONS = "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n";
const CONFIG = `[tsa]
default_tsa = clock
[clock]
serial = serial
default_policy = 1.2.3.4
digests = sha256, sha384, sha512
accuracy = secs:1, millisecs:500, microsecs:100
ess_cert_id_chain = no
`;

/** A root and an authority under it, made by openssl: NAME.ca.pem, NAME.pem, NAME.key. */
function makeAuthority(name: string, key: readonly string[]): string[] {
  const failed: string[] = [];
  const run = (...args: readonly string[]): void => {
    const { ok, said } = openssl.run(args, { cwd: dir });
    if (!ok) failed.push(`openssl ${args.join(" ")}: ${said}`);
  };
  writeFileSync(file("extensions"), EXTENSIONS);
  writeFileSync(file("config"), CONFIG);
  writeFileSync(file("serial"), "01\n");
  const ca = ["-keyout", `${name}.ca.key`, "-out", `${name}.ca.pem`];
  run("req", "-x509", "-newkey", "rsa:2048", "-nodes", ...ca, "-days", "3000", "-subj", `/O=Tests/CN=${name} root`);
  const request = ["-keyout", `${name}.key`, "-out", `${name}.csr`];
  run("req", "-newkey", ...key, "-nodes", ...request, "-subj", `/O=Tests/CN=${name}`);
  const under = ["-CA", `${name}.ca.pem`, "-CAkey", `${name}.ca.key`, "-CAcreateserial"];
  run("x509", "-req", "-in", `${name}.csr`, ...under, "-days", "3000", "-extfile", "extensions", "-out", `${name}.pem`);
  return failed;
}

/** A response of such an authority, over a digest of the file "bytes". */
function stampedBy(name: string, digest: string, more: readonly string[] = []): Buffer {
  const query = ["-data", "bytes", `-${digest}`, "-cert", "-out", "query"];
  const reply = ["-config", "config", "-section", "clock", "-queryfile", "query", "-out", "reply"];
  const by = ["-signer", `${name}.pem`, "-inkey", `${name}.key`, `-${digest}`];
  for (const args of [
    ["ts", "-query", ...query],
    ["ts", "-reply", ...reply, ...by, ...more],
  ]) {
    const { ok, said } = openssl.run(args, { cwd: dir });
    if (!ok) throw new Error(`openssl ${args.join(" ")}: ${said}`);
  }
  return readFileSync(file("reply"));
}

const KINDS = [
  ["p256", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]],
  ["p384", ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]],
  ["rsa", ["rsa:2048"]],
] as const;

t.test("openssl's tokens", { skip: openssl.skip }, async (t) => {
  t.comment(openssl.version);
  for (const [name, key] of KINDS) {
    t.strictSame(makeAuthority(name, key), []);
    const root = readFileSync(file(`${name}.ca.pem`), "utf8");
    const leaf = readFileSync(file(`${name}.pem`), "utf8");
    for (const digest of ["sha256", "sha384", "sha512"]) {
      const response = stampedBy(name, digest);
      t.ok(theirs(response, "bytes", root), `openssl itself, ${name} ${digest}`);
      t.ok(ours(response, BYTES, root), `${name} ${digest}`);
      t.ok(ours(response, BYTES, leaf), `${name} ${digest}, its own certificate trusted`);
      t.notOk(theirs(response, "other", root));
      t.notOk(ours(response, Buffer.from("other bytes"), root), "over other bytes");
      const parsed = parseToken(response, "token");
      t.equal(parsed.latestMs - parsed.timeMs, 1501, "1.5001 seconds of accuracy, rounded up");
      t.ok(parsed.nonce, "a nonce");
      const bare = stampedBy(name, digest, ["-token_out"]);
      t.ok(ours(bare, BYTES, root), `${name} ${digest}, bare`);
    }
  }
  const [one, two] = ["p256", "rsa"].map((name) => readFileSync(file(`${name}.ca.pem`), "utf8")) as [string, string];
  const response = stampedBy("p256", "sha256");
  t.notOk(theirs(response, "bytes", two));
  t.notOk(ours(response, BYTES, two), "another root");
  // Each byte in turn: whatever openssl refuses, we refuse. (We refuse more: spellings that are no DER.)
  for (let at = 0; at < response.length; at += Math.ceil(response.length / 60)) {
    const changed = Buffer.from(response);
    changed[at]! ^= 0x04;
    const [here, there] = [ours(changed, BYTES, one), theirs(changed, "bytes", one)];
    if (here && !there) t.fail(`byte ${at}: accepted here, refused by openssl`);
  }
});

t.test("@sigstore/core says the same of an ECDSA token", { skip: openssl.skip }, async (t) => {
  makeAuthority("third", KINDS[0][1]);
  const response = stampedBy("third", "sha256");
  const certificate = certificateInPem(readFileSync(file("third.pem"), "latin1"), "pem");
  const theirs = RFC3161Timestamp.parse(Buffer.from(response));
  theirs.verify(BYTES, certificate.x509.publicKey);
  t.equal(theirs.signingTime.getTime(), parseToken(response, "token").timeMs);
  t.throws(() => theirs.verify(Buffer.from("other bytes"), certificate.x509.publicKey));
});

t.test("tokens of the tests' own authorities", { skip: openssl.skip }, async (t) => {
  const { root, authority } = world();
  const at = ["-token_in", "-attime", String(Date.UTC(2026, 1, 1) / 1000)];
  const both = (der: Uint8Array, name: string, trusted: Issued): [boolean, boolean] => [
    ours(der, name === "bytes" ? BYTES : Buffer.from("other bytes"), pemOf(trusted.der)),
    theirs(der, name, pemOf(trusted.der), at),
  ];
  t.strictSame(both(token(authority, BYTES), "bytes", root), [true, true], "a good one");
  t.strictSame(both(token(authority, BYTES, { nonce: 5n, accuracySeconds: 3 }), "bytes", root), [true, true]);
  t.strictSame(both(token(authority, BYTES), "other", root), [false, false], "other bytes");
  t.strictSame(both(token(authority, BYTES), "bytes", world().root), [false, false], "another root");
  const of = (change: Parameters<typeof world>[0], options: TokenOptions = {}): Buffer =>
    token(world({ issuer: root, ...change }).authority, BYTES, options);
  const middle = certificate({ name: "Middle", serial: 2n, issuer: root, extensions: [isAuthority(0), forUses(5)] });
  const end = world({ issuer: middle }).authority;
  t.strictSame(
    both(token(end, BYTES, { certificates: [end.der, middle.der] }), "bytes", root),
    [true, true],
    "a chain",
  );
  t.strictSame(both(token(end, BYTES), "bytes", root), [false, false], "a chain with a gap");
  for (const [why, der] of [
    ["the signature of another key", token(authority, BYTES, { key: world().authority.key })],
    ["bound to another certificate", token(authority, BYTES, { bound: root.der })],
    ["bound to none", token(authority, BYTES, { bound: null })],
    ["another digest", token(authority, BYTES, { digest: Buffer.alloc(32) })],
    ["expired", of({ until: "2026-01-31T23:59:59Z" })],
    ["not yet valid", of({ from: "2026-02-01T00:00:01Z" })],
    ["no purpose", of({ extensions: [forUses(0)] })],
    ["a purpose that is not critical", of({ extensions: [forPurposes(false, TIME_STAMPING)] })],
    ["another purpose", of({ extensions: [forPurposes(true, CODE_SIGNING)] })],
    ["two purposes", of({ extensions: [forPurposes(true, TIME_STAMPING, CODE_SIGNING)] })],
    ["a key that issues certificates", of({ extensions: [forPurposes(true, TIME_STAMPING), forUses(0, 5)] })],
  ] as const) {
    t.strictSame(both(der, "bytes", root), [false, false], why);
  }
  t.equal(readCertificate(root.der).x509.subject, "CN=Root");
});

/** A path of operations to a block or a calendar, or a fork of such. */
const steps: fc.Arbitrary<Buffer> = fc.letrec<{ tree: Buffer; step: Buffer; end: Buffer }>((tie) => ({
  end: fc.oneof(
    // A Merkle root is 32 bytes long.
    fc.nat(2 ** 31).map((height) => ots.path(ots.SHA256, ots.bitcoin(height))),
    fc.webUrl({ validSchemes: ["https"] }).map((url) => ots.pending(url.replace(/[^A-Za-z0-9._/:-]/g, "-"))),
    fc.uint8Array({ maxLength: 40 }).map(ots.unknown),
  ),
  step: fc.oneof(
    fc.constantFrom(ots.SHA256, ots.SHA1, ots.RIPEMD160, ots.REVERSE, ots.HEXLIFY),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map(ots.append),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map(ots.prepend),
  ),
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.array(tie("step"), { maxLength: 5 }), tie("end")).map(([path, end]) => ots.path(...path, end)),
    fc
      .tuple(
        fc.array(tie("step"), { minLength: 1, maxLength: 3 }),
        fc.array(tie("tree"), { minLength: 2, maxLength: 3 }),
      )
      .map(([path, branches]) => ots.path(...path, ots.fork(...branches))),
  ),
})).tree;

const PROGRAM = `
import sys, json
from opentimestamps.core.timestamp import DetachedTimestampFile
from opentimestamps.core.serialize import BytesDeserializationContext
from opentimestamps.core.notary import BitcoinBlockHeaderAttestation, PendingAttestation
for line in sys.stdin:
    try:
        file = DetachedTimestampFile.deserialize(BytesDeserializationContext(bytes.fromhex(line.strip())))
        said = [file.file_digest.hex()]
        for value, attestation in file.timestamp.all_attestations():
            if isinstance(attestation, BitcoinBlockHeaderAttestation): said.append("bitcoin %d %s" % (attestation.height, value.hex()))
            elif isinstance(attestation, PendingAttestation): said.append("pending " + attestation.uri)
            else: said.append("unknown " + attestation.TAG.hex())
        print(json.dumps(sorted(set(said))))
    except Exception as error:
        print(json.dumps(type(error).__name__))
`;
const LIBRARY = ["-c", "import opentimestamps; print('opentimestamps', opentimestamps.__version__)"];
// Debian's package is for Debian's own python.
const python = tool("/usr/bin/python3", LIBRARY, /opentimestamps [\d.]+/);

function readHere(bytes: Uint8Array): string[] | undefined {
  try {
    const { digest, attestations } = parseTimestampProof(bytes, "proof");
    const said = attestations.map((found) =>
      found.kind === "bitcoin"
        ? `bitcoin ${found.height} ${found.root.toString("hex")}`
        : found.kind === "pending"
          ? `pending ${found.uri}`
          : `unknown ${found.tag}`,
    );
    return [...new Set([digest.toString("hex"), ...said])].sort();
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

t.test("python-opentimestamps reads the same", { skip: python.skip }, async (t) => {
  t.comment(python.version);
  const proofs = fc.sample(steps, { numRuns: 300, seed: 7 }).map((tree) => ots.proofOf(BYTES, tree));
  const tampered = proofs.map((proof, index) => {
    const bytes = Buffer.from(proof);
    bytes[31 + ((index * 37) % (bytes.length - 31))]! ^= 1 << (index % 8);
    return bytes;
  });
  const all = [...proofs, ...tampered];
  const input = all.map((bytes) => `${bytes.toString("hex")}\n`).join("");
  const { ok, said } = python.run(["-c", PROGRAM], { input });
  t.ok(ok, said.slice(-400));
  const answers = said
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as string[] | string);
  t.equal(answers.length, all.length);
  let same = 0;
  for (const [index, answer] of answers.entries()) {
    const here = readHere(all[index]!);
    if (here === undefined) {
      // We refuse some that it reads: a Merkle root that is not 32 bytes long, an operation for another chain, SHA-1 of a file.
      if (index < proofs.length) t.fail(`proof ${index} is refused: ${all[index]!.toString("hex")}`);
      continue;
    }
    // Of two continuations that begin with the same operation it keeps one.
    if (typeof answer === "string") t.fail(`proof ${index} is refused there: ${answer}`);
    else if (answer.some((said) => !here.includes(said))) t.fail(`proof ${index}: ${here.join(", ")}`);
    else if (answer.length === here.length) same += 1;
  }
  t.ok(same > proofs.length, `${same} read wholly the same`);
});
