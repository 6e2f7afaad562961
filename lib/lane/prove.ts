// A proof of one question out of a lane's records. Only the files that the tree is made of are opened, so that whoever has
// no more than the reader's side can prove it.
import type { ItemLeaf, Manifest, Proof, TreeName } from "../../schemas/index.js";
import { canonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { inclusionPath, leafHash, MerkleAccumulator } from "../bytes/merkle.js";
import { SealaneError } from "../finding.js";
import { type LaneSource, readWhole } from "../io/source.js";
import { checkpointOf, checkpointText } from "../manifest/checkpoint.js";
import { parseNote } from "../manifest/note.js";
import { buildProof } from "../manifest/proof.js";
import { type Leaves, leavesOf } from "../manifest/trees.js";
import { checkpointPath, gradesPath, LANE_FILES, readDocument } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";

export interface ProvedQuestion {
  readonly manifest: Manifest;
  /** Zero-based place in the tree. */
  readonly index: number;
  /** The proof, text of the form c2sp.org/tlog-proof@v1. */
  readonly proof: string;
}

/** The record files that a tree's leaves are made of. */
function filesOf(tree: TreeName, endpoints: readonly string[]): string[] {
  const reader = [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.requests];
  const evaluator = [LANE_FILES.population, LANE_FILES.references, ...endpoints.map(gradesPath)];
  if (tree === "reader") return reader;
  return tree === "evaluator" ? evaluator : [...new Set([...reader, ...evaluator, LANE_FILES.answers])];
}

/** What a proof carries beside its path. */
function documentOf(tree: TreeName, { reader, evaluator, item }: Leaves): Proof | undefined {
  if (tree === "reader") return reader && { schema: "sealane-proof/1", tree, leaf: reader };
  if (tree === "evaluator") return evaluator && { schema: "sealane-proof/1", tree, leaf: evaluator };
  if (!reader || !evaluator || !item) return undefined;
  const leaf: ItemLeaf = item;
  return { schema: "sealane-proof/1", tree, leaf, reader_leaf: reader, evaluator_leaf: evaluator };
}

/**
 * Proves that a question stands in a tree of the lane. Signatures are not looked at. Throws E_UNKNOWN when there is no such
 * question, E_TREE when the records do not give the manifest's root, E_CHECKPOINT when the lane's checkpoint is of another
 * tree, E_FILE_MISSING, and what a document or record can be refused for.
 * @param onRow told after each row how many of how many are done
 */
export function proveQuestion(
  source: LaneSource,
  tree: TreeName,
  questionId: string,
  onRow: (done: number, total: number) => void = () => {},
): ProvedQuestion {
  const { value: manifest } = readDocument(source, "manifest", LANE_FILES.manifest);
  const checkpoint = checkpointIn(source, manifest, tree);
  const endpoints = manifest.protocols.endpoints.map(({ endpoint }) => endpoint);
  const files = filesOf(tree, endpoints);
  const rows = new LaneRows(source, endpoints, files);
  const missing = files.find((path) => !rows.paths.includes(path));
  if (missing !== undefined) throw new SealaneError("E_FILE_MISSING", `there is no ${missing}`, { at: missing });
  const builder = new MerkleAccumulator();
  const hashes: Buffer[] = [];
  let incomplete: number | undefined;
  let found: { index: number; document: Proof } | undefined;
  for (const row of rows) {
    const document = documentOf(tree, leavesOf(row, endpoints));
    if (!document) {
      incomplete = row.index + 1;
      break;
    }
    const leaf = canonicalJson(document.leaf);
    builder.add(leaf);
    hashes.push(leafHash(leaf));
    if (row.question?.value.question_id === questionId) found ??= { index: row.index, document };
    onRow(row.index + 1, manifest.population.count);
  }
  for (const { error } of rows.seen) if (error) throw error;
  const { size, root } = manifest.trees[tree];
  const computed = builder.root().toString("hex");
  if (builder.size !== size || computed !== root || incomplete !== undefined) {
    const why = incomplete === undefined ? "" : `: a record of question ${incomplete} is missing`;
    throw new SealaneError("E_TREE", `the lane's records do not give the ${tree} tree of its manifest${why}`, {
      at: `${LANE_FILES.manifest}#/trees/${tree}`,
      expected: `${root} over ${size} leaves`,
      found: `${computed} over ${builder.size} leaves`,
    });
  }
  if (!found) {
    throw new SealaneError("E_UNKNOWN", `there is no question ${questionId} in the lane`, {
      at: LANE_FILES.population,
      found: questionId,
      next: "The ids stand in population.jsonl.",
    });
  }
  const { index, document } = found;
  const path = inclusionPath(hashes, index);
  return { manifest, index, proof: buildProof({ document, index: BigInt(index), path }, checkpoint) };
}

/** The lane's checkpoint of a tree, held against the manifest so that no proof is made that cannot hold. */
function checkpointIn(source: LaneSource, manifest: Manifest, tree: TreeName): string {
  const at = checkpointPath(tree);
  const bytes = readWhole(source, at, LIMITS.noteBytesMax);
  const expected = checkpointText(checkpointOf(manifest, tree));
  const found = parseNote(bytes, at).text;
  if (found !== expected) {
    throw new SealaneError("E_CHECKPOINT", `${at} is not a checkpoint of the manifest's tree`, { at, expected, found });
  }
  return bytes.toString("utf8");
}
