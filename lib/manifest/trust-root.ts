// What one version of a trust file says: keys and their owners, who may sign which lane, which keys are revoked.
import type { RootSigned } from "../../schemas/index.js";
import { standardBase64 } from "../bytes/base64.js";
import { SealaneError } from "../finding.js";
import { admitCertificate, type Certificate } from "../time/certificate.js";
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
  /** Who may witness a lane, and how many distinct keys of them must; undefined when nobody may. */
  readonly witnesses: { readonly threshold: number; readonly keyIds: readonly string[] } | undefined;
  /** Certificates that time-stamp tokens must lead to. */
  readonly authorities: readonly Certificate[];
  /** Whether a lane needs a trusted time. */
  readonly timeRequired: boolean;
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

/** Who may witness, apart from those who sign or are revoked. */
function witnessesIn(signed: RootSigned, others: ReadonlySet<string>, at: string): Trust["witnesses"] {
  const rule = signed["x-sealane-witnesses"];
  if (rule === undefined) return undefined;
  const place = `${at}/signed/x-sealane-witnesses`;
  const keyIds = [...new Set(rule.keyids)];
  refuseUnknown(keyIds, signed, place);
  if (rule.threshold > keyIds.length) {
    throw new SealaneError("E_THRESHOLD_CFG", `${place} asks for more witnesses than it has keys`, {
      at: place,
      expected: `an integer from 1 to ${keyIds.length}`,
      found: String(rule.threshold),
    });
  }
  const overlap = keyIds.find((keyId) => others.has(keyId));
  if (overlap !== undefined) {
    throw new SealaneError("E_ROLE_OVERLAP", `${place}: a witness's key signs lanes or versions, or is revoked`, {
      at: place,
      found: overlap,
      next: "A witness needs a key of his own: sealane trust remove --witness KEY, then sealane trust add --witness KEY",
    });
  }
  return { threshold: rule.threshold, keyIds };
}

/** The last 32 bytes of an Ed25519 SPKI document are the key (RFC 8410 section 4). */
const rawKeyOf = ({ x509 }: Certificate): Buffer | undefined =>
  x509.publicKey.asymmetricKeyType === "ed25519"
    ? x509.publicKey.export({ format: "der", type: "spki" }).subarray(-32)
    : undefined;

/** Certificates of authorities; none of a key that the file holds for another role. */
function authoritiesIn(signed: RootSigned, keys: readonly PublicKey[], at: string): Certificate[] {
  const seen = new Set<string>();
  return (signed["x-sealane-authorities"] ?? []).map((text, index) => {
    const place = `${at}/signed/x-sealane-authorities/${index}`;
    const der = standardBase64(text);
    if (der === undefined) throw new SealaneError("E_KEY", `${place} is no certificate in base64`, { at: place });
    const certificate = admitCertificate(der, place);
    if (seen.has(certificate.sha256)) {
      throw new SealaneError("E_DUPLICATE", `${place} stands twice`, { at: place, found: certificate.sha256 });
    }
    seen.add(certificate.sha256);
    const raw = rawKeyOf(certificate);
    if (raw !== undefined && keys.some(({ bytes }) => raw.equals(bytes))) {
      throw new SealaneError("E_ROLE_OVERLAP", `${place}: the authority's key has another role too`, {
        at: place,
        found: certificate.sha256,
      });
    }
    return certificate;
  });
}

/**
 * What a version says, once every key is admitted and every rule can be met; whether it is signed is for the chain to say.
 *
 * Roles must be apart, or E_ROLE_OVERLAP: a key of the root role may sign lanes only where one root key alone decides
 * everything anyway (threshold 1: the simplest set-up, of one person with one key), and a revoked key may not be a root key. Who
 * says when a lane was signed, a witness or an authority, may be no key of root or lanes and no revoked one.
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
  const others = new Set([...forbidden, ...keyIds, ...rules.flatMap((rule) => rule.keyIds)]);
  const witnesses = witnessesIn(signed, others, at);
  const authorities = authoritiesIn(signed, keys, at);
  const timeRequired = signed["x-sealane-time-required"] === true;
  return { version, expires, root: { threshold, keyIds }, keys, rules, revoked, witnesses, authorities, timeRequired };
}
