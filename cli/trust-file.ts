// A trust file at the edge: reading it whole, and writing its next version in its place once that is signed as it must be.
import { LIMITS } from "../lib/bytes/limits.js";
import { SealaneError } from "../lib/finding.js";
import { replaceFileWith } from "../lib/io/atomic.js";
import { readFile } from "../lib/io/read-file.js";
import type { SigningKey } from "../lib/manifest/keys.js";
import { parseTrustChain, type TrustChain } from "../lib/manifest/trust.js";
import { type Owned, signRoot, trustFile } from "../lib/manifest/trust-change.js";
import type { RootSigned, TrustRoot } from "../schemas/index.js";
import { openPublicKey, openSigningKey } from "./key-file.js";

export function openTrustFile(path: string): TrustChain {
  return parseTrustChain(readFile(path, LIMITS.documentBytesMax), path);
}

/** The text of a trust file, and what it says, once it holds together. */
export function trustText(roots: TrustRoot[], path: string): { readonly text: string; readonly chain: TrustChain } {
  const text = `${JSON.stringify(trustFile(roots), null, 2)}\n`;
  return { text, chain: parseTrustChain(Buffer.from(text), path) };
}

/**
 * Writes the version that `next` makes of the newest one, signed with those of the keys that are root keys of either. The old
 * versions stay. Throws E_ROOT_CHAIN, and writes nothing, when keys are missing.
 */
export function writeNextVersion(
  path: string,
  next: (newest: RootSigned) => RootSigned,
  keys: readonly SigningKey[],
): TrustChain {
  const { file } = openTrustFile(path);
  const newest = file.roots.at(-1)!.signed;
  const signed = next(newest);
  const roles = new Set([...newest.roles.root.keyids, ...signed.roles.root.keyids]);
  const able = new Map(keys.filter(({ keyId }) => roles.has(keyId)).map((key) => [key.keyId, key]));
  const { text, chain } = enough(() => trustText([...file.roots, signRoot(signed, [...able.values()])], path));
  replaceFileWith(path, (write) => write(text));
  return chain;
}

function enough<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SealaneError) || error.code !== "E_ROOT_CHAIN") throw error;
    const { code, message, at, expected, found } = error;
    throw new SealaneError(code, message, {
      ...(at === undefined ? {} : { at }),
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
      next: "Nothing was written. Name more root keys with --sign-with.",
    });
  }
}

/** Keys that sign, in the order given; one after the other, because each may ask for its passphrase. */
export async function signingKeys(paths: readonly string[], descriptor: number | undefined): Promise<SigningKey[]> {
  const keys: SigningKey[] = [];
  for (const path of paths) keys.push(await openSigningKey(path, descriptor));
  return keys;
}

/** Public keys with their owners, as they stand in key files. */
export async function ownedKeys(
  paths: readonly string[],
  owners: readonly string[],
  descriptor: number | undefined,
): Promise<Owned[]> {
  const owned: Owned[] = [];
  for (const [index, path] of paths.entries()) {
    owned.push({ key: await openPublicKey(path, descriptor), owner: owners[index]! });
  }
  return owned;
}

/** A key id, given as such or as a key file. */
export async function keyIdFrom(text: string, descriptor: number | undefined): Promise<string> {
  return /^[0-9a-f]{64}$/.test(text) ? text : (await openPublicKey(text, descriptor)).keyId;
}
