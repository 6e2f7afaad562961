// The digests and signatures of time-stamp tokens, by their object identifiers.
import { DerError, type DerValue, Fields, members, oidOf, TAG } from "./der.js";

export type HashName = "sha256" | "sha384" | "sha512";

export const HASHES: Readonly<Record<string, HashName>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

/** How a signature is checked; RSA's own identifier leaves the hash to the digest algorithm (RFC 3370 section 3.2). */
export const SIGNATURES: Readonly<Record<string, readonly [key: "rsa" | "ec", hash: HashName | undefined]>> = {
  "1.2.840.113549.1.1.1": ["rsa", undefined],
  "1.2.840.113549.1.1.11": ["rsa", "sha256"],
  "1.2.840.113549.1.1.12": ["rsa", "sha384"],
  "1.2.840.113549.1.1.13": ["rsa", "sha512"],
  "1.2.840.10045.4.3.2": ["ec", "sha256"],
  "1.2.840.10045.4.3.3": ["ec", "sha384"],
  "1.2.840.10045.4.3.4": ["ec", "sha512"],
};

/**
 * The algorithm of an AlgorithmIdentifier whose parameters are absent or NULL, as those of every digest and signature here are (RFC
 * 5754 sections 2 and 3). No signature is over most of them, so what they can say is fixed.
 */
export function algorithmOf(identifier: DerValue | undefined): string {
  const fields = new Fields(members(identifier));
  const oid = oidOf(fields.any());
  const parameters = fields.maybe(TAG.null);
  fields.end();
  if (parameters !== undefined && parameters.content.length > 0) throw new DerError("a NULL is not empty");
  return oid;
}
