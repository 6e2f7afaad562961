// Ed25519 keys as files: PKCS#8 and SPKI PEM, which openssl, cosign and node read and write too.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign as nodeSign } from "node:crypto";
import { sha256Hex } from "../bytes/digest.js";
import { publicKeyProblem } from "../bytes/ed25519.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";

/** A public key: its 32 bytes and its TUF-style key id. */
export interface PublicKey {
  readonly bytes: Uint8Array;
  readonly keyId: string;
}

export interface SigningKey extends PublicKey {
  /** Pure Ed25519 over the message: 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** SHA-256 of the canonical key object, as TUF and securesystemslib compute it (TUF 1.0 section 4.2.1). A hint, never an authority. */
export function keyIdOf(publicKey: Uint8Array): string {
  const object = { keytype: "ed25519", keyval: { public: Buffer.from(publicKey).toString("hex") }, scheme: "ed25519" };
  return sha256Hex(canonicalJson(object));
}

/** Admits 32 bytes as a public key; throws E_KEY_WEAK when signatures under it would prove nothing. */
export function admitPublicKey(bytes: Uint8Array, at: string): PublicKey {
  const problem = publicKeyProblem(bytes);
  if (problem) throw new SealaneError("E_KEY_WEAK", `${at}: the public key ${problem}`, { at });
  return { bytes, keyId: keyIdOf(bytes) };
}

/** The last 32 bytes of an Ed25519 SPKI document are the key (RFC 8410 section 4). */
function rawPublicKey(key: KeyObject): Uint8Array {
  return key.export({ format: "der", type: "spki" }).subarray(-32);
}

function refuseOtherKinds(key: KeyObject, at: string): void {
  if (key.asymmetricKeyType !== "ed25519") {
    const found = key.asymmetricKeyType ?? "an unknown kind";
    throw new SealaneError("E_KEY", `${at} holds no Ed25519 key`, { at, expected: "ed25519", found });
  }
}

function notAKey(at: string, cause: unknown): SealaneError {
  return new SealaneError("E_KEY", `${at} is not a PEM key file`, { at, cause });
}

/** Reads a PKCS#8 PEM private key. Throws E_KEY, E_KEY_WEAK. */
export function readSigningKey(pem: string, at: string): SigningKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw notAKey(at, cause);
  }
  refuseOtherKinds(key, at);
  return {
    ...admitPublicKey(rawPublicKey(createPublicKey(key)), at),
    sign: (message) => nodeSign(null, message, key),
  };
}

/** Reads the public key of an SPKI or PKCS#8 PEM file. Throws E_KEY, E_KEY_WEAK. */
export function readPublicKey(pem: string, at: string): PublicKey {
  let key: KeyObject;
  try {
    // Node would also take the key out of a certificate, whose other statements nobody here checks.
    if (!/-----BEGIN (?:PUBLIC|PRIVATE) KEY-----/.test(pem)) throw new Error("no key in PEM form");
    key = createPublicKey(pem);
  } catch (cause) {
    throw notAKey(at, cause);
  }
  refuseOtherKinds(key, at);
  return admitPublicKey(rawPublicKey(key), at);
}

/** A fresh key pair as PEM texts, from the system's random source. */
export function newKeyPair(): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privatePem: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
    publicPem: publicKey.export({ format: "pem", type: "spki" }) as string,
  };
}
