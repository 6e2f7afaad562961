// Keys and signatures in the forms of OpenBSD's signify and of minisign, which share one layout: a comment line that
// nobody signs, and base64(algorithm || key number || key or signature).
// Sources: signify(1) and signify.c of OpenBSD; https://jedisct1.github.io/minisign/, "Signature format".
import { createHash } from "node:crypto";
import type { PublicKey, SigningKey } from "./keys.js";

/** Pure Ed25519 over the file. */
const ED25519 = "Ed";
/** minisign's own: Ed25519 over the file's BLAKE2b-512. */
const ED25519_PREHASHED = "ED";
const KEY_NUMBER_BYTES = 8;

/** The tools draw it by lot; it only tells which key to try, so ours is the beginning of the key id. */
function keyNumber({ keyId }: PublicKey): Buffer {
  return Buffer.from(keyId, "hex").subarray(0, KEY_NUMBER_BYTES);
}

function blob(algorithm: string, key: PublicKey, body: Uint8Array): string {
  return Buffer.concat([Buffer.from(algorithm), keyNumber(key), body]).toString("base64");
}

/** The key number as minisign prints it: a little-endian integer. */
function printedNumber(key: PublicKey): string {
  return keyNumber(key).reverse().toString("hex").toUpperCase();
}

export function signifyPublicKey(key: PublicKey, name: string): string {
  return `untrusted comment: ${name} public key\n${blob(ED25519, key, key.bytes)}\n`;
}

export function minisignPublicKey(key: PublicKey): string {
  return `untrusted comment: minisign public key ${printedNumber(key)}\n${blob(ED25519, key, key.bytes)}\n`;
}

/** What `signify -V` takes: one signature over the message itself. */
export function signifySignature(message: Uint8Array, key: SigningKey): string {
  return `untrusted comment: signature from sealane key ${key.keyId}\n${blob(ED25519, key, key.sign(message))}\n`;
}

/** What `minisign -V` takes: a signature over the message's BLAKE2b-512, and one over that signature and the trusted comment. */
export function minisignSignature(message: Uint8Array, trustedComment: string, key: SigningKey): string {
  const signature = key.sign(createHash("blake2b512").update(message).digest());
  const global = key.sign(Buffer.concat([signature, Buffer.from(trustedComment)]));
  return [
    `untrusted comment: signature from sealane key ${key.keyId}`,
    blob(ED25519_PREHASHED, key, signature),
    `trusted comment: ${trustedComment}`,
    Buffer.from(global).toString("base64"),
    "",
  ].join("\n");
}
