import { createHash, createPublicKey, verify as nodeVerify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import t from "tap";
import nacl from "tweetnacl";
import { publicKeyProblem, signatureProblem } from "../../../lib/bytes/ed25519.js";
import { RFC_8032_VECTORS } from "./rfc8032.js";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGN_BIT = 2n ** 255n;

const hex = (text: string) => Buffer.from(text, "hex");
const naclAccepts = (message: Buffer, signature: Buffer, publicKey: Buffer) =>
  nacl.sign.detached.verify(message, signature, publicKey);

function littleEndian(value: bigint): Buffer {
  return hex(value.toString(16).padStart(64, "0")).reverse();
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

const rfc = (name: string) => {
  const { secretKey, publicKey, message, signature } = RFC_8032_VECTORS.find((vector) => vector.name === name)!;
  return {
    secretKey: hex(secretKey),
    publicKey: hex(publicKey),
    message: hex(message),
    signature: hex(signature),
  };
};

t.test("RFC 8032 section 7.1", async (t) => {
  t.equal(RFC_8032_VECTORS.length, 5);
  for (const { name } of RFC_8032_VECTORS) {
    const { secretKey, publicKey, message, signature } = rfc(name);
    t.ok(Buffer.from(ed25519.getPublicKey(secretKey)).equals(publicKey), `${name}: written down right`);
    t.equal(publicKeyProblem(publicKey), undefined, `${name}: key`);
    t.equal(signatureProblem(message, signature, publicKey), undefined, `${name}: signature`);
    t.equal(signatureProblem(Buffer.concat([message, Buffer.alloc(1)]), signature, publicKey), "false", name);
  }
});

t.test("lengths", async (t) => {
  const { publicKey, message, signature } = rfc("TEST 2");
  for (const length of [0, 1, 32, 63, 65, 128]) {
    const resized = Buffer.concat([signature, signature]).subarray(0, length);
    t.equal(signatureProblem(message, resized, publicKey), "length", `signature of ${length} bytes`);
  }
  for (const length of [0, 1, 31, 33, 64]) {
    const resized = Buffer.concat([publicKey, publicKey]).subarray(0, length);
    t.equal(signatureProblem(message, signature, resized), "length", `key of ${length} bytes`);
    t.type(publicKeyProblem(resized), "string", `admission of ${length} bytes`);
  }
});

t.test("a changed bit", async (t) => {
  const { publicKey, message, signature } = rfc("TEST 3");
  for (let bit = 0; bit < 512; bit += 17) {
    const problem = signatureProblem(message, flipped(signature, bit), publicKey);
    t.ok(problem === "false" || problem === "scalar", `bit ${bit} of the signature: ${problem}`);
  }
  for (let bit = 0; bit < 16; bit += 3) {
    t.equal(signatureProblem(flipped(message, bit), signature, publicKey), "false", `bit ${bit} of the message`);
  }
  for (let bit = 0; bit < 256; bit += 17) {
    t.equal(signatureProblem(message, signature, flipped(publicKey, bit)), "false", `bit ${bit} of the key`);
  }
});

t.test("S of another class", async (t) => {
  const { publicKey, message, signature } = rfc("TEST 2");
  const r = signature.subarray(0, 32);
  const s = fromLittleEndian(signature.subarray(32));
  for (const multiple of [1n, 2n, 4n, 8n, 14n]) {
    const forged = Buffer.concat([r, littleEndian(s + multiple * L)]);
    t.equal(signatureProblem(message, forged, publicKey), "scalar", `S + ${multiple} L`);
  }
  const forged = Buffer.concat([r, littleEndian(s + L)]);
  t.ok(naclAccepts(message, forged, publicKey), "which tweetnacl alone accepts");
  t.equal(signatureProblem(message, Buffer.concat([r, littleEndian(L)]), publicKey), "scalar", "S = L");
  t.equal(signatureProblem(message, Buffer.concat([r, littleEndian(L - 1n)]), publicKey), "false", "S = L - 1");
  t.equal(signatureProblem(message, Buffer.concat([r, Buffer.alloc(32, 0xff)]), publicKey), "scalar", "S = 2^256 - 1");
});

/** A point of order 8; its multiples are all points whose order divides 8. */
const TORSION = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
const SMALL_ORDER = Array.from({ length: 8 }, (_, k) =>
  Array.from({ length: k }).reduce<typeof TORSION>((sum) => sum.add(TORSION), ed25519.Point.ZERO),
);

t.test("points of small order", async (t) => {
  const { message, signature, publicKey } = rfc("TEST 2");
  t.equal(new Set(SMALL_ORDER.map((point) => point.toHex())).size, 8, "eight of them");
  t.ok(SMALL_ORDER[7]!.add(TORSION).is0(), "and no ninth");
  // y and y + p are the same coordinate, and so are both signs of x = 0.
  const canonical = SMALL_ORDER.map((point) => Buffer.from(point.toBytes()));
  const others = [P, P | SIGN_BIT, P + 1n, (P + 1n) | SIGN_BIT, 1n | SIGN_BIT, (P - 1n) | SIGN_BIT].map(littleEndian);
  for (const point of [...canonical, ...others]) {
    const name = point.toString("hex");
    t.type(publicKeyProblem(point), "string", `${name} as a key, at admission`);
    t.equal(signatureProblem(message, signature, point), "point", `${name} as a key`);
    const withR = Buffer.concat([point, signature.subarray(32)]);
    t.equal(signatureProblem(message, withR, publicKey), "point", `${name} as R`);
  }
  const everything = Buffer.concat([canonical[0]!, Buffer.alloc(32)]);
  t.equal(signatureProblem(message, everything, canonical[0]!), "point", "a signature for every message");
  t.ok(naclAccepts(message, everything, canonical[0]!), "which tweetnacl alone accepts");
});

t.test("encodings that are not canonical", async (t) => {
  const { message, signature, publicKey } = rfc("TEST 2");
  for (let y = P; y < SIGN_BIT; y += 1n) {
    for (const point of [littleEndian(y), littleEndian(y | SIGN_BIT)]) {
      const name = point.toString("hex");
      t.type(publicKeyProblem(point), "string", name);
      t.equal(signatureProblem(message, signature, point), "point", `${name} as a key`);
      const withR = Buffer.concat([point, signature.subarray(32)]);
      t.equal(signatureProblem(message, withR, publicKey), "point", `${name} as R`);
    }
  }
});

t.test("32 bytes that are no point", async (t) => {
  const { message, signature } = rfc("TEST 2");
  const offCurve = littleEndian(2n);
  t.throws(() => ed25519.Point.fromBytes(offCurve));
  t.type(publicKeyProblem(offCurve), "string");
  t.equal(signatureProblem(message, signature, offCurve), "false", "refused, not thrown");
});

t.test("keys of mixed order", async (t) => {
  const { secretKey, publicKey } = rfc("TEST 1");
  const { scalar, point } = ed25519.utils.getExtendedPublicKey(secretKey);
  t.equal(publicKeyProblem(publicKey), undefined, "the honest key");
  for (const torsion of SMALL_ORDER.slice(1)) {
    const mixed = point.add(torsion);
    t.notOk(mixed.isTorsionFree());
    t.type(publicKeyProblem(mixed.toBytes()), "string", `plus ${torsion.toHex()}`);
  }
  // Why: whether such a key's signature holds depends on the message, and on the implementation.
  const mixed = Buffer.from(point.add(SMALL_ORDER[4]!).toBytes());
  const found = { strict: 0, cofactored: 0, node: 0 };
  for (let index = 0; index < 12; index += 1) {
    const message = Buffer.from(`message ${index}`);
    const r = BigInt(index + 1);
    const encodedR = Buffer.from(ed25519.Point.BASE.multiply(r).toBytes());
    const hash = createHash("sha512").update(encodedR).update(mixed).update(message).digest();
    const signature = Buffer.concat([encodedR, littleEndian((r + fromLittleEndian(hash) * scalar) % L)]);
    const problem = signatureProblem(message, signature, mixed);
    if (problem === undefined) found.strict += 1;
    else t.equal(problem, "false");
    if (ed25519.verify(signature, message, mixed)) found.cofactored += 1;
    const der = Buffer.concat([hex("302a300506032b6570032100"), mixed]);
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    if (nodeVerify(null, message, key, signature)) found.node += 1;
  }
  t.equal(found.cofactored, 12, "@noble/curves accepts each");
  t.ok(found.strict > 0 && found.strict < 12, "the cofactorless equation does not");
  t.equal(found.node, found.strict);
});
