// Row J09 of the threat list, and every other way in which a token may be none: each is refused, and for its own reason.
import { generateKeyPairSync } from "node:crypto";
import t from "tap";
import { type Certificate, certificateInPem, readCertificate } from "../../../lib/time/certificate.js";
import { isRequest, parseRequest, parseToken } from "../../../lib/time/token.js";
import { answers, checkToken, isImprintOf } from "../../../lib/time/token-check.js";
import {
  CODE_SIGNING,
  certificate,
  forPurposes,
  forUses,
  type Issued,
  isAuthority,
  pemOf,
  request,
  TIME_STAMPING,
  token,
  world,
} from "../../support/authorities.js";
import { sequence } from "../../support/der-writer.js";
import { codeOf } from "../bytes/codes.js";

const BYTES = Buffer.from("sixty-four bytes of a signature");
const { root, authority } = world();
const read = ({ der }: Issued): Certificate => readCertificate(der);

/** The code that a token is refused for under trusted certificates, or "accepted". */
const judged = (der: Uint8Array, ...trusted: readonly Issued[]): string =>
  codeOf(() => checkToken(parseToken(der, "token"), trusted.map(read), "token"));

t.test("a good token", async (t) => {
  const der = token(authority, BYTES, { time: "2026-02-01T12:34:56.789Z", accuracySeconds: 2, nonce: 2n ** 63n + 5n });
  const parsed = parseToken(der, "token");
  t.equal(parsed.timeMs, Date.UTC(2026, 1, 1, 12, 34, 56, 789));
  t.equal(parsed.latestMs, parsed.timeMs + 2000, "the latest moment that it admits");
  t.equal(parsed.nonce?.toString("hex"), "008000000000000005");
  t.ok(isImprintOf(parsed.imprint, BYTES));
  t.notOk(isImprintOf(parsed.imprint, Buffer.from("other bytes")));
  t.equal(checkToken(parsed, [read(root)], "token").sha256, read(authority).sha256);
  t.equal(judged(der, authority), "accepted", "its own certificate may be the trusted one");
  t.equal(judged(token(authority, BYTES, { certificates: [] }), authority), "accepted", "and need not come with it");
  t.equal(judged(token(authority, BYTES, { status: 0 }), root), "accepted", "in a response");
  t.equal(judged(token(authority, BYTES, { status: 1 }), root), "accepted", "in a response with modifications");
  t.equal(judged(token(authority, BYTES, { certificates: [root.der, authority.der] }), root), "accepted");
});

t.test("RSA signs too", async (t) => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  t.equal(judged(token(world({ key: rsa }).authority, BYTES), root), "E_TSA", "of another root");
  const mine = world({ key: rsa, issuer: root });
  t.equal(judged(token(mine.authority, BYTES), root), "accepted");
  const weak = world({ key: generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey, issuer: root });
  t.equal(judged(token(weak.authority, BYTES), root), "E_TSA", "1024 bits prove nothing");
});

t.test("a chain of more than one", async (t) => {
  const middle = certificate({ name: "Middle", serial: 2n, issuer: root, extensions: [isAuthority(0), forUses(5)] });
  const end = world({ issuer: middle }).authority;
  t.equal(judged(token(end, BYTES, { certificates: [end.der, middle.der] }), root), "accepted");
  t.equal(judged(token(end, BYTES, { certificates: [middle.der, end.der] }), root), "accepted", "in any order");
  t.equal(judged(token(end, BYTES), root), "E_TSA", "the middle is missing");
  t.equal(judged(token(end, BYTES), middle), "accepted", "the middle may be the trusted one");
  for (const [why, extensions, more] of [
    ["no authority", [forUses(5)], {}],
    ["not for certificates", [isAuthority(), forUses(0)], {}],
    ["expired", [isAuthority(), forUses(5)], { until: "2026-01-31T23:59:59Z" }],
    ["not yet valid", [isAuthority(), forUses(5)], { from: "2026-02-01T00:00:01Z" }],
    ["of unknown constraints", [isAuthority(), ["2.5.29.30", true, sequence()] as const], {}],
  ] as const) {
    const bad = certificate({ name: "Middle", serial: 2n, issuer: root, extensions, ...more });
    const under = world({ issuer: bad }).authority;
    t.equal(judged(token(under, BYTES, { certificates: [under.der, bad.der] }), root), "E_TSA", `a middle ${why}`);
  }
  const short = certificate({ name: "Short", serial: 3n, issuer: root, extensions: [isAuthority(0)] });
  const below = certificate({ name: "Below", serial: 4n, issuer: short, extensions: [isAuthority()] });
  const last = world({ issuer: below }).authority;
  const certificates = [last.der, below.der, short.der];
  t.equal(judged(token(last, BYTES, { certificates }), root), "E_TSA", "a path longer than its authority allows");
  t.equal(judged(token(last, BYTES, { certificates }), below), "accepted");
  t.equal(
    judged(token(end, BYTES, { certificates: Array(17).fill(end.der) }), middle),
    "E_TSA",
    "a heap of certificates",
  );
});

