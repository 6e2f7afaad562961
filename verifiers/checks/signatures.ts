import type { SignatureProblem } from "../../lib/bytes/ed25519.js";
import type { Finding } from "../../lib/finding.js";
import { utcText } from "../../lib/io/clock.js";
import { seenOf } from "../../lib/manifest/state.js";
import { type Revocation, signersOf } from "../../lib/manifest/trust.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { printable, shortened } from "../../lib/report/printable.js";
import { type Judgement, judgeAnchors } from "../anchors.js";
import { type Check, shown } from "../check.js";
import { envelopeSignatureProblem } from "../envelope-signature.js";
import type { LaneEvidence, Policy } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

const AT = LANE_FILES.envelope;

/** Enough distinct trusted keys signed exactly this manifest. Thresholds count keys, never signatures or key ids. */
export const signatures: Check = {
  id: "signatures",
  how: "DSSE envelope and in-toto statement against the trust file; Ed25519 strictly, by two implementations that must agree",
  title: "The manifest is signed by keys trusted for this lane",
  emits: [
    "E_SIGNATURE_MISSING",
    "E_SIG",
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

function examine(evidence: LaneEvidence, policy: Policy): Outcome {
  const { envelope, statement, manifest, manifestSha256 } = evidence;
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
    notes.add({
      code: "E_SUBJECT",
      at: AT,
      message: `the signed payload is not a statement about a lane: ${statement.error.message}`,
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
  const { times } = judgeAnchors(evidence, policy);
  countSigners(notes, envelope.value, { laneId: statement.value.predicate.lane_id, manifestSha256, times }, policy);
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
    else if (revocation === undefined) signers.counted.add(bytes);
    else {
      const shows = wasThereBefore(revocation, lane, index, policy);
      if (shows === undefined) signers.revoked.set(bytes, revocation);
      else {
        signers.counted.add(bytes);
        notes.limit(`A signature by the revoked key ${keyid} counts: ${shows}, before ${revocation.since}.`);
      }
    }
  }
  return signers;
}

interface Lane {
  readonly laneId: string;
  readonly manifestSha256: string | undefined;
  /** When signatures were there, as others say. */
  readonly times: Judgement["times"];
}

/**
 * What shows that a signature is older than the revocation of its key: this very manifest was found good here before, or a trusted
 * anchor is over this very signature. The lane's own word does not, because whoever holds a stolen key writes what he likes;
 * nor does an old signature by another key, because a stolen one can be put beside it.
 */
function wasThereBefore(
  { since }: Revocation,
  { laneId, manifestSha256, times }: Lane,
  index: number,
  { state }: Policy,
): string | undefined {
  const seen = state && seenOf(state, laneId);
  if (seen?.manifest_sha256 === manifestSha256 && seen && seen.first_seen < since) return "this lane was seen here";
  const time = times.get(index)?.[0];
  if (time === undefined || utcText(time.ms) >= since) return undefined;
  return `it was there by ${utcText(time.ms)}, ${time.by}`;
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
      expected: `this lane seen here, or this signature anchored, before ${since}`,
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
  const why =
    problem === "false" ? "" : ": it is not in the strict form (RFC 8032, S below the group order, canonical points)";
  return {
    code: "E_SIG",
    at,
    found: keyid,
    message: `a signature by a trusted key does not hold over these bytes${why}`,
  };
}
