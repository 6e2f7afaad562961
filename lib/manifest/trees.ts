// The three Merkle trees over the population: what the reader was given, what the evaluator used, and the whole item.
import type {
  AnswerRecord,
  GradeRecord,
  Manifest,
  PacketRecord,
  PopulationRecord,
  RequestRecord,
} from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { MerkleAccumulator } from "../bytes/merkle.js";

/** One question's records, and the digests by which a leaf names the ones that hold text. */
export interface LeafInput {
  readonly question: PopulationRecord;
  readonly packet: Pick<PacketRecord, "evidence_sha256">;
  readonly request: Pick<RequestRecord, "body_sha256" | "protocol_sha256">;
  readonly answer: Pick<AnswerRecord, "status" | "answer_sha256" | "receipt_sha256">;
  readonly referenceSha256: string;
  readonly grades: readonly {
    readonly endpoint: string;
    readonly protocolSha256: string;
    readonly gradeSha256: string;
    readonly score: GradeRecord["score"];
  }[];
}

export interface Leaves {
  readonly reader: string;
  readonly evaluator: string;
  readonly item: string;
}

/** The leaves of one question as canonical JSON. The reader leaf holds no digest of a reference or grade. */
export function leavesOf({ question, packet, request, answer, referenceSha256, grades }: LeafInput): Leaves {
  const place = { question_id: question.question_id, ordinal: question.ordinal };
  const reader = canonicalJson({
    ...place,
    evidence_sha256: packet.evidence_sha256,
    protocol_sha256: request.protocol_sha256,
    request_sha256: request.body_sha256,
  });
  const evaluator = canonicalJson({
    ...place,
    endpoints: grades.map(({ endpoint, protocolSha256 }) => ({ endpoint, protocol_sha256: protocolSha256 })),
    reference_sha256: referenceSha256,
  });
  const item = canonicalJson({
    ...place,
    answer_sha256: answer.answer_sha256 ?? null,
    answer_status: answer.status,
    evaluator_leaf_sha256: sha256Hex(evaluator),
    grades: grades.map(({ endpoint, gradeSha256, score }) => ({ endpoint, grade_sha256: gradeSha256, score })),
    reader_leaf_sha256: sha256Hex(reader),
    receipt_sha256: answer.receipt_sha256,
  });
  return { reader, evaluator, item };
}

/** Grows the three trees question by question. */
export class TreeBuilder {
  readonly #trees = {
    reader: new MerkleAccumulator(),
    evaluator: new MerkleAccumulator(),
    item: new MerkleAccumulator(),
  };

  add(leaves: Leaves): void {
    this.#trees.reader.add(leaves.reader);
    this.#trees.evaluator.add(leaves.evaluator);
    this.#trees.item.add(leaves.item);
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
