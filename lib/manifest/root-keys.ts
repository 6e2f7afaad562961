// Keys as they stand in TUF root metadata (TUF 1.0.31 section 4.2): Ed25519, which is what sealane writes, and ECDSA over
// P-256, so that chains of other projects are walked by the same code. The kind is the key's own word, never a signature's.
import { createPublicKey, type KeyObject, verify as nodeVerify } from "node:crypto";
import { signatureProblem } from "../bytes/ed25519.js";
import { admitPublicKey } from "./keys.js";

export interface RootKey {
  /** The key itself in one spelling, so that one key under two ids is one key. */
  readonly identity: string;
  /** Undefined for a key of a kind, or in a form, that this release cannot use. */
  readonly verifies: ((message: Uint8Array, signature: Uint8Array) => boolean) | undefined;
}

/** SPKI prefix of an uncompressed P-256 point (RFC 5480 section 2); the 65 bytes of the point follow. */
const P256_PREFIX = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

/** Two names that TUF tools gave to one kind; some of them wrote the point in hexadecimal, not as PEM. */
const ECDSA_KINDS = new Set(["ecdsa", "ecdsa-sha2-nistp256"]);

function p256Key(text: string): KeyObject | undefined {
  try {
    const key = /^04[0-9a-f]{128}$/.test(text)
      ? createPublicKey({ key: Buffer.from(P256_PREFIX + text, "hex"), format: "der", type: "spki" })
      : text.startsWith("-----BEGIN PUBLIC KEY-----")
        ? createPublicKey(text)
        : undefined;
    return key?.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** A key object of root metadata. Throws E_KEY_WEAK for an Ed25519 key under which signatures prove nothing. */
export function rootKey(object: { keytype: string; scheme: string; public: string }, at: string): RootKey {
  const { keytype, scheme, public: text } = object;
  if (keytype === "ed25519" && scheme === "ed25519" && /^[0-9a-f]{64}$/.test(text)) {
    const { bytes } = admitPublicKey(Buffer.from(text, "hex"), at);
    return {
      identity: `ed25519 ${text}`,
      verifies: (message, signature) => signatureProblem(message, signature, bytes) === undefined,
    };
  }
  const key = ECDSA_KINDS.has(keytype) && scheme === "ecdsa-sha2-nistp256" ? p256Key(text) : undefined;
  if (key === undefined) return { identity: `${keytype} ${scheme} ${text}`, verifies: undefined };
  // By coordinates, because one point has more than one encoding.
  const { x, y } = key.export({ format: "jwk" });
  return {
    identity: `p256 ${x} ${y}`,
    verifies: (message, signature) => nodeVerify("sha256", message, key, signature),
  };
}
