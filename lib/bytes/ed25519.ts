// Ed25519 as sealane accepts it: a strict admission check, then two independent implementations that must agree.
// Without the check, tweetnacl accepts S >= L (RFC 8032 section 5.1.7 forbids it) and both accept keys and signatures
// whose points are of small order or not canonically encoded, so that one signature could count for many messages.
import { createHash, createPublicKey, verify as nodeVerify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import nacl from "tweetnacl";

const FIELD_PRIME = 2n ** 255n - 19n;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The eight points of order 1, 2, 4 and 8, in their canonical encoding. */
const SMALL_ORDER_POINTS = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]);

/** SPKI prefix of an Ed25519 public key (RFC 8410 section 4); the 32 key bytes follow. */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/** Why 32 bytes are no acceptable point, or undefined: y < p, no negative zero, not of small order. */
function pointProblem(point: Uint8Array): "not canonical" | "of small order" | undefined {
  const signBit = (point[31]! & 0x80) !== 0;
  const y = littleEndian(point) & (2n ** 255n - 1n);
  if (y >= FIELD_PRIME) return "not canonical";
  if (signBit && (y === 1n || y === FIELD_PRIME - 1n)) return "not canonical";
  return SMALL_ORDER_POINTS.has(Buffer.from(point).toString("hex")) ? "of small order" : undefined;
}

/** What publicKeyProblem says of a key of mixed order. */
export const HAS_TORSION = "has a torsion component";

/**
 * Why 32 bytes may not be admitted as a public key, or undefined: canonical, on the curve, and in the prime-order
 * subgroup. Done once, when a key enters a trust file; a key with a torsion component verifies in one implementation
 * and not in another.
 */
export function publicKeyProblem(publicKey: Uint8Array): string | undefined {
  if (publicKey.length !== 32) return `is ${publicKey.length} bytes long, not 32`;
  const problem = pointProblem(publicKey);
  if (problem) return `is ${problem}`;
  try {
    return ed25519.Point.fromBytes(publicKey).isTorsionFree() ? undefined : HAS_TORSION;
  } catch {
    return "is not a point of the curve";
  }
}

/** Answers kept: more than the signatures of one lane, an envelope's 64 and three checkpoints of as many. */
const ANSWERS_MAX = 256;
const answers = new Map<string, SignatureProblem | undefined>();

/** `length`: not 64 bytes; `scalar`: S >= L; `point`: R or the key refused; `false`: not a signature; `backends`: only one of the two says yes. */
export type SignatureProblem = "length" | "scalar" | "point" | "false" | "backends";

/**
 * Checks a pure Ed25519 signature (RFC 8032 section 5.1.7, cofactorless) under the strict rule; undefined when it holds.
 * One question about the same bytes is answered once: the second implementation takes tens of milliseconds, and whoever
 * looks at one lane often has the same signatures before him each time.
 * @param publicKey 32 bytes
 * @param signature 64 bytes
 */
export function signatureProblem(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): SignatureProblem | undefined {
  if (signature.length !== 64 || publicKey.length !== 32) return "length";
  const question = createHash("sha256").update(publicKey).update(signature).update(message).digest("base64");
  if (answers.has(question)) return answers.get(question);
  const answer = answerOf(message, signature, publicKey);
  const [oldest] = answers.keys();
  if (answers.size >= ANSWERS_MAX && oldest !== undefined) answers.delete(oldest);
  answers.set(question, answer);
  return answer;
}

function answerOf(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): SignatureProblem | undefined {
  if (littleEndian(signature.subarray(32)) >= GROUP_ORDER) return "scalar";
  if (pointProblem(signature.subarray(0, 32)) || pointProblem(publicKey)) return "point";
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
  // The fast one first. Its no is a no whatever the other would say; its yes needs the other's.
  if (!nodeVerify(null, message, key, signature)) return "false";
  return nacl.sign.detached.verify(message, signature, publicKey) ? undefined : "backends";
}
