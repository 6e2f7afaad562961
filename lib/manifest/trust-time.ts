// Versions of a trust file that say otherwise whose word about time counts: witnesses, authorities, and whether one is needed.
import type { RootSigned } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import type { Certificate } from "../time/certificate.js";
import { nextOf, type Owned, unknownKey, whole, withKeys } from "./trust-change.js";

const AT = "trust";

/** One more witness; the threshold stays as it is, or is one, unless said. Throws E_DUPLICATE where nothing would change. */
export function addWitness(
  before: RootSigned,
  { witness, threshold }: { readonly witness: Owned; readonly threshold?: number },
): RootSigned {
  const { keyId } = witness.key;
  const rule = before["x-sealane-witnesses"] ?? { threshold: 1, keyids: [] };
  const next = { threshold: threshold ?? rule.threshold, keyids: [...new Set([...rule.keyids, keyId])] };
  if (next.keyids.length === rule.keyids.length && next.threshold === rule.threshold) {
    throw new SealaneError("E_DUPLICATE", "the key is a witness's already", { at: AT, found: keyId });
  }
  return whole(withKeys({ ...nextOf(before), "x-sealane-witnesses": next }, [witness]));
}

/** Takes a witness out; with the last one the rule ends. Throws E_UNKNOWN, and E_THRESHOLD_CFG for too few that are left. */
export function removeWitness(
  before: RootSigned,
  { keyId, threshold }: { readonly keyId: string; readonly threshold?: number },
): RootSigned {
  const { "x-sealane-witnesses": rule, ...others } = nextOf(before);
  if (!rule?.keyids.includes(keyId)) throw unknownKey(keyId, "no rule for witnesses");
  const keyids = rule.keyids.filter((other) => other !== keyId);
  if (keyids.length === 0) return whole(others);
  return whole({ ...others, "x-sealane-witnesses": { threshold: threshold ?? rule.threshold, keyids } });
}

/** One more certificate that time-stamp tokens may lead to. Throws E_DUPLICATE. */
export function addAuthority(before: RootSigned, { der, sha256 }: Certificate): RootSigned {
  const text = der.toString("base64");
  const certificates = before["x-sealane-authorities"] ?? [];
  if (certificates.includes(text)) {
    throw new SealaneError("E_DUPLICATE", "the certificate is in the file already", { at: AT, found: sha256 });
  }
  return whole({ ...nextOf(before), "x-sealane-authorities": [...certificates, text] });
}

/** Takes a certificate out. Throws E_UNKNOWN. */
export function removeAuthority(before: RootSigned, { der, sha256 }: Certificate): RootSigned {
  const { "x-sealane-authorities": certificates = [], ...others } = nextOf(before);
  const text = der.toString("base64");
  if (!certificates.includes(text)) {
    throw new SealaneError("E_UNKNOWN", "the file does not hold this certificate", { at: AT, found: sha256 });
  }
  const left = certificates.filter((other) => other !== text);
  return whole(left.length === 0 ? others : { ...others, "x-sealane-authorities": left });
}

/** Whether a lane needs a trusted time from now on. Throws E_DUPLICATE where nothing would change. */
export function requireTime(before: RootSigned, required: boolean): RootSigned {
  const { "x-sealane-time-required": was, ...others } = nextOf(before);
  if ((was === true) === required) {
    throw new SealaneError("E_DUPLICATE", `a trusted time is ${required ? "asked for" : "not asked for"} already`, {
      at: AT,
    });
  }
  return whole(required ? { ...others, "x-sealane-time-required": true } : others);
}
