// Signed notes, checkpoints, verifier keys and proofs of one question.
import { MemorySource } from "../../../../lib/io/memory-source.js";
import { proveQuestion } from "../../../../lib/lane/prove.js";
import { checkpointOf, checkpointText, parseCheckpoint } from "../../../../lib/manifest/checkpoint.js";
import {
  formatVerifierKey,
  noteOf,
  noteVerifier,
  openNote,
  parseNote,
  parseVerifierKey,
  signNote,
} from "../../../../lib/manifest/note.js";
import { buildProof, parseProof } from "../../../../lib/manifest/proof.js";
import { TREE_NAMES } from "../../../../lib/manifest/trees.js";
import { checkpointPath, LANE_FILES } from "../../../../lib/records/documents.js";
import { isDocument, type Manifest } from "../../../../schemas/index.js";
import { verifyProof } from "../../../../verifiers/proof.js";
import { BASES } from "../../cases/bases.js";
import { authorTrust, parsed } from "../../lane.js";
import { testKey } from "../../test-key.js";
import { withinBase64 } from "../mutators/base64.js";
import { mutateBytes } from "../mutators/bytes.js";
import { mutateJson } from "../mutators/json.js";
import { mutateLines } from "../mutators/lines.js";
import { must, type Target } from "../target.js";

const KNOWN = noteVerifier("known.example/log", testKey("author"));
const TEXTS = ["one\n", "one\n\ntwo\n", "\u2014 one AAAA\n"];

/** A note put together again is the note: nothing in it was overlooked. */
function again({ text, signatures }: ReturnType<typeof parseNote>): string {
  const notes = signatures.map((signature) => noteOf(text, signature));
  return notes.reduce((whole, note) => whole + note.slice(text.length + 1));
}

const note: Target = {
  name: "note",
  seeds: async () =>
    TEXTS.map((text) => ({ name: text, bytes: Buffer.from(signNote(text, KNOWN.name, testKey("author"))) })),
  mutators: [mutateLines, withinBase64(mutateBytes)],
  quickInputs: 600,
  run(input) {
    must(again(parseNote(input, "note")) === input.toString("utf8"), "a note has one form");
    must(TEXTS.includes(openNote(input, [KNOWN], "note")), "only what was signed is opened");
    return true;
  },
};

const checkpoint: Target = {
  name: "checkpoint",
  async seeds() {
    const manifest = parsed<Manifest>(await BASES.one!.lane(), LANE_FILES.manifest);
    return TREE_NAMES.map((tree) => ({ name: tree, bytes: Buffer.from(checkpointText(checkpointOf(manifest, tree))) }));
  },
  mutators: [mutateLines, withinBase64(mutateBytes)],
  quickInputs: 600,
  run(input) {
    const text = input.toString("utf8");
    must(checkpointText(parseCheckpoint(text, "checkpoint")) === text, "a checkpoint has one form");
    return true;
  },
};

const verifierKey: Target = {
  name: "verifier-key",
  seeds: async () => [{ name: "known", bytes: Buffer.from(formatVerifierKey(KNOWN)) }],
  mutators: [withinBase64(mutateBytes)],
  quickInputs: 300,
  run(input) {
    const text = input.toString("utf8");
    must(formatVerifierKey(parseVerifierKey(text, "key")) === text, "a verifier key has one form");
    return true;
  },
};

const proof: Target = {
  name: "proof",
  async seeds() {
    const lane = new MemorySource(await BASES.replies!.lane());
    const id = parsed<{ question_id: string }>(
      new Map([
        ["first", Buffer.from((await BASES.replies!.lane()).get(LANE_FILES.population)!.toString().split("\n")[0]!)],
      ]),
      "first",
    ).question_id;
    return TREE_NAMES.map((tree) => ({
      name: `${tree}:${id}`,
      bytes: Buffer.from(proveQuestion(lane, tree, id).proof),
    }));
  },
  mutators: [mutateLines, withinBase64(mutateBytes), withinBase64(mutateJson)],
  quickInputs: 120,
  weight: 2,
  async run(input, seed) {
    const lane = await BASES.replies!.lane();
    const questionId = seed.name.slice(seed.name.indexOf(":") + 1);
    const given = {
      questionId,
      proof: { bytes: input, at: "proof" },
      manifest: lane.get(LANE_FILES.manifest)!,
      envelope: lane.get(LANE_FILES.envelope)!,
    };
    const report = verifyProof(given, { trust: authorTrust() });
    must(isDocument("proof-report", report), "a report is of its schema");
    const parts = parseProof(input, "proof");
    const note = again(parts.checkpoint);
    must(buildProof(parts, note) === input.toString("utf8"), "a proof has one form");
    if (report.exit_code !== 0) return false;
    const { tree } = parts.document;
    const right = proveQuestion(new MemorySource(lane), tree, questionId).proof;
    must(right.startsWith(buildProof(parts, "")), "what is proved is what the lane proves");
    must(
      lane.get(checkpointPath(tree))!.toString("utf8").startsWith(parts.checkpoint.text),
      "and its checkpoint the lane's",
    );
    return true;
  },
};

export const NOTE_TARGETS: readonly Target[] = [note, checkpoint, verifierKey, proof];
