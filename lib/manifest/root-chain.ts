// Chains of TUF root metadata: version N+1 is signed by enough keys of version N, which hands trust on, and by enough of its
// own, which shows that they are there (TUF 1.0.31 sections 5.3 and 6.1). No clock is looked at: section 5.3.10 has clients
// refuse an expired root, but an archive must stay what it was, so expiry is told and not judged.
import { sha256Hex } from "../bytes/digest.js";
import { olpcJson } from "../bytes/olpc-json.js";
import { SealaneError } from "../finding.js";
import { type RootKey, rootKey } from "./root-keys.js";

/** One version of root metadata, as far as a chain goes. */
export interface ReadRoot {
  readonly at: string;
  readonly version: number;
  /** When its keepers mean to have replaced it, as they wrote it. */
  readonly expires: string;
  /** SHA-256 of what is signed. */
  readonly sha256: string;
  /** Keys of the root role by key id, those that the document holds. */
  readonly keys: ReadonlyMap<string, RootKey>;
  readonly threshold: number;
  readonly signed: Uint8Array;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

type Members = Readonly<Record<string, unknown>>;

function wrongShape(at: string, why: string): SealaneError {
  return new SealaneError("E_SCHEMA", `${at}: ${why}`, { at });
}

/** A member that is an object; own members only, so that no name reaches a prototype. */
function objectIn(value: unknown, name: string, at: string): Members {
  const member = valueIn(value, name);
  if (typeof member === "object" && member !== null && !Array.isArray(member)) return member as Members;
  throw wrongShape(at, `'${name}' is no object`);
}

function arrayIn(value: unknown, name: string, at: string): readonly unknown[] {
  const member = valueIn(value, name);
  if (Array.isArray(member)) return member;
  throw wrongShape(at, `'${name}' is no array`);
}

function stringIn(value: unknown, name: string, at: string): string {
  const member = valueIn(value, name);
  if (typeof member === "string") return member;
  throw wrongShape(at, `'${name}' is no string`);
}

/** Key ids, each once: of two signatures by one key id none would be the one to count (section 4.2). Throws E_DUPLICATE. */
function eachOnce(keyids: readonly unknown[], at: string): string[] {
  const seen = new Set<string>();
  for (const keyid of keyids) {
    if (typeof keyid !== "string") throw wrongShape(at, "a key id is no string");
    if (seen.has(keyid)) throw new SealaneError("E_DUPLICATE", `${at}: a key id stands twice`, { at, found: keyid });
    seen.add(keyid);
  }
  return [...seen];
}

function valueIn(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Members)[name]
    : undefined;
}

/** The keys that a role names and the document holds, by key id. Throws E_KEY_WEAK, E_DUPLICATE. */
function keysOf(role: Members, signed: Members, at: string): Map<string, RootKey> {
  const objects = objectIn(signed, "keys", at);
  const keys = new Map<string, RootKey>();
  for (const keyid of eachOnce(arrayIn(role, "keyids", at), `${at}/signed/roles/root/keyids`)) {
    if (!Object.hasOwn(objects, keyid)) continue;
    const place = `${at}/signed/keys/${keyid}`;
    const object = objectIn(objects, keyid, at);
    const keytype = stringIn(object, "keytype", place);
    const scheme = stringIn(object, "scheme", place);
    keys.set(
      keyid,
      rootKey({ keytype, scheme, public: stringIn(objectIn(object, "keyval", place), "public", place) }, place),
    );
  }
  return keys;
}

/** A threshold that says something and can be met: a role of none, or of more than its distinct keys, is E_THRESHOLD_CFG. */
function thresholdOf(role: Members, keys: ReadonlyMap<string, RootKey>, at: string): number {
  const distinct = new Set([...keys.values()].map(({ identity }) => identity)).size;
  const { threshold } = role;
  if (isInteger(threshold) && threshold >= 1 && threshold <= distinct) return threshold;
  throw new SealaneError("E_THRESHOLD_CFG", `${at}: the root role's threshold cannot be met, or says nothing`, {
    at: `${at}/signed/roles/root/threshold`,
    expected: `an integer from 1 to ${distinct}`,
    found: String(threshold),
  });
}

