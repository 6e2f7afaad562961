import { utcText } from "../../lib/io/clock.js";
import { signersOf } from "../../lib/manifest/trust.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { judgeAnchors } from "../anchors.js";
import type { Check } from "../check.js";
import { envelopeSignatureProblem } from "../envelope-signature.js";
import type { LaneEvidence, Policy } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

/** What others say of the lane holds: witnesses who cosigned it, authorities and calendars that stamped its signatures. */
export const anchors: Check = {
  id: "anchors",
  title: "Witnesses and time stamps given are of this lane, and hold",
  // A note, and any file, can also be refused for what checkpoints and documents can: E_CHECKPOINT, E_LIMIT, E_VERSION, E_KEYTYPE.
  how: "with `--anchor`: cosigned checkpoints, RFC 3161 tokens and OpenTimestamps proofs against the lane's signatures and the trust file",
  emits: ["E_WITNESS", "E_TSA", "E_OTS", "E_ANCHOR"],
  needs: () => [],
  start: (evidence, policy) => ({ finish: () => examine(evidence, policy) }),
};

const ASKED = "the trust file asks for a trusted time, and no anchor shows one of a signature that counts";

function examine(evidence: LaneEvidence, policy: Policy): Outcome {
  const { envelope, manifest } = evidence;
  const required = policy.trust?.timeRequired === true;
  if (!policy.anchors?.length) {
    return required
      ? { kind: "not-run", why: ASKED }
      : { kind: "not-applicable", why: "no anchor was given; see --anchor" };
  }
  if (!envelope.ok || !manifest.ok) return { kind: "not-run", why: "manifest and signatures could not be read" };
  const { findings, limits, judged, times } = judgeAnchors(evidence, policy);
  const notes = new Notes();
  notes.examined(judged);
  for (const finding of findings) notes.add(finding);
  for (const limit of limits) notes.limit(limit);
  const allowed = (policy.trust && signersOf(policy.trust, manifest.value.lane_id)?.keys) ?? [];
  let counting = 0;
  for (const [index, shown] of times) {
    const { keyid } = envelope.value.envelope.signatures[index]!;
    const key = allowed.find((candidate) => candidate.keyId === keyid);
    if (!key || envelopeSignatureProblem(envelope.value, index, key) !== undefined) continue;
    counting += 1;
    for (const { ms, by } of shown) {
      notes.limit(`Trusted time: the signature by ${keyid} was there by ${utcText(ms)}, ${by}.`);
    }
  }
  if (findings.length === 0 && required && counting === 0) return { kind: "not-run", why: ASKED, limits };
  if (judged === 0) return { kind: "not-run", why: "no anchor could be evaluated", stands: true, limits };
  return notes.outcome({ code: "E_ANCHOR", at: LANE_FILES.envelope });
}
