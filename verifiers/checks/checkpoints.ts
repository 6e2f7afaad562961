import { type Finding, SealaneError } from "../../lib/finding.js";
import {
  type Checkpoint,
  checkpointOf,
  checkpointSigners,
  checkpointText,
  parseCheckpoint,
} from "../../lib/manifest/checkpoint.js";
import type { PublicKey } from "../../lib/manifest/keys.js";
import { type Note, noteSigners, parseNote } from "../../lib/manifest/note.js";
import { TREE_NAMES } from "../../lib/manifest/trees.js";
import { signersOf } from "../../lib/manifest/trust.js";
import { checkpointPath } from "../../lib/records/documents.js";
import type { Manifest, TreeName } from "../../schemas/index.js";
import { type Check, findingOf } from "../check.js";
import { envelopeSignatureProblem } from "../envelope-signature.js";
import type { LaneEvidence, Policy } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

/** Each checkpoint says exactly what the manifest says of its tree, over the signature of a key that signed the manifest. */
export const checkpoints: Check = {
  id: "checkpoints",
  how: "each tree's signed checkpoint (C2SP) against the manifest and the keys that signed it",
  title: "The checkpoints are signed statements of the manifest's trees",
  emits: ["E_CHECKPOINT"],
  needs: () => TREE_NAMES.map(checkpointPath),
  start: (evidence, policy) => ({
    finish() {
      if (!evidence.manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
      const lane = evidence.manifest.value;
      const signers = laneSigners(lane, evidence, policy);
      const notes = new Notes();
      let unknown = false;
      for (const tree of TREE_NAMES) {
        const at = checkpointPath(tree);
        const read = evidence.checkpoints.get(tree);
        if (!read?.ok) return { kind: "not-run", why: `${at} could not be read` };
        notes.examined();
        const note = judged(() => parseNote(read.value, at), at, notes);
        if (note && judgeCheckpoint(note, { lane, tree, at }, signers, notes) === "unknown") unknown = true;
      }
      return checkpointOutcome(notes, unknown ? signers : undefined);
    },
  }),
};

/** Whose signatures on a checkpoint can be judged. */
export interface LaneSigners {
  /** Keys that the trust file allows for the lane. */
  readonly allowed: readonly PublicKey[];
  /** Those of them that signed the manifest, by key id. */
  readonly signed: ReadonlySet<string>;
  /** Whether the manifest holds signatures by other keys too, of which nothing is known here. */
  readonly others: boolean;
}

export function laneSigners(
  { lane_id }: Pick<Manifest, "lane_id">,
  { envelope }: Pick<LaneEvidence, "envelope">,
  { trust }: Policy,
): LaneSigners {
  const allowed = (trust && signersOf(trust, lane_id)?.keys) ?? [];
  const signed = new Set<string>();
  if (!envelope.ok) return { allowed, signed, others: false };
  let others = false;
  for (const [index, { keyid }] of envelope.value.envelope.signatures.entries()) {
    const key = allowed.find((candidate) => candidate.keyId === keyid);
    if (!key) others = true;
    else if (envelopeSignatureProblem(envelope.value, index, key) === undefined) signed.add(keyid);
  }
  return { allowed, signed, others };
}

/** Which tree of which lane a note should be a checkpoint of, and where it stands. */
export interface ExpectedCheckpoint {
  readonly lane: Manifest;
  readonly tree: TreeName;
  readonly at: string;
}

/**
 * Holds a note against the manifest's tree and its signers. A false line of an allowed key condemns it, and so does the want
 * of a line by a key that signed the manifest; `unknown` when only keys that are not known here can have signed it.
 */
export function judgeCheckpoint(
  note: Note,
  { lane, tree, at }: ExpectedCheckpoint,
  { allowed, signed, others }: LaneSigners,
  notes: Notes,
): "judged" | "unknown" {
  const expected = checkpointOf(lane, tree);
  const said = judged(() => parseCheckpoint(note.text, at), at, notes);
  if (said) for (const finding of differences(said, expected, at)) notes.add(finding);
  const known = checkpointSigners(lane, tree, allowed);
  const signers = judged(() => noteSigners(note, known, at), at, notes);
  if (!signers || signers.some(({ key }) => signed.has(key.keyId))) return "judged";
  if (signed.size === 0 || others) return "unknown";
  notes.add({
    code: "E_CHECKPOINT",
    at,
    expected: known
      .filter(({ key }) => signed.has(key.keyId))
      .map(({ name, id }) => `${name} ${id}`)
      .join(" or "),
    found: note.signatures.map(({ name, id }) => `${name} ${id}`).join(", "),
    message: "no key that signed the manifest signed this checkpoint",
  });
  return "judged";
}

/** The outcome; of a note whose signers are not known here the check of signatures has more to say. */
export function checkpointOutcome(notes: Notes, unknown: LaneSigners | undefined): Outcome {
  const outcome = notes.outcome({ code: "E_CHECKPOINT", at: checkpointPath("item") });
  if (outcome.kind !== "passed" || !unknown) return outcome;
  const why =
    unknown.signed.size === 0
      ? "no key that is trusted for this lane signed its manifest"
      : "signed by none of the keys that are trusted for this lane";
  return { kind: "not-run", why, stands: true };
}

function differences(said: Checkpoint, expected: Checkpoint, at: string): Finding[] {
  const lines = (checkpoint: Checkpoint): string[] => checkpointText(checkpoint).trimEnd().split("\n");
  const [found, right] = [lines(said), lines(expected)];
  return ["origin", "tree size", "root"].flatMap((name, line): Finding[] => {
    if (found[line] === right[line]) return [];
    const message = `the ${name} is not that of the manifest's tree`;
    return [{ code: "E_CHECKPOINT", at: `${at}:${line + 1}`, expected: right[line]!, found: found[line]!, message }];
  });
}

/** What a reading gives; what is wrong with what is read becomes a finding. */
export function judged<T>(read: () => T, at: string, notes: Notes): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    notes.add(findingOf(error, at));
    return undefined;
  }
}