function signaturesOf(value: unknown, at: string): ReadRoot["signatures"] {
  const signatures = arrayIn(value, "signatures", at).map((signature) => ({
    keyid: stringIn(signature, "keyid", at),
    sig: stringIn(signature, "sig", at),
  }));
  const keyids = signatures.map(({ keyid }) => keyid);
  eachOnce(keyids, `${at}/signatures`);
  return signatures;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * Reads one version of root metadata (TUF 1.0.31 sections 4.2, 4.3); members it does not know are part of what is signed and
 * otherwise left alone. Throws E_SCHEMA, E_VERSION, E_DUPLICATE, E_JSON_CANON, E_KEY_WEAK, E_THRESHOLD_CFG.
 * @param at its place, as a JSON pointer after the name of its file
 */
export function readRoot(value: unknown, at: string): ReadRoot {
  const signed = objectIn(value, "signed", at);
  if (signed._type !== "root") throw wrongShape(at, "'_type' is not \"root\"");
  const spec = stringIn(signed, "spec_version", at);
  if (!/^1\.[0-9]+(?:\.[0-9]+)?$/.test(spec)) {
    throw new SealaneError("E_VERSION", `${at} is of another TUF specification`, { at, expected: "1.x", found: spec });
  }
  const { version } = signed;
  if (!isInteger(version) || version < 1) throw wrongShape(at, "'version' is no positive integer");
  const role = objectIn(objectIn(signed, "roles", at), "root", at);
  const keys = keysOf(role, signed, at);
  const threshold = thresholdOf(role, keys, at);
  const expires = stringIn(signed, "expires", at);
  const signatures = signaturesOf(value, at);
  const canonical = olpcJson(signed, at);
  return {
    at,
    version,
    expires,
    sha256: sha256Hex(canonical),
    keys,
    threshold,
    signed: Buffer.from(canonical),
    signatures,
  };
}

/**
 * How many signatures of `root` are missing to what the root role of `by` asks for; distinct keys are counted, never key ids
 * or signatures. A signature that does not hold, is empty or is by a key of no role counts for nothing and harms nothing
 * (TUF 1.0.31 section 5.3.4). Throws E_KEYTYPE when the ones missing may be those of a kind that cannot be checked here.
 */
export function missingSignatures(root: ReadRoot, by: ReadRoot): number {
  const signedBy = new Set<string>();
  let unusable: string | undefined;
  for (const { keyid, sig } of root.signatures) {
    const key = by.keys.get(keyid);
    if (key === undefined || signedBy.has(key.identity) || !/^(?:[0-9a-f]{2})+$/i.test(sig)) continue;
    if (key.verifies === undefined) unusable = keyid;
    else if (key.verifies(root.signed, Buffer.from(sig, "hex"))) signedBy.add(key.identity);
  }
  const missing = Math.max(0, by.threshold - signedBy.size);
  if (missing > 0 && unusable !== undefined) {
    throw new SealaneError("E_KEYTYPE", `${root.at} needs a signature by a key of a kind that is not used here`, {
      at: root.at,
      found: unusable,
    });
  }
  return missing;
}

/** Throws E_ROOT_CHAIN when a version is not signed by enough keys of each of `by`, and says how many are missing of whom. */
function refuseMissing(root: ReadRoot, by: readonly ReadRoot[]): void {
  const short = by
    .map((role) => ({ role, missing: missingSignatures(root, role) }))
    .filter(({ missing }) => missing > 0);
  if (short.length === 0) return;
  const each = (text: (role: ReadRoot, missing: number) => string): string =>
    short.map(({ role, missing }) => text(role, missing)).join(", ");
  const lacks = each(
    (role, missing) => `${missing} by keys of ${role === root ? "its own" : `version ${role.version}`}`,
  );
  throw new SealaneError("E_ROOT_CHAIN", `${root.at}: version ${root.version} lacks signatures: ${lacks}`, {
    at: root.at,
    expected: each((role) => `${role.threshold} distinct keys of version ${role.version}`),
    found: each((role, missing) => String(role.threshold - missing)),
  });
}

/**
 * Walks a chain of parsed root metadata from version 1 to its newest, which is last. Throws what readRoot and
 * missingSignatures throw, and E_ROOT_CHAIN for a version that is not the next one (section 5.3.5) or not signed as it must be.
 * @param at the name of the chain; versions are named by their place in it
 */
export function walkRootChain(roots: readonly unknown[], at: string): ReadRoot[] {
  const walked: ReadRoot[] = [];
  for (const [index, value] of roots.entries()) {
    const root = readRoot(value, `${at}#/roots/${index}`);
    if (root.version !== index + 1) {
      throw new SealaneError("E_ROOT_CHAIN", `${root.at} is not version ${index + 1}`, {
        at: root.at,
        expected: String(index + 1),
        found: String(root.version),
      });
    }
    const before = walked.at(-1);
    refuseMissing(root, before ? [before, root] : [root]);
    walked.push(root);
  }
  if (walked.length === 0) throw new SealaneError("E_ROOT_CHAIN", `${at} holds no version`, { at });
  return walked;
}
