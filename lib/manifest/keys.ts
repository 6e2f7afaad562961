// Ed25519 keys as files: PKCS#8 and SPKI PEM, which openssl, cosign and node read and write too; a private key may be
// encrypted under a passphrase.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as nodeSign,
  randomBytes,
} from "node:crypto";
import { sha256Hex } from "../bytes/digest.js";
import { HAS_TORSION, publicKeyProblem } from "../bytes/ed25519.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import {
  encryptPrivateKey,
  IV_BYTES,
  isEncryptedPem,
  isWholeFrame,
  PASSPHRASE_BYTES_MAX,
  SALT_BYTES,
} from "./encrypted-key.js";

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

/** Admits 32 bytes as a public key; throws E_KEY_WEAK or E_KEY_TORSION when signatures under it would prove nothing. */
export function admitPublicKey(bytes: Uint8Array, at: string): PublicKey {
  const problem = publicKeyProblem(bytes);
  const code = problem === HAS_TORSION ? "E_KEY_TORSION" : "E_KEY_WEAK";
  if (problem) throw new SealaneError(code, `${at}: the public key ${problem}`, { at });
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

/** A key file as it was read: its text, where it stood, and its passphrase when it has one. */
export interface KeyFile {
  readonly pem: string;
  readonly at: string;
  /** UTF-8 bytes. */
  readonly passphrase?: Uint8Array | undefined;
}

/** The private key in a PKCS#8 PEM file, of whatever kind. Throws E_KEY, and E_PASSPHRASE for an encrypted one that does not open. */
export function readPrivateKey({ pem, at, passphrase }: KeyFile): KeyObject {
  const encrypted = isEncryptedPem(pem);
  if (encrypted && (passphrase === undefined || passphrase.length === 0)) {
    throw new SealaneError("E_PASSPHRASE", `${at} is encrypted, and no passphrase was given`, { at });
  }
  if (encrypted && passphrase !== undefined) refuseUnusable(passphrase, at);
  try {
    return createPrivateKey({ key: pem, ...(encrypted ? { passphrase: Buffer.from(passphrase!) } : {}) });
  } catch (cause) {
    // Nothing in the file tells a wrong passphrase from damage to what it encrypts.
    if (encrypted && isWholeFrame(pem)) {
      throw new SealaneError("E_PASSPHRASE", `${at} does not open with this passphrase`, { at, cause });
    }
    throw notAKey(at, cause);
  }
}

/** Reads a private key that signs. Throws E_KEY, E_KEY_WEAK, E_PASSPHRASE. */
export function readSigningKey(pem: string, at: string, passphrase?: Uint8Array): SigningKey {
  const key = readPrivateKey({ pem, at, passphrase });
  refuseOtherKinds(key, at);
  return {
    ...admitPublicKey(rawPublicKey(createPublicKey(key)), at),
    sign: (message) => nodeSign(null, message, key),
  };
}

/** Reads the public key of an SPKI or PKCS#8 PEM file. Throws E_KEY, E_KEY_WEAK, and E_PASSPHRASE for an encrypted one. */
export function readPublicKey(pem: string, at: string, passphrase?: Uint8Array): PublicKey {
  if (isEncryptedPem(pem)) return readSigningKey(pem, at, passphrase);
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

/** Throws E_PASSPHRASE for a passphrase that protects nothing, or that other tools would cut. */
function refuseUnusable(passphrase: Uint8Array, at: string): void {
  if (passphrase.length === 0 || passphrase.length > PASSPHRASE_BYTES_MAX) {
    throw new SealaneError("E_PASSPHRASE", `a passphrase is 1 to ${PASSPHRASE_BYTES_MAX} bytes long`, {
      at,
      found: `${passphrase.length} bytes`,
    });
  }
}

/** SPKI prefix of an Ed25519 public key (RFC 8410 section 4); the 32 key bytes follow. */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** A public key as SPKI PEM. */
export function publicKeyPem({ bytes }: Pick<PublicKey, "bytes">): string {
  const spki = Buffer.concat([SPKI_PREFIX, bytes]).toString("base64");
  return `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
}

/** A fresh key pair as PEM texts, from the system's random source; the private one encrypted when there is a passphrase. Throws E_PASSPHRASE. */
export function newKeyPair(passphrase?: Uint8Array): { privatePem: string; publicPem: string } {
  if (passphrase !== undefined) refuseUnusable(passphrase, "the new key");
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  return {
    privatePem:
      passphrase === undefined
        ? (privateKey.export({ format: "pem", type: "pkcs8" }) as string)
        : encryptPrivateKey(pkcs8, passphrase, { salt: randomBytes(SALT_BYTES), iv: randomBytes(IV_BYTES) }),
    publicPem: publicKey.export({ format: "pem", type: "spki" }) as string,
  };
}
