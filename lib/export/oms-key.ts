import { createPublicKey, sign as nodeSign } from "node:crypto";
import { sha256Hex } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import { type KeyFile, readPrivateKey, readSigningKey } from "../manifest/keys.js";

/** Curves of the OMS algorithm registry, with the digests that its signatures take. */
const DIGESTS: Readonly<Record<string, string>> = { prime256v1: "sha256", secp384r1: "sha384", secp521r1: "sha512" };

export interface OmsKey {
  /** SHA-256 of the public key's PEM text, as the reference implementation (model_signing 1.1) computes and checks it. */
  readonly hint: string;
  sign(message: Uint8Array): Uint8Array;
}

/**
 * A key that signs models: Ed25519 as everywhere in sealane, or an elliptic curve of the OMS registry, which are the only
 * ones that the reference implementation verifies. Throws E_KEY, E_KEY_WEAK, E_PASSPHRASE, E_KEYTYPE for any other.
 */
export function readOmsKey(file: KeyFile): OmsKey {
  const key = readPrivateKey(file);
  const hint = sha256Hex(createPublicKey(key).export({ format: "pem", type: "spki" }) as string);
  if (key.asymmetricKeyType === "ed25519") {
    const { sign } = readSigningKey(file.pem, file.at, file.passphrase);
    return { hint, sign };
  }
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const digest = curve !== undefined && Object.hasOwn(DIGESTS, curve) ? DIGESTS[curve] : undefined;
  if (digest === undefined) {
    throw new SealaneError("E_KEYTYPE", `${file.at} is of a kind that model signing does not take`, {
      at: file.at,
      expected: "P-256, P-384, P-521 or Ed25519",
      found: curve ?? key.asymmetricKeyType ?? "an unknown kind",
      next: "Make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out model.pem",
    });
  }
  // ECDSA in DER, as Sigstore's algorithm registry has it; its nonce is the library's.
  return { hint, sign: (message) => nodeSign(digest, message, key) };
}
