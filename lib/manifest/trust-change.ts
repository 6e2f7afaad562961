// The next version of a trust file. Each function takes the newest version as it is signed and returns another, unsigned, that
// holds together; signRoot signs it, and parseTrust says whether the chain is whole.
import type { RootSigned, TrustFile, TrustRoot } from "../../schemas/index.js";
import { olpcJson } from "../bytes/olpc-json.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import type { PublicKey, SigningKey } from "./keys.js";
import { readTrustRoot } from "./trust-root.js";

/** A key, and whose it is for people: printable text. */
export interface Owned {
  readonly key: PublicKey;
  readonly owner: string;
}

const AT = "trust";

export function trustFile(roots: TrustRoot[]): TrustFile {
  return { schema: "sealane-trust/1", roots };
}

/**
 * A version that holds together: of the schema's shape, keys without any use left out. Throws what readTrustRoot throws.
 */
export function whole(signed: RootSigned): RootSigned {
  const { keyids } = signed.roles.root;
  const revoked = signed["x-sealane-revoked"].map(({ keyid }) => keyid);
  const witnesses = signed["x-sealane-witnesses"]?.keyids ?? [];
  const signers = signed["x-sealane-lanes"].flatMap((rule) => rule.keyids);
  const used = new Set([...keyids, ...signers, ...revoked, ...witnesses]);
  const kept = <T>(members: Record<string, T>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(members)
        .filter(([keyid]) => used.has(keyid))
        .sort(([a], [b]) => byCodeUnit(a, b)),
    );
  const root = { keyids, threshold: signed.roles.root.threshold };
  const next: RootSigned = {
    ...signed,
    keys: kept(signed.keys),
    "x-sealane-owners": kept(signed["x-sealane-owners"]),
    // The roles that say in TUF what is fresh are of no use here; a TUF client wants to see them held by someone.
    roles: { root, targets: root, snapshot: root, timestamp: root },
  };
  checked("trust", trustFile([{ signed: next, signatures: [] }]), AT);
  readTrustRoot(next, `${AT}#`);
  return next;
}

/** Adds keys and their owners. */
export function withKeys(signed: RootSigned, added: readonly Owned[]): RootSigned {
  const keys = { ...signed.keys };
  const owners = { ...signed["x-sealane-owners"] };
  for (const { key, owner } of added) {
    const keyval = { public: Buffer.from(key.bytes).toString("hex") };
    keys[key.keyId] = { keytype: "ed25519", scheme: "ed25519", keyval };
    owners[key.keyId] = owner;
  }
  return { ...signed, keys, "x-sealane-owners": owners };
}

const idsOf = (owned: readonly Owned[]): string[] => owned.map(({ key }) => key.keyId);

/** The version after this one, to be changed. */
export const nextOf = (signed: RootSigned): RootSigned => ({ ...signed, version: signed.version + 1 });

/**
 * Version 1: who signs the next versions, and who may sign lanes.
 * @param options.threshold how many keys must sign a lane; options.rootThreshold: how many must sign a version. One unless said
 * @param options.expires RFC 3339, seconds, UTC
 */
export function initTrust(options: {
  readonly root: readonly Owned[];
  readonly rootThreshold?: number;
  readonly signers: readonly Owned[];
  readonly lanes: string;
  readonly threshold?: number;
  readonly expires: string;
}): RootSigned {
  const { root, rootThreshold = 1, signers, lanes, threshold = 1, expires } = options;
  const role = { keyids: idsOf(root), threshold: rootThreshold };
  const signed: RootSigned = {
    _type: "root",
    spec_version: "1.0.31",
    version: 1,
    expires,
    consistent_snapshot: true,
    keys: {},
    roles: { root: role, targets: role, snapshot: role, timestamp: role },
    "x-sealane-owners": {},
    "x-sealane-lanes": [{ lanes, threshold, keyids: idsOf(signers) }],
    "x-sealane-revoked": [],
  };
  return whole(withKeys(signed, [...root, ...signers]));
}

/**
 * One more key that may sign lanes; where the file has no rule for `lanes` yet, a new rule. The threshold stays as it is, or
 * is one, unless said. Throws E_REVOKED for a key that was revoked and E_DUPLICATE where nothing would change.
 */
export function addSigner(
  before: RootSigned,
  { signer, lanes, threshold }: { readonly signer: Owned; readonly lanes: string; readonly threshold?: number },
): RootSigned {
  const { keyId } = signer.key;
  if (before["x-sealane-revoked"].some(({ keyid }) => keyid === keyId)) {
    throw new SealaneError("E_REVOKED", "a revoked key cannot sign again", { at: AT, found: keyId });
  }
  const rules = before["x-sealane-lanes"];
  const rule = rules.find((candidate) => candidate.lanes === lanes) ?? { lanes, threshold: 1, keyids: [] };
  const next = { ...rule, threshold: threshold ?? rule.threshold, keyids: [...new Set([...rule.keyids, keyId])] };
  if (next.keyids.length === rule.keyids.length && next.threshold === rule.threshold) {
    throw new SealaneError("E_DUPLICATE", `the key may sign lanes ${lanes} already`, { at: AT, found: keyId });
  }
  const replaced = rules.includes(rule as never)
    ? rules.map((other) => (other === rule ? next : other))
    : [...rules, next];
  return whole(withKeys({ ...nextOf(before), "x-sealane-lanes": replaced }, [signer]));
}

