// Who may sign which lane, and how many signatures that takes.
import type { Trust } from "../../schemas/index.js";
import { parseStrictJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import { admitPublicKey, type PublicKey } from "./keys.js";

/**
 * Reads a trust file. Every key is admitted once, here. Throws E_UTF8, E_JSON, E_LIMIT, E_SCHEMA, E_VERSION, E_KEY_WEAK,
 * E_KEY, E_DUPLICATE.
 */
export function parseTrust(bytes: Uint8Array, at: string): Trust {
  const value = checked("trust", parseStrictJson(bytes, at), at);
  const known = new Set<string>();
  for (const [index, key] of value.keys.entries()) {
    const place = `${at}#/keys/${index}`;
    const admitted = admitPublicKey(Buffer.from(key.public, "hex"), place);
    if (admitted.keyId !== key.keyid) {
      throw new SealaneError("E_KEY", `${place}: the key id is not the key's own`, {
        at: place,
        expected: admitted.keyId,
        found: key.keyid,
      });
    }
    if (known.has(key.keyid)) throw new SealaneError("E_DUPLICATE", `${place}: the key stands twice`, { at: place });
    known.add(key.keyid);
  }
  const ruled = new Set<string>();
  for (const [index, rule] of value.rules.entries()) {
    const place = `${at}#/rules/${index}`;
    if (ruled.has(rule.lanes))
      throw new SealaneError("E_DUPLICATE", `${place}: two rules are for the same lanes`, { at: place });
    ruled.add(rule.lanes);
    const distinct = new Set(rule.keyids);
    for (const keyid of distinct) {
      if (!known.has(keyid))
        throw new SealaneError("E_KEY", `${place} names a key that the file does not hold`, {
          at: place,
          found: keyid,
        });
    }
    if (rule.threshold > distinct.size) {
      throw new SealaneError("E_SCHEMA", `${place} asks for more signatures than it has keys`, { at: place });
    }
  }
  return value;
}

/** Which keys may sign a lane and how many must: the most specific rule that matches, exact before longest prefix. */
export function signersOf(trust: Trust, laneId: string): { threshold: number; keys: PublicKey[] } | undefined {
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
  const keyIds = new Set(rule.keyids);
  const keys = trust.keys
    .filter((key) => keyIds.has(key.keyid))
    .map((key) => ({ keyId: key.keyid, bytes: Buffer.from(key.public, "hex") }));
  return { threshold: rule.threshold, keys };
}

/** A trust file in which one key may sign every lane, or those a pattern names. */
export function trustOf(key: PublicKey, owner: string, lanes: string): Trust {
  return {
    schema: "sealane-trust/1",
    keys: [
      {
        keyid: key.keyId,
        keytype: "ed25519",
        scheme: "ed25519",
        public: Buffer.from(key.bytes).toString("hex"),
        owner,
      },
    ],
    rules: [{ lanes, threshold: 1, keyids: [key.keyId] }],
  };
}
