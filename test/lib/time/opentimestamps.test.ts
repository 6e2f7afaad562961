// OpenTimestamps proofs: row J10 of the threat list.
import { createHash } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { SealaneError } from "../../../lib/finding.js";
import { parseBitcoinHeader } from "../../../lib/time/bitcoin-header.js";
import { isTimestampProof, parseTimestampProof } from "../../../lib/time/opentimestamps.js";
import * as ots from "../../support/stamps.js";
import { codeOf } from "../bytes/codes.js";

const FILE = Buffer.from("a file");
const hash = (algorithm: string, ...bytes: readonly Uint8Array[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(bytes)).digest();
const DIGEST = hash("sha256", FILE);
const read = (bytes: Uint8Array) => parseTimestampProof(bytes, "proof");
const judged = (...steps: readonly Uint8Array[]): string => codeOf(() => read(ots.proofOf(FILE, ...steps)));
const SALT = Buffer.from("0123456789abcdef", "hex");

t.test("operations lead to what is attested", async (t) => {
  const proof = ots.proofOf(
    FILE,
    ots.append(SALT),
    ots.SHA256,
    ots.fork(
      ots.pending("https://calendar.example"),
      ots.path(ots.SHA1, ots.prepend(SALT), ots.RIPEMD160, ots.REVERSE, ots.HEXLIFY, ots.SHA256, ots.bitcoin(358391)),
      ots.unknown(SALT),
    ),
  );
  const salted = hash("sha256", DIGEST, SALT);
  const ripe = hash("ripemd160", SALT, hash("sha1", salted)).reverse();
  t.strictSame(read(proof), {
    digest: DIGEST,
    attestations: [
      { kind: "pending", uri: "https://calendar.example" },
      { kind: "bitcoin", height: 358391, root: hash("sha256", Buffer.from(ripe.toString("hex"))) },
      { kind: "unknown", tag: "0102030405060708" },
    ],
  });
  t.ok(isTimestampProof(proof));
  t.notOk(isTimestampProof(proof.subarray(0, 30)));
  t.notOk(isTimestampProof(proof.subarray(1)));
});

t.test("an attestation of the digest itself", async (t) => {
  t.strictSame(read(ots.proofOf(FILE, ots.bitcoin(0))).attestations, [{ kind: "bitcoin", height: 0, root: DIGEST }]);
});

t.test("proofs that are none", async (t) => {
  const good = ots.proofOf(FILE, ots.append(SALT), ots.SHA256, ots.bitcoin(700_000));
  const cut = (end: number): string => codeOf(() => read(good.subarray(0, end)));
  for (let end = 0; end < good.length; end += 1) if (cut(end) !== "E_OTS") t.fail(`cut at ${end}: ${cut(end)}`);
  t.equal(cut(good.length), "accepted");
  const version = Buffer.from(good);
  version[31] = 2;
  t.equal(
    codeOf(() => read(version)),
    "E_VERSION",
    "version 2",
  );
  const other = Buffer.from(good);
  other[32] = 0x02;
  t.equal(
    codeOf(() => read(other)),
    "E_OTS",
    "over a SHA-1",
  );
  t.equal(judged(ots.bitcoin(1), Buffer.of(0)), "E_OTS", "bytes after its end");
  t.equal(judged(Buffer.of(0x67), ots.bitcoin(1)), "E_VERSION", "an operation that is not known");
  t.equal(judged(ots.append(Buffer.alloc(0)), ots.bitcoin(1)), "E_OTS", "an empty argument");
  t.equal(judged(ots.append(SALT), ots.bitcoin(1)), "E_OTS", "a Merkle root of 40 bytes");
  t.equal(judged(ots.pending("https://calendar.example/\u001b[2J")), "E_OTS", "a calendar's address with an escape");
  t.equal(judged(ots.pending("")), "E_OTS", "no address");
  const trailing = Buffer.concat([Buffer.of(0), Buffer.from("0588960d73d71901", "hex"), ots.block(Buffer.of(1, 2))]);
  t.equal(judged(trailing), "E_OTS", "bytes after a height");
});

t.test("bombs", async (t) => {
  const many = (count: number, step: Uint8Array): Buffer => Buffer.concat(Array(count).fill(step));
  t.equal(judged(many(256, ots.SHA256), ots.bitcoin(1)), "accepted", "256 operations deep");
  t.equal(judged(many(257, ots.SHA256), ots.bitcoin(1)), "E_LIMIT", "257 operations deep");
  t.equal(judged(many(200_000, ots.SHA256), ots.bitcoin(1)), "E_LIMIT", "deeper than any stack");
  const doubled = [ots.HEXLIFY, ots.HEXLIFY, ots.HEXLIFY, ots.HEXLIFY, ots.HEXLIFY, ots.HEXLIFY, ots.HEXLIFY];
  t.equal(judged(...doubled, ots.SHA256, ots.bitcoin(1)), "accepted", "4096 bytes");
  t.equal(judged(...doubled, ots.HEXLIFY, ots.SHA256, ots.bitcoin(1)), "E_LIMIT", "8192 bytes");
  t.equal(judged(ots.append(Buffer.alloc(4096)), ots.SHA256, ots.bitcoin(1)), "E_LIMIT", "4128 bytes");
  t.equal(judged(ots.append(Buffer.alloc(4097)), ots.SHA256, ots.bitcoin(1)), "E_LIMIT", "a long argument");
  t.equal(judged(ots.fork(...Array(256).fill(ots.bitcoin(1)))), "accepted", "256 attestations");
  t.equal(judged(ots.fork(...Array(257).fill(ots.bitcoin(1)))), "E_LIMIT", "257 attestations");
  const branch = ots.path(many(200, ots.SHA256), ots.bitcoin(1));
  t.equal(judged(ots.fork(...Array(50).fill(branch))), "accepted", "10,000 operations");
  t.equal(judged(ots.fork(...Array(51).fill(branch))), "E_LIMIT", "10,200 operations");
  t.equal(judged(ots.unknown(Buffer.alloc(8193))), "E_LIMIT", "a long attestation");
  t.equal(judged(ots.pending("a".repeat(1001))), "E_LIMIT", "a long address");
  t.equal(judged(ots.bitcoin(2 ** 32)), "E_LIMIT", "a height beyond any block");
  t.equal(judged(Buffer.of(0xf0, ...Array(4000).fill(0x80))), "E_LIMIT", "a number without end");
});

t.test("whatever stands there, it is a proof or it is refused", async () => {
  const step = fc.oneof(
    fc.constantFrom(ots.SHA256, ots.SHA1, ots.REVERSE, ots.HEXLIFY, Buffer.of(0xff), ots.bitcoin(5), ots.pending("a")),
    fc.uint8Array({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      try {
        return read(ots.proofOf(FILE, ...steps)).attestations.length > 0;
      } catch (error) {
        return error instanceof SealaneError && ["E_OTS", "E_LIMIT", "E_VERSION"].includes(error.code);
      }
    }),
    { numRuns: 2000 },
  );
});

/** The first block of Bitcoin's chain: what everyone who runs a node knows. */
const GENESIS =
  "01000000" +
  "00".repeat(32) +
  "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a" +
  "29ab5f49ffff001d1dac2b7c";

t.test("block headers", async (t) => {
  t.match(parseBitcoinHeader(`0:${GENESIS}`), {
    height: 0,
    hash: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
    timeMs: Date.UTC(2009, 0, 3, 18, 15, 5),
  });
  const { merkleRoot } = parseBitcoinHeader(`0:${GENESIS}`);
  t.equal(Buffer.from(merkleRoot).toString("hex"), GENESIS.slice(72, 136));
  for (const [why, text] of [
    ["no height", GENESIS],
    ["a digit short", `0:${GENESIS.slice(1)}`],
    ["a digit more", `0:${GENESIS}0`],
    ["one bit of the root changed", `0:${GENESIS.replace("3ba3", "3ba2")}`],
    ["one bit of the nonce changed", `0:${GENESIS.slice(0, -1)}d`],
    ["no work named", `0:${`${GENESIS.slice(0, 144)}00000000${GENESIS.slice(152)}`}`],
    ["a name for a height", `x:${GENESIS}`],
  ] as const) {
    t.equal(
      codeOf(() => parseBitcoinHeader(text)),
      "E_USAGE",
      why,
    );
  }
});