/**
 * Takes a key out of the rule for `lanes`, or out of all rules. A rule is never left without the keys it asks for, because
 * without it a wider rule would hold for its lanes: E_THRESHOLD_CFG. Throws E_UNKNOWN when the key is in no such rule.
 */
export function removeSigner(
  before: RootSigned,
  { keyId, lanes, threshold }: { readonly keyId: string; readonly lanes?: string; readonly threshold?: number },
): RootSigned {
  let found = false;
  const rules = before["x-sealane-lanes"].map((rule) => {
    if ((lanes !== undefined && rule.lanes !== lanes) || !rule.keyids.includes(keyId)) return rule;
    found = true;
    const keyids = rule.keyids.filter((other) => other !== keyId);
    const next = { ...rule, keyids, threshold: threshold ?? rule.threshold };
    if (next.threshold > keyids.length) {
      throw new SealaneError("E_THRESHOLD_CFG", `the rule for lanes ${rule.lanes} would have too few keys`, {
        at: AT,
        expected: `${next.threshold} keys`,
        found: String(keyids.length),
        next: "Add another key first, lower the threshold, or end the rule: sealane trust remove --lanes PATTERN",
      });
    }
    return next;
  });
  if (!found) throw unknownKey(keyId, lanes === undefined ? "no rule" : `no rule for lanes ${lanes}`);
  return whole({ ...nextOf(before), "x-sealane-lanes": rules });
}

export function unknownKey(keyId: string, where: string): SealaneError {
  return new SealaneError("E_UNKNOWN", `the key stands in ${where}`, { at: AT, found: keyId });
}

/** Ends the rule for `lanes`; a wider rule, if there is one, holds for them from then on. Throws E_UNKNOWN. */
export function endRule(before: RootSigned, lanes: string): RootSigned {
  const rules = before["x-sealane-lanes"].filter((rule) => rule.lanes !== lanes);
  if (rules.length === before["x-sealane-lanes"].length) {
    throw new SealaneError("E_UNKNOWN", `there is no rule for lanes ${lanes}`, { at: AT, found: lanes });
  }
  return whole({ ...nextOf(before), "x-sealane-lanes": rules });
}

/** Other root keys, another threshold or expiry. Keys that also sign lanes go on doing so. Throws E_UNKNOWN, E_DUPLICATE. */
export function rotateRoot(
  before: RootSigned,
  changes: {
    readonly add?: readonly Owned[];
    readonly remove?: readonly string[];
    readonly threshold?: number;
    readonly expires?: string;
  },
): RootSigned {
  const { add = [], remove = [], threshold = before.roles.root.threshold, expires = before.expires } = changes;
  const { keyids } = before.roles.root;
  const unknown = remove.find((keyId) => !keyids.includes(keyId));
  if (unknown !== undefined) throw unknownKey(unknown, "no root role");
  const doubled = idsOf(add).find((keyId) => keyids.includes(keyId));
  if (doubled !== undefined) {
    throw new SealaneError("E_DUPLICATE", "the key is a root key already", { at: AT, found: doubled });
  }
  const role = { keyids: [...keyids.filter((keyId) => !remove.includes(keyId)), ...idsOf(add)], threshold };
  return whole(withKeys({ ...nextOf(before), expires, roles: { ...before.roles, root: role } }, add));
}

/**
 * Says that from `since` on (UTC with milliseconds) signatures by a key count for nothing. The key stays in its rules: what is
 * known to have been signed before still counts. A root key must be rotated out first (E_ROLE_OVERLAP). Throws E_UNKNOWN for
 * a key that the file does not hold and E_DUPLICATE for one that is revoked.
 */
export function revokeKey(
  before: RootSigned,
  { keyId, since, reason }: { readonly keyId: string; readonly since: string; readonly reason: string },
): RootSigned {
  if (!Object.hasOwn(before.keys, keyId)) throw unknownKey(keyId, "no rule");
  const revoked = [...before["x-sealane-revoked"], { keyid: keyId, since, reason }];
  return whole({ ...nextOf(before), "x-sealane-revoked": revoked });
}

/** Signs a version with each of the keys, over the OLPC canonical JSON of it (TUF 1.0.31 sections 4.1, 4.2). */
export function signRoot(signed: RootSigned, keys: readonly SigningKey[]): TrustRoot {
  const bytes = Buffer.from(olpcJson(signed, AT));
  const signatures = keys
    .map((key) => ({ keyid: key.keyId, sig: Buffer.from(key.sign(bytes)).toString("hex") }))
    .sort((a, b) => byCodeUnit(a.keyid, b.keyid));
  return { signed, signatures };
}
