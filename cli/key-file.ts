// Key files at the edge: how every command opens one.
import { statSync } from "node:fs";
import { LIMITS } from "../lib/bytes/limits.js";
import { ioError } from "../lib/io/errors.js";
import { readFile } from "../lib/io/read-file.js";
import { isEncryptedPem } from "../lib/manifest/encrypted-key.js";
import { type KeyFile, type PublicKey, readPublicKey, readSigningKey, type SigningKey } from "../lib/manifest/keys.js";
import { passphraseFor } from "./passphrase.js";
import { say } from "./ui.js";

/** Says on stderr when others than its owner may read a private key. Windows keeps no such modes. */
function warnOfReaders(path: string): void {
  if (process.platform === "win32") return;
  let mode: number;
  try {
    ({ mode } = statSync(path));
  } catch (cause) {
    throw ioError(cause, path);
  }
  if ((mode & 0o044) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  say(`warning: ${path} is a private key that others may read (mode ${octal}); next: chmod 600 ${path}`);
}

/** Reads a key file, private or public, and its passphrase when it is encrypted. Throws E_PASSPHRASE, E_MISSING, E_LIMIT, E_IO. */
export async function openKeyFile(path: string, descriptor: number | undefined): Promise<KeyFile> {
  const pem = readFile(path, LIMITS.keyBytesMax).toString("utf8");
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) warnOfReaders(path);
  const passphrase = isEncryptedPem(pem) ? await passphraseFor(path, descriptor) : undefined;
  return { pem, at: path, passphrase };
}

/** The key in a file that is to sign. Beside what `openKeyFile` throws: E_KEY, E_KEY_WEAK. */
export async function openSigningKey(path: string, descriptor: number | undefined): Promise<SigningKey> {
  const { pem, at, passphrase } = await openKeyFile(path, descriptor);
  return readSigningKey(pem, at, passphrase);
}

/** The public key in a file, which may be a private key's. */
export async function openPublicKey(path: string, descriptor: number | undefined): Promise<PublicKey> {
  const { pem, at, passphrase } = await openKeyFile(path, descriptor);
  return readPublicKey(pem, at, passphrase);
}
