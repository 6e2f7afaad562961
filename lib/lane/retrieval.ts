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
import { SealaneError } from "../finding.js";
import { LANE_FILES } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import { median } from "../statistics/describe.js";
import { fsum } from "../statistics/fsum.js";
import type { OpenedRecords } from "./open.js";

type RetrievalRow = Retrieval["rows"][number];
type Recall = RetrievalRow["turn"];

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
    evidence: ReferenceRecord["evidence"],
    historyBytes: number | undefined,
  ): void {
    this.#questions += 1;
    this.#tokens.push(packet.tokens);
    if (historyBytes !== undefined && historyBytes > 0) {
      this.#shares.push(packet.spans.reduce((sum, [, , start, end]) => sum + end - start, 0) / historyBytes);
    }
    if (evidence.length === 0) return;
    const turns = new Set(packet.spans.map(([session, turn]) => `${session}.${turn}`));
    const sessions = new Set(packet.spans.map(([session]) => session));
    count(this.#turn, new Set(evidence.map(([session, turn]) => `${session}.${turn}`)), turns);
    count(this.#session, new Set(evidence.map(([session]) => session)), sessions);
  }

  row(): RetrievalRow {
    return {
      category: this.#category,
      questions: this.#questions,
      labelled: this.#turn.any.length,
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

function count<T>(found: Found, labelled: ReadonlySet<T>, quoted: ReadonlySet<T>): void {
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
    evidence: ReferenceRecord["evidence"],
  ): void {
    const category = this.#categories.get(question.category) ?? new Tally(question.category);
    this.#categories.set(question.category, category);
    const bytes = this.#historyBytes?.get(question.history_id);
    for (const tally of [this.#overall, category]) tally.add(packet, evidence, bytes);
  }

  retrieval(): Retrieval {
    const categories = [...this.#categories].sort(([a], [b]) => byCodeUnit(a, b)).map(([, tally]) => tally);
    return { schema: "sealane-retrieval/1", rows: [...categories, this.#overall].map((tally) => tally.row()) };
  }
}

/** Measures a lane or run from its packets and references alone. Throws at a record that cannot be read. */
export function measureRetrieval({ source }: OpenedRecords, historyBytes?: ReadonlyMap<string, number>): Retrieval {
  const builder = new RetrievalBuilder(historyBytes);
  const rows = new LaneRows(source, [], [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.references]);
  for (const { question, packet, reference } of rows) {
    if (question && packet) builder.add(question.value, packet.value, reference?.value.evidence ?? []);
  }
  for (const { error } of rows.seen) if (error) throw error;
  return builder.retrieval();
}

/** UTF-8 bytes of all turns, by history. Throws E_DATASET when the packets were made from another file. */
export function historyBytesOf(preparation: PreparationProtocol, dataset: Dataset): ReadonlyMap<string, number> {
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
  return bytes;
}