t.test("tokens that prove nothing", async (t) => {
  const other = world();
  // The forger's own authority under the right names and number.
  const forged = world({ issuer: other.root }).authority;
  const good = token(authority, BYTES);
  const flipped = Buffer.from(good);
  flipped[flipped.length - 1]! ^= 1;
  const of = (change: Parameters<typeof world>[0]): Buffer =>
    token(world({ issuer: root, ...change }).authority, BYTES);
  const both = [authority.der, forged.der];
  const unknown = ["1.2.3", true, sequence()] as const;
  for (const [why, der] of [
    ["an authority that nobody trusts", token(other.authority, BYTES)],
    ["a root that comes along", token(other.authority, BYTES, { certificates: [other.authority.der, other.root.der] })],
    ["a signature changed", flipped],
    ["a forged certificate before the right one", token(authority, BYTES, { certificates: both.toReversed() })],
    ["a forged certificate after the right one", token(authority, BYTES, { certificates: both })],
    ["the forger's signature, the right certificate first", token(forged, BYTES, { certificates: both })],
    ["the forger's signature under the right certificate", token(authority, BYTES, { key: forged.key })],
    ["the forger's signature, bound to the right certificate", token(forged, BYTES, { bound: authority.der })],
    ["a signature bound to another certificate", token(authority, BYTES, { bound: root.der })],
    ["a signature bound to none", token(authority, BYTES, { bound: null })],
    ["another content's digest", token(authority, BYTES, { digest: Buffer.alloc(32) })],
    ["another content's type", token(authority, BYTES, { contentType: "1.2.840.113549.1.7.1" })],
    ["no signer", token(authority, BYTES, { signerInfos: () => [] })],
    ["two signers", token(authority, BYTES, { signerInfos: (info) => [info, info] })],
    ["a refusal", token(authority, BYTES, { status: 2 })],
    ["a certificate expired at the token's time", of({ until: "2026-01-31T23:59:59Z" })],
    ["a certificate not yet valid at the token's time", of({ from: "2026-02-01T00:00:01Z" })],
    ["a certificate without a purpose", of({ extensions: [forUses(0)] })],
    ["a certificate whose purpose is not critical", of({ extensions: [forPurposes(false, TIME_STAMPING)] })],
    ["a certificate of another purpose", of({ extensions: [forPurposes(true, CODE_SIGNING)] })],
    ["a certificate of two purposes", of({ extensions: [forPurposes(true, TIME_STAMPING, CODE_SIGNING)] })],
    ["a certificate whose key issues", of({ extensions: [forPurposes(true, TIME_STAMPING), forUses(0, 5)] })],
    ["a critical extension not known", of({ extensions: [forPurposes(true, TIME_STAMPING), unknown] })],
    ["bytes after its end", Buffer.concat([good, Buffer.of(0)])],
  ] as const) {
    t.equal(judged(der, root), "E_TSA", why);
  }
  t.equal(judged(good), "E_TSA", "nobody is trusted");
  t.equal(judged(good, root), "accepted", "and the good one is good");
  const lasting = world({ until: "9999-12-31T23:59:59Z" }).authority;
  const last = (accuracySeconds: number) => token(lasting, BYTES, { time: "9999-12-31T23:59:59Z", accuracySeconds });
  t.equal(judged(last(0), lasting), "accepted", "the last second of the year 9999");
  t.equal(judged(last(1), lasting), "E_TSA", "a second later");
  const until = "2026-01-01T00:00:00Z";
  const expired = certificate({ name: "Root", serial: 1n, key: root.key, until, extensions: [isAuthority()] });
  t.equal(judged(good, expired), "E_TSA", "a trusted root that had expired");
});

t.test("no bit can change", async (t) => {
  const good = token(authority, BYTES, { accuracySeconds: 1, nonce: 77n });
  t.equal(judged(good, root), "accepted");
  for (let bit = 0; bit < good.length * 8; bit += 3) {
    const changed = Buffer.from(good);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const code = judged(changed, root);
    if (!["E_TSA", "E_KEYTYPE"].includes(code)) t.fail(`bit ${bit}: ${code}`);
  }
});

t.test("what is cut off is refused", async (t) => {
  const good = token(authority, BYTES);
  for (let end = 0; end < good.length; end += 7) {
    t.equal(
      codeOf(() => parseToken(good.subarray(0, end), "token")),
      "E_TSA",
      `${end} bytes`,
    );
  }
});

t.test("requests", async (t) => {
  const asked = parseRequest(request(BYTES, 5n), "request");
  const answer = (nonce: bigint | undefined, bytes = BYTES) =>
    parseToken(token(authority, bytes, nonce === undefined ? {} : { nonce }), "token");
  t.ok(answers(answer(5n), asked));
  t.notOk(answers(answer(6n), asked), "another nonce");
  t.notOk(answers(answer(undefined), asked), "no nonce");
  t.notOk(answers(answer(5n, Buffer.from("x")), asked), "other bytes");
  t.notOk(answers(answer(5n), parseRequest(request(BYTES), "request")), "a nonce that was not asked for");
  t.ok(answers(answer(undefined), parseRequest(request(BYTES), "request")));
  t.ok(isRequest(request(BYTES)));
  t.notOk(isRequest(token(authority, BYTES)));
  t.notOk(isRequest(token(authority, BYTES, { status: 0 })));
  t.notOk(isRequest(Buffer.from("0")));
});

t.test("certificates in PEM files", async (t) => {
  t.equal(certificateInPem(pemOf(root.der), "pem").sha256, read(root).sha256);
  for (const [why, text] of [
    ["none", ""],
    ["two", pemOf(root.der) + pemOf(authority.der)],
    ["cut off", pemOf(root.der.subarray(0, -1))],
    ["bytes after it", pemOf(Buffer.concat([root.der, Buffer.of(0)]))],
    ["a private key", root.key.export({ format: "pem", type: "pkcs8" }) as string],
  ] as const) {
    t.equal(
      codeOf(() => certificateInPem(text, "pem")),
      "E_KEY",
      why,
    );
  }
});
