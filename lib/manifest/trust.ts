// Who may sign which lane, and how many signatures that takes: a chain of TUF root metadata, resolved to its newest version.
import type { TrustFile } from "../../schemas/index.js";
import { parseStrictJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { checked } from "../records/documents.js";
import type { PublicKey } from "./keys.js";
import { type ReadRoot, readRoot, walkRootChain } from "./root-chain.js";
import { initTrust } from "./trust-change.js";
import { readTrustRoot, type Trust, type TrustedKey } from "./trust-root.js";

export type { LaneRule, Revocation, Trust, TrustedKey } from "./trust-root.js";

/** A trust file with all its versions. */
export interface TrustChain {
  readonly file: TrustFile;
  readonly versions: readonly ReadRoot[];
  readonly trust: Trust;
}

/**
 * Reads a trust file: walks its chain and resolves its newest version. Throws E_UTF8, E_JSON, E_LIMIT, E_SCHEMA, E_VERSION,
 * E_ROOT_CHAIN for a version that is not signed as it must be, and what readRoot and readTrustRoot throw.
 */
export function parseTrustChain(bytes: Uint8Array, at: string): TrustChain {
  const file = checked("trust", parseStrictJson(bytes, at), at);
  const versions = walkRootChain(file.roots, at);
  const newest = readTrustRoot(file.roots.at(-1)!.signed, `${at}#/roots/${versions.length - 1}`);
  return { file, versions, trust: { ...newest, firstRootSha256: versions[0]!.sha256 } };
}

/** Whom a trust file trusts, as it stands at its newest version. Throws what parseTrustChain throws. */
export function parseTrust(bytes: Uint8Array, at: string): Trust {
  return parseTrustChain(bytes, at).trust;
}

/** Which keys may sign a lane and how many must: the most specific rule that matches, exact before longest prefix. */
export function signersOf(trust: Trust, laneId: string): { threshold: number; keys: TrustedKey[] } | undefined {
  const matching = trust.rules
    .filter(({ lanes }) => (lanes.endsWith("*") ? laneId.startsWith(lanes.slice(0, -1)) : lanes === laneId))
    .sort(
      (a, b) =>
        Number(a.lanes.endsWith("*")) - Number(b.lanes.endsWith("*")) ||
        b.lanes.length - a.lanes.length ||
        byCodeUnit(a.lanes, b.lanes),
    );
  const rule = matching[0];
  if (!rule) return undefined;
  return { threshold: rule.threshold, keys: trust.keys.filter((key) => rule.keyIds.includes(key.keyId)) };
}

/** Trust in one key, for every lane or those a pattern names, without a file: for programs that hold the key themselves. */
export function trustOf(key: PublicKey, owner: string, lanes: string): Trust {
  const keeper = { key, owner };
  const signed = initTrust({ root: [keeper], signers: [keeper], lanes, expires: "9999-12-31T23:59:59Z" });
  const { sha256 } = readRoot({ signed, signatures: [] }, "trust#");
  return { ...readTrustRoot(signed, "trust#"), firstRootSha256: sha256 };
}
