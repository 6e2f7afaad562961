import { signatureProblem } from "../../lib/bytes/ed25519.js";
import type { Finding } from "../../lib/finding.js";
import { preAuthEncoding } from "../../lib/manifest/envelope.js";
import { signersOf } from "../../lib/manifest/trust.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import type { LaneEvidence, Policy } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

const AT = LANE_FILES.envelope;

/** Enough distinct trusted keys signed exactly this manifest. Thresholds count keys, never signatures or key ids. */
export const signatures: Check = {
  id: "signatures",
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
  countSigners(notes, envelope.value, statement.value.predicate.lane_id, policy);
  return notes.outcome({ code: "E_SIGNATURE_MISSING", at: AT });
}

function countSigners(
  notes: Notes,
  { envelope, payload, signatures: raw }: Extract<LaneEvidence["envelope"], { ok: true }>["value"],
  laneId: string,
  policy: Policy,
): void {
  const signers = policy.trust && signersOf(policy.trust, laneId);
  const message = preAuthEncoding(envelope.payloadType, payload);
  const signedBy = new Set<string>();
  for (const [index, { keyid }] of envelope.signatures.entries()) {
    const at = `${AT}#/signatures/${index}`;
    const signature = raw[index]!;
    notes.examined();
    if (signature.length !== 64) {
      notes.add({
        code: "E_SIG_LEN",
        at,
        expected: "64 bytes",
        found: `${signature.length} bytes`,
        message: "this is no Ed25519 signature",
      });
      continue;
    }
    const key = signers?.keys.find((known) => known.keyId === keyid);
    // A signature by a key nobody here knows proves nothing and harms nothing.
    if (!key) continue;
    const problem = signatureProblem(message, signature, key.bytes);
    if (problem === undefined) signedBy.add(Buffer.from(key.bytes).toString("hex"));
    else notes.add(signatureFinding(problem, at, keyid));
  }
  const threshold = signers?.threshold ?? 1;
  if (signedBy.size === 0) {
    const claimed = envelope.signatures.map((signature) => signature.keyid).join(", ");
    notes.add({
      code: "E_UNTRUSTED_KEY",
      at: AT,
      expected: signers
        ? signers.keys.map((key) => key.keyId).join(" or ")
        : `a trust file that speaks of lane ${laneId}`,
      found: shown(claimed),
      message: "no key that is trusted for this lane signed it",
    });
  } else if (signedBy.size < threshold) {
    notes.add({
      code: "E_THRESHOLD",
      at: AT,
      expected: `${threshold} distinct keys`,
      found: String(signedBy.size),
      message: "fewer trusted keys signed than the trust file asks for",
    });
  }
}

function signatureFinding(
  problem: NonNullable<ReturnType<typeof signatureProblem>>,
  at: string,
  keyid: string,
): Finding {
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
