// Private keys under a passphrase: PKCS#8 EncryptedPrivateKeyInfo (RFC 5958 section 3) by PBES2 (RFC 8018 section 6.2),
// as openssl, cosign and node read it. We write the document ourselves, because node's own export derives the key by
// 2,048 rounds, which a thief of the file goes through in no time; whoever reads the file takes the rounds from it.
import { createCipheriv, pbkdf2Sync } from "node:crypto";

/** PBKDF2-HMAC-SHA256 as OWASP's password storage cheat sheet (2023) asks for: about a third of a second. */
const ROUNDS = 600_000;

export const SALT_BYTES = 16;
export const IV_BYTES = 16;
/** Longer ones openssl cuts or refuses (PEM_BUFSIZE). */
export const PASSPHRASE_BYTES_MAX = 1024;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTETS = 0x04;

// Object identifiers, ready encoded.
const PBES2 = Buffer.from("06092a864886f70d01050d", "hex");
const PBKDF2 = Buffer.from("06092a864886f70d01050c", "hex");
const HMAC_SHA256 = Buffer.from("06082a864886f70d0209", "hex");
const AES_256_CBC = Buffer.from("060960864801650304012a", "hex");
const NULL = Buffer.from("0500", "hex");

/** One value in DER (X.690 section 8.1); what stands here is shorter than 64 KiB. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), body]);
}

/** A private key (PKCS#8 in DER) encrypted under a passphrase, in PEM. Salt and IV are to be fresh for each key. */
export function encryptPrivateKey(
  pkcs8: Uint8Array,
  passphrase: Uint8Array,
  { salt, iv }: { readonly salt: Uint8Array; readonly iv: Uint8Array },
): string {
  const cipher = createCipheriv("aes-256-cbc", pbkdf2Sync(passphrase, salt, ROUNDS, 32, "sha256"), iv);
  const encrypted = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  const rounds = der(INTEGER, Buffer.of(ROUNDS >> 16, (ROUNDS >> 8) & 0xff, ROUNDS & 0xff));
  const derivation = der(SEQUENCE, PBKDF2, der(SEQUENCE, der(OCTETS, salt), rounds, der(SEQUENCE, HMAC_SHA256, NULL)));
  const encryption = der(SEQUENCE, AES_256_CBC, der(OCTETS, iv));
  const algorithm = der(SEQUENCE, PBES2, der(SEQUENCE, derivation, encryption));
  const lines =
    der(SEQUENCE, algorithm, der(OCTETS, encrypted))
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines.join("\n")}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

const FRAME = /-----BEGIN ENCRYPTED PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\r\n]*)-----END ENCRYPTED PRIVATE KEY-----/;

/** Whether a PEM text says of itself that it holds an encrypted private key. */
export function isEncryptedPem(pem: string): boolean {
  return pem.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----");
}

/** Whether an encrypted key's frame is whole: one DER sequence as long as it says. What does not open then is the passphrase's. */
export function isWholeFrame(pem: string): boolean {
  const bytes = Buffer.from(FRAME.exec(pem)?.[1] ?? "", "base64");
  if (bytes.length < 2 || bytes[0] !== SEQUENCE) return false;
  const first = bytes[1]!;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 2 || bytes.length < 2 + lengthBytes) return false;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  return bytes.length === 2 + lengthBytes + length;
}
