// The trust file of a case.
import { addSigner, initTrust, removeSigner, revokeKey, rotateRoot } from "../../../lib/manifest/trust-change.js";
import type { RootSigned } from "../../../schemas/index.js";
import { testKey } from "../test-key.js";
import { bytesOf, chainOf, FAR, owned, trustFileOf } from "../trust-files.js";
import { BESIDE, type Bench } from "./bench.js";
import type { TrustChange, TrustSpec } from "./recipe.js";

/** When a key is revoked unless the case says when. */
export const REVOKED_SINCE = "2026-03-01T12:00:00.000Z";

function changed(before: RootSigned, change: TrustChange): RootSigned {
  if ("add" in change) {
    const { add, lanes = "*", threshold } = change;
    return addSigner(before, { signer: owned(add), lanes, ...(threshold === undefined ? {} : { threshold }) });
  }
  if ("remove" in change) {
    const { remove, lanes } = change;
    return removeSigner(before, { keyId: testKey(remove).keyId, ...(lanes === undefined ? {} : { lanes }) });
  }
  if ("revoke" in change) {
    const { revoke, since = REVOKED_SINCE, reason = "laptop stolen" } = change;
    return revokeKey(before, { keyId: testKey(revoke).keyId, since, reason });
  }
  const { add = [], remove = [], threshold } = change.rotate;
  return rotateRoot(before, {
    add: add.map(owned),
    remove: remove.map((word) => testKey(word).keyId),
    ...(threshold === undefined ? {} : { threshold }),
  });
}

/** Bytes of the trust file that a case asks for; undefined: none is given. */
export function trustBytes(bench: Bench, spec: "author" | "none" | TrustSpec = "author"): Buffer | undefined {
  if (spec === "none") return undefined;
  if (spec === "author") return Buffer.from(trustFileOf(testKey("author"), "test author", "*"));
  const { root = ["keeper"], root_threshold, signers = ["author"], lanes = "*", threshold, changes = [], edits } = spec;
  const first = initTrust({
    root: root.map(owned),
    signers: signers.map(owned),
    lanes,
    expires: FAR,
    ...(root_threshold === undefined ? {} : { rootThreshold: root_threshold }),
    ...(threshold === undefined ? {} : { threshold }),
  });
  const later = changes.map(
    (change) => [(before: RootSigned) => changed(before, change), ...(change.by ?? root)] as const,
  );
  return bench.edited(BESIDE.trust, bytesOf(chainOf([first, ...root], ...later)), edits);
}
