// What one version of a trust file says: keys and their owners, who may sign which lane, which keys are revoked.
import type { RootSigned } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import { admitPublicKey, type PublicKey } from "./keys.js";
import { readRoot } from "./root-chain.js";

export interface TrustedKey extends PublicKey {
  /** Whose it is, for people. */
  readonly owner: string;
}

/** Of the lanes whose id matches: how many distinct keys of which must sign. */
export interface LaneRule {
  /** A lane id, or a prefix ended by '*'. */
  readonly lanes: string;
  readonly threshold: number;
  readonly keyIds: readonly string[];
}

export interface Revocation {
  readonly keyId: string;
  /** UTC with milliseconds. */
  readonly since: string;
  readonly reason: string;
}

/** A trust file as it stands at its newest version. */
export interface Trust {
  readonly version: number;
  /** When its keepers mean to have replaced it. Told, never judged: an archive must stay what it was. */
  readonly expires: string;
  /** SHA-256 of what version 1 says, in OLPC canonical JSON: the identity of the whole chain. */
  readonly firstRootSha256: string;
  /** Who signs the next version. */
  readonly root: { readonly threshold: number; readonly keyIds: readonly string[] };
  readonly keys: readonly TrustedKey[];
  readonly rules: readonly LaneRule[];
  readonly revoked: readonly Revocation[];
}

/** A key of a trust file: Ed25519 and nothing else, whatever a signature or an envelope may say of itself. */
function admitted(keyId: string, signed: RootSigned, at: string): TrustedKey {
  const place = `${at}/signed/keys/${keyId}`;
  const { keytype, scheme, keyval } = signed.keys[keyId]!;
  if (keytype !== "ed25519" || scheme !== "ed25519") {
    const found = `${keytype}, ${scheme}`;
    throw new SealaneError("E_KEYTYPE", `${place} is no Ed25519 key`, {
      at: place,
      expected: "ed25519, ed25519",
      found,
    });
  }
  if (!/^[0-9a-f]{64}$/.test(keyval.public)) {
    throw new SealaneError("E_SCHEMA", `${place}: the public key is not 64 lower-case hexadecimal digits`, {
      at: place,
    });
  }
  const key = admitPublicKey(Buffer.from(keyval.public, "hex"), place);
  if (key.keyId !== keyId) {
    throw new SealaneError("E_KEY", `${place}: the key id is not the key's own`, {
      at: place,
      expected: key.keyId,
      found: keyId,
    });
  }
  const owner = signed["x-sealane-owners"][keyId];
  if (owner === undefined) throw new SealaneError("E_KEY", `${place} has no owner`, { at: place });
  return { ...key, owner };
}

function rulesIn(signed: RootSigned, at: string): LaneRule[] {
  const ruled = new Set<string>();
  return signed["x-sealane-lanes"].map(({ lanes, threshold, keyids }, index) => {
    const place = `${at}/signed/x-sealane-lanes/${index}`;
    if (ruled.has(lanes)) {
      throw new SealaneError("E_DUPLICATE", `${place}: two rules are for the same lanes`, { at: place, found: lanes });
    }
    ruled.add(lanes);
    const distinct = [...new Set(keyids)];
    refuseUnknown(distinct, signed, place);
    if (threshold > distinct.length) {
      throw new SealaneError("E_THRESHOLD_CFG", `${place} asks for more signatures than it has keys`, {
        at: place,
        expected: `an integer from 1 to ${distinct.length}`,
        found: String(threshold),
      });
    }
    return { lanes, threshold, keyIds: distinct };
  });
}

function refuseUnknown(keyids: readonly string[], signed: RootSigned, at: string): void {
  const unknown = keyids.find((keyid) => signed.keys[keyid] === undefined);
  if (unknown !== undefined) {
    throw new SealaneError("E_KEY", `${at} names a key that the file does not hold`, { at, found: unknown });
  }
}

function revocationsIn(signed: RootSigned, at: string): Revocation[] {
  const place = `${at}/signed/x-sealane-revoked`;
  const seen = new Set<string>();
  return signed["x-sealane-revoked"].map(({ keyid, since, reason }) => {
    if (seen.has(keyid)) {
      throw new SealaneError("E_DUPLICATE", `${place}: a key is revoked twice`, { at: place, found: keyid });
    }
    seen.add(keyid);
    refuseUnknown([keyid], signed, place);
    return { keyId: keyid, since, reason };
  });
}

/**
 * What a version says, once every key is admitted and every rule can be met; whether it is signed is for the chain to say.
 *
 * Two roles must be apart, or E_ROLE_OVERLAP: a key of the root role may sign lanes only where one root key alone decides
 * everything anyway (threshold 1: the simplest set-up, of one person with one key), and a revoked key may not be a root key.
 *
 * Throws E_KEYTYPE, E_SCHEMA, E_KEY_WEAK, E_KEY, E_DUPLICATE, E_THRESHOLD_CFG, E_ROLE_OVERLAP.
 */
export function readTrustRoot(signed: RootSigned, at: string): Omit<Trust, "firstRootSha256"> {
  const { version, expires, threshold } = readRoot({ signed, signatures: [] }, at);
  const keys = Object.keys(signed.keys).map((keyId) => admitted(keyId, signed, at));
  const keyIds = signed.roles.root.keyids;
  refuseUnknown(keyIds, signed, `${at}/signed/roles/root`);
  refuseUnknown(Object.keys(signed["x-sealane-owners"]), signed, `${at}/signed/x-sealane-owners`);
  const rules = rulesIn(signed, at);
  const revoked = revocationsIn(signed, at);
  const forbidden = new Set(revoked.map((revocation) => revocation.keyId));
  if (threshold > 1) for (const rule of rules) for (const keyId of rule.keyIds) forbidden.add(keyId);
  const overlap = keyIds.find((keyId) => forbidden.has(keyId));
  if (overlap !== undefined) {
    const is = revoked.some((revocation) => revocation.keyId === overlap) ? "is revoked" : "signs lanes too";
    throw new SealaneError("E_ROLE_OVERLAP", `${at}: a root key ${is}`, {
      at: `${at}/signed/roles/root`,
      found: overlap,
      next: "Rotate the root to another key: sealane trust rotate --help",
    });
  }
  return { version, expires, root: { threshold, keyIds }, keys, rules, revoked };
}
