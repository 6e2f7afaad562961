// The three Merkle trees over the population: what the reader was given, what the evaluator used, and the whole item.
import type { EvaluatorLeaf, ItemLeaf, Manifest, ReaderLeaf, TreeName } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { MerkleAccumulator } from "../bytes/merkle.js";
import type { LaneRow } from "../records/rows.js";

export const TREE_NAMES: readonly TreeName[] = ["reader", "evaluator", "item"];

/** The records of one question that its leaves are made of. */
export type LeafRow = Pick<LaneRow, "question" | "packet" | "request" | "answer" | "reference" | "grades">;

/** The leaves of one question, each undefined when a record is missing that it is made of. Their bytes are canonical JSON. */
export interface Leaves {
  readonly reader: ReaderLeaf | undefined;
  readonly evaluator: EvaluatorLeaf | undefined;
  readonly item: ItemLeaf | undefined;
}

/**
 * The leaves of one question. The reader leaf holds no digest of a reference or grade and is made without either.
 * @param referenceSha256 digest of the reference's record, where the record itself is not there
 */
export function leavesOf(
  row: LeafRow,
  endpoints: readonly string[],
  referenceSha256: string | undefined = row.reference && sha256Hex(row.reference.bytes),
): Leaves {
  const reader = readerLeaf(row);
  const evaluator = evaluatorLeaf(row, endpoints, referenceSha256);
  return { reader, evaluator, item: reader && evaluator && itemLeaf(row, endpoints, reader, evaluator) };
}

function readerLeaf({ question, packet, request }: LeafRow): ReaderLeaf | undefined {
  if (!question || !packet || !request) return undefined;
  return {
    question_id: question.value.question_id,
    ordinal: question.value.ordinal,
    evidence_sha256: packet.value.evidence_sha256,
    protocol_sha256: request.value.protocol_sha256,
    request_sha256: request.value.body_sha256,
  };
}

/** Grades in the manifest's order of endpoints; an endpoint without a grade here is passed over. */
function gradesIn(row: LeafRow, endpoints: readonly string[]) {
  return endpoints.flatMap((endpoint) => {
    const grade = row.grades.get(endpoint);
    return grade ? [{ endpoint, grade }] : [];
  });
}

function evaluatorLeaf(
  row: LeafRow,
  endpoints: readonly string[],
  referenceSha256: string | undefined,
): EvaluatorLeaf | undefined {
  const { question } = row;
  if (!question || referenceSha256 === undefined) return undefined;
  return {
    question_id: question.value.question_id,
    ordinal: question.value.ordinal,
    endpoints: gradesIn(row, endpoints).map(({ endpoint, grade }) => ({
      endpoint,
      protocol_sha256: grade.value.protocol_sha256,
    })),
    reference_sha256: referenceSha256,
  };
}

function itemLeaf(
  row: LeafRow,
  endpoints: readonly string[],
  reader: ReaderLeaf,
  evaluator: EvaluatorLeaf,
): ItemLeaf | undefined {
  const { question, answer } = row;
  if (!question || !answer) return undefined;
  return {
    question_id: question.value.question_id,
    ordinal: question.value.ordinal,
    answer_sha256: answer.value.answer_sha256 ?? null,
    answer_status: answer.value.status,
    evaluator_leaf_sha256: sha256Hex(canonicalJson(evaluator)),
    grades: gradesIn(row, endpoints).map(({ endpoint, grade }) => ({
      endpoint,
      grade_sha256: sha256Hex(grade.bytes),
      score: grade.value.score,
    })),
    reader_leaf_sha256: sha256Hex(canonicalJson(reader)),
    receipt_sha256: answer.value.receipt_sha256,
  };
}

/** Grows the three trees question by question. */
export class TreeBuilder {
  readonly #trees = {
    reader: new MerkleAccumulator(),
    evaluator: new MerkleAccumulator(),
    item: new MerkleAccumulator(),
  };

  /** Adds one question; nothing of it enters any tree when a leaf is missing. */
  add({ reader, evaluator, item }: Leaves): void {
    if (!reader || !evaluator || !item) return;
    this.#trees.reader.add(canonicalJson(reader));
    this.#trees.evaluator.add(canonicalJson(evaluator));
    this.#trees.item.add(canonicalJson(item));
  }

  /** Sizes and roots as they stand in a manifest. */
  trees(): Manifest["trees"] {
    const of = (tree: MerkleAccumulator): Manifest["trees"]["item"] => ({
      size: tree.size,
      root: tree.root().toString("hex"),
    });
    return { reader: of(this.#trees.reader), evaluator: of(this.#trees.evaluator), item: of(this.#trees.item) };
  }
}
