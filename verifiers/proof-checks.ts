// What is held against what in a proof of one question; verifiers/proof.ts says in which order, and what follows.
import { sha256Hex } from "../lib/bytes/digest.js";
import { canonicalJson } from "../lib/bytes/json.js";
import { leafHash, verifyInclusion } from "../lib/bytes/merkle.js";
import type { ProofParts } from "../lib/manifest/proof.js";
import { LANE_FILES } from "../lib/records/documents.js";
import type { Manifest, Proof, ReaderLeaf } from "../schemas/index.js";
import { findingOf, shown } from "./check.js";
import type { LaneEvidence } from "./evidence.js";
import { Notes, type Outcome } from "./outcome.js";

/** Bytes that were given, and under what name. */
export interface GivenBytes {
  readonly bytes: Uint8Array;
  readonly at: string;
}

/** The manifest can be read, and is the one that the envelope's statement is about. */
export function manifestCheck({ manifest, manifestSha256, statement, envelope }: LaneEvidence): Outcome {
  const notes = new Notes();
  notes.examined();
  if (!manifest.ok) notes.add(findingOf(manifest.error, LANE_FILES.manifest));
  // An envelope that is none: the check of signatures speaks of one that is missing or not base64.
  if (!envelope.ok && !["E_FILE_MISSING", "E_BASE64"].includes(envelope.error.code)) {
    notes.add(findingOf(envelope.error, LANE_FILES.envelope));
  }
  const outcome = notes.outcome({ code: "E_MANIFEST_MISSING", at: LANE_FILES.manifest });
  if (outcome.kind !== "passed") return outcome;
  if (!statement.ok) return { kind: "not-run", why: "nothing tells which manifest was signed" };
  const expected = statement.value.subject[0]?.digest.sha256;
  notes.expect(expected === manifestSha256, () => ({
    code: "E_DIGEST",
    at: LANE_FILES.manifest,
    expected: shown(expected),
    found: shown(manifestSha256),
    message: "the manifest is not the one that was signed",
  }));
  return notes.outcome({ code: "E_MANIFEST_MISSING", at: LANE_FILES.manifest });
}

/** The leaf is of the question, stands where it says it stands, and names the leaves beside it. */
export function leafCheck({ document, index }: ProofParts, questionId: string, at: string): Outcome {
  const notes = new Notes();
  const leaves = leavesIn(document);
  for (const [name, leaf] of Object.entries(leaves)) {
    notes.examined();
    notes.expect(leaf.question_id === questionId, () => ({
      code: "E_INCLUSION",
      at: `${at}#extra/${name}`,
      expected: questionId,
      found: leaf.question_id,
      message: "the leaf is of another question",
    }));
    notes.expect(BigInt(leaf.ordinal) === index, () => ({
      code: "E_INCLUSION",
      at: `${at}#extra/${name}/ordinal`,
      expected: String(index),
      found: String(leaf.ordinal),
      message: "the leaf is not of the question at this place of the population",
    }));
  }
  if (document.tree === "item") {
    for (const side of ["reader", "evaluator"] as const) {
      const [named, found] = [document.leaf[`${side}_leaf_sha256`], sha256Hex(canonicalJson(document[`${side}_leaf`]))];
      notes.expect(named === found, () => ({
        code: "E_INCLUSION",
        at: `${at}#extra/${side}_leaf`,
        expected: named,
        found,
        message: `the ${side} leaf is not the one that the item names`,
      }));
    }
  }
  return notes.outcome({ code: "E_INCLUSION", at });
}

/** Every leaf that a proof holds, by its name there. */
function leavesIn(document: Proof): Record<string, Proof["leaf"]> {
  const { leaf } = document;
  return document.tree === "item"
    ? { leaf, reader_leaf: document.reader_leaf, evaluator_leaf: document.evaluator_leaf }
    : { leaf };
}

export function inclusionCheck({ document, index, path }: ProofParts, { trees }: Manifest, at: string): Outcome {
  const notes = new Notes();
  notes.examined();
  const { size, root } = trees[document.tree];
  const leaf = leafHash(canonicalJson(document.leaf));
  const holds = verifyInclusion(leaf, index, BigInt(size), path, Buffer.from(root, "hex"));
  notes.expect(holds, () => ({
    code: "E_INCLUSION",
    at,
    expected: `${root} over ${size} leaves`,
    found: `leaf ${leaf.toString("hex")} at index ${index}, path of ${path.length}`,
    message: `the path does not lead from the leaf to the root of the ${document.tree} tree`,
  }));
  return notes.outcome({ code: "E_INCLUSION", at });
}

/** The reader's side that a proof holds. */
export function readerIn(document: Proof): ReaderLeaf | undefined {
  if (document.tree === "reader") return document.leaf;
  return document.tree === "item" ? document.reader_leaf : undefined;
}

/** A given file is the one whose digest the proof names; undefined when the proof names none. */
export function namedCheck(
  given: GivenBytes,
  what: "request" | "answer",
  named: string | null | undefined,
  tree: Proof["tree"],
): Outcome {
  if (named === undefined) return { kind: "not-run", why: `a proof of the ${tree} tree names no ${what}` };
  const notes = new Notes();
  notes.examined();
  const found = sha256Hex(given.bytes);
  notes.expect(named === found, () => ({
    code: "E_DIGEST",
    at: given.at,
    expected: shown(named),
    found,
    message: `this is not the ${what} that the leaf names`,
  }));
  return notes.outcome({ code: "E_DIGEST", at: given.at });
}
