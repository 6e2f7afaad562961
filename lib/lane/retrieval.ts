// How much of the support that a dataset labels stands in the packets: a measure of retrieval, made without any answer.
import type {
  PacketRecord,
  PopulationRecord,
  PreparationProtocol,
  ReferenceRecord,
  Retrieval,
} from "../../schemas/index.js";
import { byCodeUnit } from "../bytes/order.js";
import type { Dataset } from "../dataset/index.js";
import { referenceRecord } from "../dataset/records.js";
import { SealaneError } from "../finding.js";
import { DETACHED_FILES } from "../records/detached.js";
import { LANE_FILES } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import { median } from "../statistics/describe.js";
import { fsum } from "../statistics/fsum.js";
import type { OpenedRecords } from "./open.js";

type RetrievalRow = Retrieval["rows"][number];
type Recall = RetrievalRow["turn"];
/** What a dataset labels as a question's support: turns and, where it labels sessions beside them, these. */
type Support = Pick<ReferenceRecord, "evidence" | "evidence_sessions">;

interface Found {
  readonly any: number[];
  readonly all: number[];
  readonly fraction: number[];
}

const nothing = (): Found => ({ any: [], all: [], fraction: [] });
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : fsum(values) / values.length;
const recallOf = ({ any, all, fraction }: Found): Recall => ({
  any: meanOf(any),
  all: meanOf(all),
  fraction: meanOf(fraction),
});

class Tally {
  readonly #category: string | null;
  readonly #turn = nothing();
  readonly #session = nothing();
  readonly #tokens: number[] = [];
  readonly #shares: number[] = [];
  #questions = 0;

  constructor(category: string | null) {
    this.#category = category;
  }

  add(
    packet: Pick<PacketRecord, "spans" | "tokens">,
    { evidence, evidence_sessions: named }: Support,
    historyBytes: number | undefined,
  ): void {
    this.#questions += 1;
    this.#tokens.push(packet.tokens);
    if (historyBytes !== undefined && historyBytes > 0) {
      this.#shares.push(packet.spans.reduce((sum, [, , start, end]) => sum + end - start, 0) / historyBytes);
    }
    const turns = new Set(packet.spans.map(([session, turn]) => `${session}.${turn}`));
    const sessions = new Set(packet.spans.map(([session]) => session));
    count(this.#turn, new Set(evidence.map(([session, turn]) => `${session}.${turn}`)), turns);
    // A dataset that labels sessions itself is taken at its word: not each of them has a labelled turn.
    count(this.#session, new Set(named?.length ? named : evidence.map(([session]) => session)), sessions);
  }

  row(): RetrievalRow {
    return {
      category: this.#category,
      questions: this.#questions,
      labelled: this.#turn.any.length,
      labelled_sessions: this.#session.any.length,
      turn: recallOf(this.#turn),
      session: recallOf(this.#session),
      evidence_tokens: {
        mean: meanOf(this.#tokens),
        median: this.#tokens.length === 0 ? null : median(this.#tokens),
        max: this.#tokens.reduce<number | null>((most, tokens) => Math.max(most ?? 0, tokens), null),
      },
      history_share: meanOf(this.#shares),
    };
  }
}

/** A question for which no unit is labelled does not count. */
function count<T>(found: Found, labelled: ReadonlySet<T>, quoted: ReadonlySet<T>): void {
  if (labelled.size === 0) return;
  let hits = 0;
  for (const unit of labelled) if (quoted.has(unit)) hits += 1;
  found.any.push(hits > 0 ? 1 : 0);
  found.all.push(hits === labelled.size ? 1 : 0);
  found.fraction.push(hits / labelled.size);
}

/** Measures packets question by question. A turn or session counts as found when a span quotes any part of it. */
export class RetrievalBuilder {
  readonly #overall = new Tally(null);
  readonly #categories = new Map<string, Tally>();
  readonly #historyBytes: ReadonlyMap<string, number> | undefined;

  /** @param historyBytes UTF-8 bytes of all turns, by history; undefined when the dataset is not at hand */
  constructor(historyBytes?: ReadonlyMap<string, number>) {
    this.#historyBytes = historyBytes;
  }

  add(
    question: Pick<PopulationRecord, "category" | "history_id">,
    packet: Pick<PacketRecord, "spans" | "tokens">,
    support: Support,
  ): void {
    const category = this.#categories.get(question.category) ?? new Tally(question.category);
    this.#categories.set(question.category, category);
    const bytes = this.#historyBytes?.get(question.history_id);
    for (const tally of [this.#overall, category]) tally.add(packet, support, bytes);
  }

  retrieval(): Retrieval {
    const categories = [...this.#categories].sort(([a], [b]) => byCodeUnit(a, b)).map(([, tally]) => tally);
    return { schema: "sealane-retrieval/1", rows: [...categories, this.#overall].map((tally) => tally.row()) };
  }
}

const MEASURED_FILES = [LANE_FILES.population, DETACHED_FILES.population, LANE_FILES.packets, LANE_FILES.references];
const UNLABELLED: Support = { evidence: [] };

/** What of the user's copy of the dataset is measured with. */
export interface MeasuredWith {
  readonly historyBytes: ReadonlyMap<string, number>;
  /** By question: the labels, which a detached lane does not hold. */
  readonly support: ReadonlyMap<string, Support>;
}

/** Measures a lane or run from its packets and references alone. Throws at a record that cannot be read. */
export function measureRetrieval({ source, form }: OpenedRecords, dataset?: MeasuredWith): Retrieval {
  const builder = new RetrievalBuilder(dataset?.historyBytes);
  const rows = new LaneRows(source, [], MEASURED_FILES, form);
  for (const { question, packet, reference } of rows) {
    if (!question || !packet) continue;
    const support = reference?.value ?? dataset?.support.get(question.value.question_id);
    builder.add(question.value, packet.value, support ?? UNLABELLED);
  }
  for (const { error } of rows.seen) if (error) throw error;
  return builder.retrieval();
}

/** The labels, and the UTF-8 bytes of all turns by history. Throws E_DATASET when the packets were made from another file. */
export function measuredWith(preparation: PreparationProtocol, dataset: Dataset): MeasuredWith {
  if (dataset.identity.sha256 !== preparation.dataset.sha256) {
    throw new SealaneError("E_DATASET", "the packets were made from another dataset", {
      expected: `SHA-256 ${preparation.dataset.sha256}`,
      found: `SHA-256 ${dataset.identity.sha256}`,
    });
  }
  const bytes = new Map<string, number>();
  for (const { historyId, sessions } of dataset.histories) {
    const turns = sessions.flatMap((session) => session.turns);
    bytes.set(
      historyId,
      turns.reduce((sum, turn) => sum + Buffer.byteLength(turn.text), 0),
    );
  }
  const records = dataset.references.map(referenceRecord);
  return { historyBytes: bytes, support: new Map(records.map((record) => [record.question_id, record])) };
}
