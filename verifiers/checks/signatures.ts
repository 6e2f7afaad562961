import type { SignatureProblem } from "../../lib/bytes/ed25519.js";
import type { Finding } from "../../lib/finding.js";
import { PAYLOAD_TYPE } from "../../lib/manifest/envelope.js";
import { seenOf } from "../../lib/manifest/state.js";
import { type Revocation, signersOf } from "../../lib/manifest/trust.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { printable, shortened } from "../../lib/report/printable.js";
import { type Check, shown } from "../check.js";
import { envelopeSignatureProblem } from "../envelope-signature.js";
import { ABOUT_DIGESTS, type LaneEvidence, type Policy } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

const AT = LANE_FILES.envelope;

/** Enough distinct trusted keys signed exactly this manifest. Thresholds count keys, never signatures or key ids. */
export const signatures: Check = {
  id: "signatures",
  title: "The manifest is signed by keys trusted for this lane",
  emits: [
    "E_SIGNATURE_MISSING",
    "E_SIG",
    "E_SIG_S_RANGE",
    "E_SIG_R",
    "E_SIG_LEN",
    "E_BASE64",
    "E_BACKENDS",
    "E_SUBJECT",
    "E_PREDICATE",
    "E_UNTRUSTED_KEY",
    "E_THRESHOLD",
    "E_LANE_OWNER",
    "E_REVOKED",
  ],
  needs: () => [],
  start: (evidence, policy) => ({ finish: () => examine(evidence, policy) }),
};

function examine({ envelope, statement, manifest, manifestSha256 }: LaneEvidence, policy: Policy): Outcome {
  const notes = new Notes();
  if (!envelope.ok) {
    if (envelope.error.code === "E_FILE_MISSING") {
      notes.add({ code: "E_SIGNATURE_MISSING", at: AT, message: "the lane has no signature envelope" });
    } else if (envelope.error.code === "E_BASE64") {
      notes.add({ code: "E_BASE64", at: envelope.error.at ?? AT, message: envelope.error.message });
    } else {
      return { kind: "not-run", why: "the signature envelope could not be read" };
    }
    return notes.outcome({ code: "E_SIGNATURE_MISSING", at: AT });
  }
  if (!statement.ok) {
    const { code, message } = statement.error;
    if (ABOUT_DIGESTS.has(code))
      return { kind: "not-run", why: "the digest in the signed statement could not be read" };
    notes.add({
      code: code === "E_PREDICATE" ? code : "E_SUBJECT",
      at: AT,
      message: `the signed payload is not a statement about a lane: ${message}`,
    });
    return notes.outcome({ code: "E_SIGNATURE_MISSING", at: AT });
  }
  if (manifest.ok && manifestSha256 === statement.value.subject[0]?.digest.sha256) {
    const { lane_id, lane_version } = statement.value.predicate;
    notes.expect(lane_id === manifest.value.lane_id && lane_version === manifest.value.lane_version, () => ({
      code: "E_PREDICATE",
      at: AT,
      expected: `${manifest.value.lane_id}, version ${manifest.value.lane_version}`,
      found: `${lane_id}, version ${lane_version}`,
      message: "the statement names another lane or version than the manifest it signs",
    }));
  }
  // The type is signed with the payload, so that nobody can pass off a payload of another kind as a statement.
  const { payloadType } = envelope.value.envelope;
  notes.expect(payloadType === PAYLOAD_TYPE, () => ({
    code: "E_PREDICATE",
    at: `${AT}#/payloadType`,
    expected: PAYLOAD_TYPE,
    found: shortened(printable(payloadType), 100),
    message: "the payload is called something else than an in-toto statement",
  }));
  countSigners(notes, envelope.value, { laneId: statement.value.predicate.lane_id, manifestSha256 }, policy);
  return notes.outcome({ code: "E_SIGNATURE_MISSING", at: AT });
}

type Opened = Extract<LaneEvidence["envelope"], { ok: true }>["value"];

/** The valid signatures by what they are worth for the lane; keys by their 32 bytes, so that none counts twice. */
interface Signers {
  /** Keys of the lane's rule, and revoked ones of it that are known to have signed in time. */
  readonly counted: Set<string>;
  readonly revoked: Map<string, Revocation>;
  /** Keys that the trust file knows, but not for this lane. */
  readonly elsewhere: Set<string>;
  /** Key ids of signatures by keys that nobody here knows; as they stand in the envelope. */
  readonly unknown: string[];
}

