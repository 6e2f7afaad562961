// The packets of a sealed protocol once more, to be held against those that were sealed with it.
import type { PacketRecord, PreparationProtocol } from "../../schemas/index.js";
import { canonicalJson } from "../bytes/json.js";
import type { Dataset } from "../dataset/index.js";
import { indexerOf } from "../embedding/index.js";
import type { VectorSource } from "../embedding/types.js";
import { type ReasonCode, SealaneError } from "../finding.js";
import { armOf } from "./arms/index.js";
import { rulesOf } from "./prepare.js";
import { PreparedHistory } from "./prepared-history.js";
import { TEMPERATURE_RULE } from "./temperature.js";
import { pinnedTokenizer, type Tokenizer } from "./tokens.js";

/** What stops a preparation for good: such a protocol makes no packet of such a question. */
const PREPARES_NOTHING: ReadonlySet<ReasonCode> = new Set(["E_BUDGET", "E_SPAN", "E_PREFIX", "E_VECTOR", "E_WORD"]);

/** Parts of a protocol that this release fixes. Its arms read constants here and there as words, so that others are not guessed at. */
const FIXED = ["segmenter", "arm", "renderer", "admission", "span_order", "protected", "temperature"] as const;

/** Throws E_UNKNOWN, E_VERSION, E_VECTOR for a protocol by which this release does not prepare. */
function refuseOther(protocol: PreparationProtocol, vectors: VectorSource | null): void {
  const arm = armOf(protocol.arm.id);
  const own: Partial<PreparationProtocol> = {
    ...rulesOf(arm),
    ...(protocol.temperature ? { temperature: TEMPERATURE_RULE } : {}),
  };
  for (const part of FIXED) {
    const [expected, found] = [own[part], protocol[part]].map((value) => canonicalJson(value ?? null));
    if (expected === found) continue;
    const what = `the protocol's ${part.replace("_", " ")} is not the one that this release prepares by`;
    throw new SealaneError("E_VERSION", what, { expected: expected!, found: found! });
  }
  if ((arm.needs?.includes("semantic") ?? false) !== (protocol.embedding !== undefined)) {
    throw new SealaneError("E_VERSION", `the protocol's embedding does not go with the arm ${arm.id}`);
  }
  if (protocol.embedding) indexerOf(protocol.embedding, vectors);
}

/** The history that questions are about now, or why it cannot be prepared. */
interface Current {
  readonly historyId: string;
  readonly prepared: PreparedHistory | SealaneError;
}

/**
 * Makes packets of a dataset's questions again, one history in memory at a time. Questions are asked for in the order of the
 * dataset, so that no history is prepared more often than by preparation itself, whatever order a lane has.
 */
export class PacketReplay {
  readonly #dataset: Dataset;
  readonly #protocol: PreparationProtocol;
  readonly #vectors: VectorSource | null;
  readonly #tokenizer: Tokenizer;
  readonly #places: ReadonlyMap<string, number>;
  #last = -1;
  #current: Current | undefined;

  /**
   * Throws E_UNKNOWN, E_VERSION, E_VECTOR for a protocol by which this release does not prepare, or not with what it was given.
   * @param given the protocol's tokenizer, when it is a file of the user's
   */
  constructor(dataset: Dataset, protocol: PreparationProtocol, vectors: VectorSource | null, given?: Tokenizer) {
    refuseOther(protocol, vectors);
    this.#dataset = dataset;
    this.#protocol = protocol;
    this.#vectors = vectors;
    this.#tokenizer = pinnedTokenizer(protocol.tokenizer, given);
    this.#places = new Map(dataset.asked.map(({ questionId }, index) => [questionId, index]));
  }

  /**
   * A question's packet, not proven: what it is held against is. Why there is none, when preparation stops at it; undefined for a
   * question that the dataset does not ask, or not after the one before. Throws E_DATASET, E_RUN_CHANGED, E_IO.
   */
  packet(questionId: string): PacketRecord | SealaneError | undefined {
    const place = this.#places.get(questionId);
    if (place === undefined || place <= this.#last) return undefined;
    this.#last = place;
    const asked = this.#dataset.asked[place]!;
    if (this.#current?.historyId !== asked.historyId) {
      // Let go of the one before first, so that two of them never stand in memory.
      this.#current = undefined;
      this.#current = { historyId: asked.historyId, prepared: orWhyNot(() => this.#prepare(asked.historyId)) };
    }
    const { prepared } = this.#current;
    return prepared instanceof SealaneError ? prepared : orWhyNot(() => prepared.unproven(asked).record);
  }

  #prepare(historyId: string): PreparedHistory {
    const history = this.#dataset.histories.get(historyId)!;
    return new PreparedHistory(history, this.#protocol, this.#tokenizer, this.#vectors);
  }
}

function orWhyNot<T>(make: () => T): T | SealaneError {
  try {
    return make();
  } catch (error) {
    if (error instanceof SealaneError && PREPARES_NOTHING.has(error.code)) return error;
    throw error;
  }
}
