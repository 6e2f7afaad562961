// One question without the rest of its lane: the signed manifest, and a proof that the question's leaf stands in one of the
// manifest's trees. Pure, like verify.ts. What the proof says of itself is never believed: the size of the tree and its root
// are the manifest's, and the leaf's bytes are made again from what it says.
import { EXIT } from "../lib/finding.js";
import { MemorySource } from "../lib/io/memory-source.js";
import { parseProof } from "../lib/manifest/proof.js";
import { LANE_FILES } from "../lib/records/documents.js";
import { TOOL } from "../lib/tool.js";
import type { Manifest, Proof, ProofReport } from "../schemas/index.js";
import type { Check } from "./check.js";
import { checkpointOutcome, judgeCheckpoint, judged, laneSigners } from "./checks/checkpoints.js";
import { history } from "./checks/history.js";
import { signatures } from "./checks/signatures.js";
import { gatherLane, type LaneEvidence, type Policy } from "./evidence.js";
import { Notes, type Outcome } from "./outcome.js";
import { type GivenBytes, inclusionCheck, leafCheck, manifestCheck, namedCheck, readerIn } from "./proof-checks.js";
import { exitCodeOf, isGap, reported, severitiesOf } from "./verdict.js";

export interface GivenProof {
  /** The question that is asked for; the proof has no say in it. */
  readonly questionId: string;
  readonly proof: GivenBytes;
  readonly manifest: Uint8Array;
  /** Undefined when there is none: then nothing is signed. */
  readonly envelope: Uint8Array | undefined;
  /** A request body, and an answer, that should be the ones the leaf names. */
  readonly request?: GivenBytes | undefined;
  readonly answer?: GivenBytes | undefined;
}

const ROLLBACK = "Rollback was not evaluated: nothing was given that tells which version was seen before.";

type Parsed = ReturnType<typeof parseProof>;
type Step = readonly [check: Pick<Check, "id" | "title">, outcome: Outcome];

/** Verifies a proof of one question against a signed manifest. */
export function verifyProof(given: GivenProof, policy: Policy): ProofReport {
  const files = new Map([[LANE_FILES.manifest as string, given.manifest]]);
  if (given.envelope) files.set(LANE_FILES.envelope, given.envelope);
  const evidence = gatherLane(new MemorySource(files), undefined);
  const manifestOutcome = manifestCheck(evidence);
  const signed = manifestOutcome.kind === "passed" && evidence.manifest.ok ? evidence.manifest.value : undefined;
  const { outcome: proofOutcome, proof } = proofCheck(given.proof);
  const steps: Step[] = [
    [signatures, signatures.start(evidence, policy).finish(new Map())],
    ...(policy.state ? [[history, history.start(evidence, policy).finish(new Map())] as const] : []),
    [{ id: "manifest", title: "The manifest is the one that was signed" }, manifestOutcome],
    [{ id: "proof", title: "The proof is in the form c2sp.org/tlog-proof@v1" }, proofOutcome],
    ...boundSteps(given, { evidence, policy, signed, proof }),
    ...givenSteps(given, proof?.document),
  ];
  return reportOn(given, evidence, proof?.document, steps);
}

function proofCheck({ bytes, at }: GivenBytes): { outcome: Outcome; proof: Parsed | undefined } {
  const notes = new Notes();
  notes.examined();
  const proof = judged(() => parseProof(bytes, at), at, notes);
  return { outcome: notes.outcome({ code: "E_PROOF", at }), proof };
}

interface Ground {
  readonly evidence: LaneEvidence;
  readonly policy: Policy;
  /** The manifest, when it is the one signed. */
  readonly signed: Manifest | undefined;
  readonly proof: Parsed | undefined;
}

