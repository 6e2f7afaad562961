// Trust files for tests, signed as `sealane trust` signs them.
import type { SigningKey } from "../../lib/manifest/keys.js";
import { initTrust, type Owned, signRoot, trustFile } from "../../lib/manifest/trust-change.js";
import type { RootSigned, TrustRoot } from "../../schemas/index.js";
import { testKey } from "./test-key.js";

export const FAR = "9999-12-31T23:59:59Z";

export const bytesOf = (roots: TrustRoot[]): Buffer => Buffer.from(JSON.stringify(trustFile(roots), null, 2));

/** A key made from a word, owned by whoever has that name. */
export const owned = (word: string): Owned => ({ key: testKey(word), owner: word });

/** The text of a trust file in which one key signs versions and may sign lanes. */
export function trustFileOf(key: SigningKey, owner: string, lanes: string): string {
  const keeper = { key, owner };
  return bytesOf([signRoot(initTrust({ root: [keeper], signers: [keeper], lanes, expires: FAR }), [key])]).toString();
}

/** A chain: version 1, and each change of it, all signed by the keys that the words name. */
export function chainOf(
  first: readonly [RootSigned, ...(readonly string[])],
  ...changes: readonly (readonly [(before: RootSigned) => RootSigned, ...(readonly string[])])[]
): TrustRoot[] {
  const [signed, ...words] = first;
  const roots = [signRoot(signed, words.map(testKey))];
  for (const [change, ...by] of changes) roots.push(signRoot(change(roots.at(-1)!.signed), by.map(testKey)));
  return roots;
}
