// One history and its questions -> packets. Pure: the same dataset, arm and ceiling give the same bytes.
import type { PacketRecord, PreparationProtocol, TurnRecord } from "../../schemas/index.js";
import type { Dataset } from "../dataset/index.js";
import type { History } from "../dataset/types.js";
import { DEFAULT_EMBEDDING } from "../embedding/index.js";
import type { EmbeddingIdentity, VectorSource } from "../embedding/types.js";
import { SealaneError } from "../finding.js";
import { ADMISSION_ID } from "./admit.js";
import { armOf } from "./arms/index.js";
import { type Packet, PREFIXES, PreparedHistory } from "./prepared-history.js";
import { rendererOf } from "./render.js";
import { SEGMENTER_ID, turnAt, turnSha256 } from "./segment.js";
import { TEMPERATURE_RULE } from "./temperature.js";
import { pinnedTokenizer, type Tokenizer, tokenizerOf } from "./tokens.js";

/** Turns up to this many bytes stay whole: about 300 tokens of English. */
export const PASSAGE_BYTES_MAX = 1200;

/**
 * The preparation protocol of this release for a dataset, arm, tokenizer, ceiling and, for an arm that needs meaning, embedding; with
 * `temperature`, packets name a reader temperature each. Throws E_UNKNOWN, E_USAGE.
 */
export function preparationProtocol(
  dataset: Dataset,
  choice: {
    arm: string;
    tokenizer: string | Tokenizer;
    ceilingTokens: number;
    embedding?: EmbeddingIdentity;
    temperature?: boolean;
  },
): PreparationProtocol {
  const arm = armOf(choice.arm);
  const embedding = arm.needs?.includes("semantic") ? (choice.embedding ?? DEFAULT_EMBEDDING) : undefined;
  if (choice.embedding && !embedding) {
    throw new SealaneError("E_USAGE", `the arm ${arm.id} uses no vectors`, { next: "Leave --vectors out." });
  }
  return {
    schema: "sealane-preparation/1",
    dataset: dataset.identity,
    population: {
      questions: dataset.questionsTotal,
      included: dataset.asked.length,
      excluded: dataset.excluded.map(({ reason, category, count }) => ({ reason, category, count })),
      histories: dataset.histories.ids.length,
      sessions: dataset.histories.sessionsTotal,
      turns: dataset.histories.turnsTotal,
    },
    segmenter: { id: SEGMENTER_ID, bytes_max: PASSAGE_BYTES_MAX },
    arm: { id: arm.id, parameters: { ...arm.parameters } },
    ...(embedding ? { embedding } : {}),
    renderer: rendererOf(arm.renderer),
    tokenizer: (typeof choice.tokenizer === "string" ? tokenizerOf(choice.tokenizer) : choice.tokenizer).identity,
    admission: ADMISSION_ID,
    ...(arm.order ? { span_order: arm.order } : {}),
    ...(arm.backbone ? { protected: [...PREFIXES] } : {}),
    ...(choice.temperature ? { temperature: TEMPERATURE_RULE } : {}),
    ceiling_tokens: choice.ceilingTokens,
  };
}

/** Refuses a protocol whose named parts this release does not have, rather than preparing something else (E_VERSION). */
function refuseUnknown(protocol: PreparationProtocol): void {
  const parts: [string, string, string][] = [
    ["segmenter", SEGMENTER_ID, protocol.segmenter.id],
    ["renderer", rendererOf(armOf(protocol.arm.id).renderer).id, protocol.renderer.id],
    ["admission rule", ADMISSION_ID, protocol.admission],
    ["temperature rule", TEMPERATURE_RULE.rule, protocol.temperature?.rule ?? TEMPERATURE_RULE.rule],
  ];
  for (const [name, expected, found] of parts) {
    if (expected !== found) {
      throw new SealaneError("E_VERSION", `this release does not have the protocol's ${name}`, { expected, found });
    }
  }
  if (armOf(protocol.arm.id).needs?.includes("semantic") && !protocol.embedding) {
    throw new SealaneError("E_VECTOR", `the arm ${protocol.arm.id} needs an embedding, and the protocol names none`);
  }
}

/**
 * Packets of every question, in population order. A history is prepared when its first question comes and kept while
 * questions over it follow. `vectors` hold what a protocol's embedding model made; a missing one is an error (E_VECTOR).
 * @param given the protocol's tokenizer, when it is a file of the user's
 */
export function* preparePackets(
  dataset: Dataset,
  protocol: PreparationProtocol,
  vectors: VectorSource | null = null,
  given?: Tokenizer,
): Generator<Packet> {
  refuseUnknown(protocol);
  const tokenizer = pinnedTokenizer(protocol.tokenizer, given);
  let current: PreparedHistory | undefined;
  for (const asked of dataset.asked) {
    if (current?.history.historyId !== asked.historyId) {
      // Let go of the one before first, so that two of them never stand in memory.
      current = undefined;
      current = new PreparedHistory(dataset.histories.get(asked.historyId)!, protocol, tokenizer, vectors);
    }
    yield current.packet(asked);
  }
}

/** The turns that spans quote, each once, in order of history, session and turn: what turns.jsonl holds. */
export class QuotedTurns {
  readonly #quoted = new Map<string, Map<string, TurnRecord>>();

  /** Notes the turns that spans of a history quote; the history itself is not kept. */
  add(history: History, spans: PacketRecord["spans"]): void {
    const { historyId } = history;
    const turns = this.#quoted.get(historyId) ?? new Map<string, TurnRecord>();
    this.#quoted.set(historyId, turns);
    for (const [session, turn] of spans) {
      const key = `${session}.${turn}`;
      if (turns.has(key)) continue;
      const quoted = turnAt(history, { session, turn })!;
      const bytes = Buffer.byteLength(quoted.text);
      turns.set(key, { history_id: historyId, session, turn, bytes, turn_sha256: turnSha256(quoted) });
    }
  }

  /** @param historyIds in the order of the dataset */
  *records(historyIds: readonly string[]): Generator<TurnRecord> {
    for (const historyId of historyIds) {
      const turns = [...(this.#quoted.get(historyId)?.values() ?? [])];
      yield* turns.sort((a, b) => a.session - b.session || a.turn - b.turn);
    }
  }
}
