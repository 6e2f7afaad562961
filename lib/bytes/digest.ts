import { createHash, type Hash } from "node:crypto";

/** SHA-256 of bytes, or of a string's UTF-8, as lower-case hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-512 of bytes as lower-case hexadecimal: for a statement that names its subject by it beside SHA-256. */
export function sha512Hex(data: Uint8Array): string {
  return createHash("sha512").update(data).digest("hex");
}

/** SHA-256 of bytes, or of a string's UTF-8, as 32 bytes. */
export function sha256(data: Uint8Array | string): Buffer {
  return createHash("sha256").update(data).digest();
}

/** A running SHA-256. */
export function startSha256(): Hash {
  return createHash("sha256");
}

/** SHA-256 of an ordered list of ids, each ended by one line feed: the identity of a population. */
export function idListSha256(ids: Iterable<string>): string {
  const hash = startSha256();
  for (const id of ids) hash.update(`${id}\n`);
  return hash.digest("hex");
}