/** What ties the proof to the manifest and the leaf to the question. */
function boundSteps({ questionId, proof: { at } }: GivenProof, { evidence, policy, signed, proof }: Ground): Step[] {
  const checks = {
    checkpoint: { id: "checkpoint", title: "The checkpoint is a signed statement of the manifest's tree" },
    leaf: { id: "leaf", title: "The leaf is of the question asked for" },
    inclusion: { id: "inclusion", title: "The leaf stands in the manifest's tree" },
  };
  if (!proof) {
    const outcome: Outcome = { kind: "not-run", why: "the proof could not be read" };
    return Object.values(checks).map((check) => [check, outcome]);
  }
  const leaf: Step = [checks.leaf, leafCheck(proof, questionId, at)];
  if (!signed) {
    const outcome: Outcome = { kind: "not-run", why: "the manifest is not one that was signed" };
    return [[checks.checkpoint, outcome], leaf, [checks.inclusion, outcome]];
  }
  return [
    [checks.checkpoint, checkpointCheck(proof, signed, at, evidence, policy)],
    leaf,
    [checks.inclusion, inclusionCheck(proof, signed, at)],
  ];
}

function checkpointCheck(
  { document, checkpoint }: Parsed,
  lane: Manifest,
  at: string,
  evidence: LaneEvidence,
  policy: Policy,
): Outcome {
  const notes = new Notes();
  notes.examined();
  const signers = laneSigners(lane, evidence, policy);
  const expected = { lane, tree: document.tree, at: `${at}#checkpoint` };
  const state = judgeCheckpoint(checkpoint, expected, signers, notes);
  return checkpointOutcome(notes, state === "unknown" ? signers : undefined);
}

/** The files that were given, each against the digest that the proof names for it. */
function givenSteps({ request, answer }: GivenProof, document: Proof | undefined): Step[] {
  const unread: Outcome = { kind: "not-run", why: "the proof could not be read" };
  const steps: Step[] = [];
  if (request) {
    const check = { id: "request", title: "The given request is the one that the leaf names" };
    const named = document && readerIn(document)?.request_sha256;
    steps.push([check, document ? namedCheck(request, "request", named, document.tree) : unread]);
  }
  if (answer) {
    const check = { id: "answer", title: "The given answer is the one that the leaf names" };
    const named = document?.tree === "item" ? document.leaf.answer_sha256 : undefined;
    steps.push([check, document ? namedCheck(answer, "answer", named, document.tree) : unread]);
  }
  return steps;
}

function reportOn(
  { questionId }: GivenProof,
  { manifest, manifestSha256 }: LaneEvidence,
  document: Proof | undefined,
  steps: readonly Step[],
): ProofReport {
  const outcomes = steps.map(([, outcome]) => outcome);
  const exitCode = exitCodeOf(severitiesOf(outcomes), outcomes.some(isGap));
  return {
    schema: "sealane-proof-report/1",
    tool: TOOL,
    lane:
      manifest.ok && manifestSha256 !== undefined
        ? {
            lane_id: manifest.value.lane_id,
            lane_version: manifest.value.lane_version,
            manifest_sha256: manifestSha256,
            questions: manifest.value.population.count,
          }
        : null,
    question_id: questionId,
    tree: document?.tree ?? null,
    bound: exitCode === EXIT.ok && document ? boundBy(document) : null,
    limits: [
      ...outcomes.flatMap((outcome) => ("limits" in outcome ? outcome.limits : [])),
      ...(steps.some(([{ id }]) => id === history.id) ? [] : [ROLLBACK]),
      "The rest of the lane was not looked at: that its records hold together is for verification of the whole lane to say.",
    ],
    exit_code: exitCode,
    checks: steps.map(([check, outcome]) => reported(check, outcome)),
  };
}

function boundBy(document: Proof): NonNullable<ProofReport["bound"]> {
  switch (document.tree) {
    case "reader":
      return { reader: document.leaf, evaluator: null, item: null };
    case "evaluator":
      return { reader: null, evaluator: document.leaf, item: null };
    case "item":
      return { reader: document.reader_leaf, evaluator: document.evaluator_leaf, item: document.leaf };
  }
}
