// Keys for tests alone: made from a word, so that anyone can make them again and nobody can mistake them for secrets.
import { createPrivateKey } from "node:crypto";
import { sha256 } from "../../lib/bytes/digest.js";
import { readSigningKey, type SigningKey } from "../../lib/manifest/keys.js";

/** PKCS#8 prefix of an Ed25519 private key (RFC 8410 section 7); the 32 seed bytes follow. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export function testKeyPem(word: string): string {
  const der = Buffer.concat([PKCS8_PREFIX, sha256(`sealane test key ${word}`)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({
    format: "pem",
    type: "pkcs8",
  }) as string;
}

export function testKey(word: string): SigningKey {
  return readSigningKey(testKeyPem(word), word);
}
