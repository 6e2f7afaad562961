// OpenTimestamps proofs for tests, written: held against python-opentimestamps by test/foreign/timestamps.test.ts.
import { createHash } from "node:crypto";

export const HEAD = Buffer.from("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294" + "01" + "08", "hex");

/** An unsigned number, seven bits a byte, the lowest first. */
export function number(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
export const block = (bytes: Uint8Array): Buffer => Buffer.concat([number(bytes.length), bytes]);

export const append = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(0xf0), block(bytes)]);
export const prepend = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(0xf1), block(bytes)]);
export const SHA1 = Buffer.of(0x02);
export const RIPEMD160 = Buffer.of(0x03);
export const SHA256 = Buffer.of(0x08);
export const REVERSE = Buffer.of(0xf2);
export const HEXLIFY = Buffer.of(0xf3);

const attestation = (tag: string, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0), Buffer.from(tag, "hex"), block(payload)]);
export const bitcoin = (height: number): Buffer => attestation("0588960d73d71901", number(height));
export const pending = (uri: string): Buffer => attestation("83dfe30d2ef90c8e", block(Buffer.from(uri)));
export const unknown = (payload: Uint8Array): Buffer => attestation("0102030405060708", payload);

/** Several continuations of one value. */
export const fork = (...branches: readonly Uint8Array[]): Buffer =>
  Buffer.concat(
    branches.flatMap((branch, index) => (index < branches.length - 1 ? [Buffer.of(0xff), branch] : [branch])),
  );
export const path = (...steps: readonly Uint8Array[]): Buffer => Buffer.concat(steps);

/** The proof of a file's bytes. */
export const proofOf = (bytes: Uint8Array, ...steps: readonly Uint8Array[]): Buffer =>
  Buffer.concat([HEAD, createHash("sha256").update(bytes).digest(), ...steps]);

/** A block's header with a Merkle root, for which as little work as can be named was done. */
export function header(merkleRoot: Uint8Array, seconds = 1_770_000_000): string {
  const bytes = Buffer.alloc(80);
  bytes.writeUInt32LE(4, 0);
  Buffer.from(merkleRoot).copy(bytes, 36);
  bytes.writeUInt32LE(seconds, 68);
  bytes.writeUInt32LE(0x207fffff, 72);
  const twice = (): Buffer => createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest();
  for (let nonce = 0; twice()[31]! > 0x7f; nonce += 1) bytes.writeUInt32LE(nonce, 76);
  return bytes.toString("hex");
}