/** Verifies each signature by a known key. Which key and which kind of signature is the trust file's word; a key id is a hint. */
function signersIn(notes: Notes, opened: Opened, lane: Lane, policy: Policy): Signers {
  const { envelope, signatures: raw } = opened;
  const signers: Signers = { counted: new Set(), revoked: new Map(), elsewhere: new Set(), unknown: [] };
  const allowed = new Set(policy.trust && signersOf(policy.trust, lane.laneId)?.keys.map((key) => key.keyId));
  for (const [index, { keyid }] of envelope.signatures.entries()) {
    const at = `${AT}#/signatures/${index}`;
    const signature = raw[index]!;
    notes.examined();
    if (signature.length !== 64) {
      const found = `${signature.length} bytes`;
      notes.add({ code: "E_SIG_LEN", at, expected: "64 bytes", found, message: "this is no Ed25519 signature" });
      continue;
    }
    const key = policy.trust?.keys.find((known) => known.keyId === keyid);
    if (!key) {
      // A signature by a key nobody here knows proves nothing and harms nothing.
      signers.unknown.push(keyid);
      continue;
    }
    const problem = envelopeSignatureProblem(opened, index, key);
    const bytes = Buffer.from(key.bytes).toString("hex");
    const revocation = policy.trust?.revoked.find((revoked) => revoked.keyId === keyid);
    if (problem !== undefined) notes.add(signatureFinding(problem, at, keyid));
    else if (!allowed.has(keyid)) signers.elsewhere.add(bytes);
    else if (revocation === undefined || wasSeenBefore(revocation, lane, policy)) {
      signers.counted.add(bytes);
      if (revocation)
        notes.limit(
          `A signature by the revoked key ${keyid} counts: this lane was seen here before ${revocation.since}.`,
        );
    } else signers.revoked.set(bytes, revocation);
  }
  return signers;
}

interface Lane {
  readonly laneId: string;
  readonly manifestSha256: string | undefined;
}

/**
 * Whether this very manifest was found good here before its key was revoked. Nothing else shows when a lane was signed: its
 * own word does not, because whoever holds a stolen key writes what he likes.
 */
function wasSeenBefore({ since }: Revocation, { laneId, manifestSha256 }: Lane, { state }: Policy): boolean {
  const seen = state && seenOf(state, laneId);
  return seen !== undefined && seen.manifest_sha256 === manifestSha256 && seen.first_seen < since;
}

function countSigners(notes: Notes, opened: Opened, lane: Lane, policy: Policy): void {
  const { counted, revoked, elsewhere, unknown } = signersIn(notes, opened, lane, policy);
  if (policy.trust && unknown.length > 0) {
    const named = unknown.slice(0, 3).map((keyid) => shortened(printable(keyid), 64));
    const more = unknown.length > named.length ? ` and ${unknown.length - named.length} more` : "";
    notes.limit(`Signatures by keys that the trust file does not know were not looked at: ${named.join(", ")}${more}.`);
  }
  const rule = policy.trust && signersOf(policy.trust, lane.laneId);
  const threshold = rule?.threshold ?? 1;
  if (counted.size >= threshold) {
    for (const { keyId } of revoked.values()) notes.limit(`A signature by the revoked key ${keyId} was not counted.`);
    return;
  }
  for (const { keyId, since, reason } of revoked.values()) {
    notes.add({
      code: "E_REVOKED",
      at: AT,
      expected: `this lane seen here before ${since}`,
      found: `${keyId}, revoked since ${since}: ${reason}`,
      message: "the lane rests on a revoked key, and nothing shows that it was signed before",
    });
  }
  if (counted.size + revoked.size >= threshold) return;
  const expected = rule
    ? `${threshold} of ${rule.keys.map((key) => key.keyId).join(", ")}`
    : `a trust file that speaks of lane ${lane.laneId}`;
  if (elsewhere.size > 0) {
    const found = policy.trust!.keys.filter((key) => elsewhere.has(Buffer.from(key.bytes).toString("hex")));
    notes.add({
      code: "E_LANE_OWNER",
      at: AT,
      expected,
      found: found.map(({ keyId, owner }) => `${keyId} (${owner})`).join(", "),
      message: "the lane is signed by a known key that may not sign lanes of this name",
    });
  }
  if (counted.size + revoked.size > 0) {
    notes.add({
      code: "E_THRESHOLD",
      at: AT,
      expected: `${threshold} distinct keys`,
      found: String(counted.size + revoked.size),
      message: "fewer trusted keys signed than the trust file asks for",
    });
  } else if (elsewhere.size === 0) {
    notes.add({
      code: "E_UNTRUSTED_KEY",
      at: AT,
      expected,
      found: shown(opened.envelope.signatures.map((signature) => signature.keyid).join(", ")),
      message: "no key that is trusted for this lane signed it",
    });
  }
}

function signatureFinding(problem: SignatureProblem, at: string, keyid: string): Finding {
  if (problem === "backends") {
    return {
      code: "E_BACKENDS",
      at,
      found: keyid,
      message: "the two signature implementations disagree, so the answer is no",
    };
  }
  if (problem === "scalar") {
    return {
      code: "E_SIG_S_RANGE",
      at,
      found: keyid,
      message: "the S of a signature by a trusted key is not below the group order (RFC 8032 section 5.1.7)",
    };
  }
  if (problem === "point") {
    return {
      code: "E_SIG_R",
      at,
      found: keyid,
      message: "the R of a signature by a trusted key is of small order or not canonical",
    };
  }
  return { code: "E_SIG", at, found: keyid, message: "a signature by a trusted key does not hold over these bytes" };
}
