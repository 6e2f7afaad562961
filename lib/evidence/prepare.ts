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
import { SEGMENTER_ID, turnSha256 } from "./segment.js";
import { TEMPERATURE_RULE } from "./temperature.js";
import { tokenizerOf } from "./tokens.js";

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
    tokenizer: string;
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
      histories: dataset.histories.length,
      sessions: dataset.histories.reduce((sum, history) => sum + history.sessions.length, 0),
      turns: dataset.histories
        .flatMap((history) => history.sessions)
        .reduce((sum, session) => sum + session.turns.length, 0),
    },
    segmenter: { id: SEGMENTER_ID, bytes_max: PASSAGE_BYTES_MAX },
    arm: { id: arm.id, parameters: { ...arm.parameters } },
    ...(embedding ? { embedding } : {}),
    renderer: rendererOf(arm.renderer),
    tokenizer: tokenizerOf(choice.tokenizer).identity,
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
    ["tokenizer table", tokenizerOf(protocol.tokenizer.id).identity.sha256, protocol.tokenizer.sha256],
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
 */
export function* preparePackets(
  dataset: Dataset,
  protocol: PreparationProtocol,
  vectors: VectorSource | null = null,
): Generator<Packet> {
  refuseUnknown(protocol);
  const tokenizer = tokenizerOf(protocol.tokenizer.id);
  const histories = new Map(dataset.histories.map((history) => [history.historyId, history]));
  let current: PreparedHistory | undefined;
  for (const asked of dataset.asked) {
    if (current?.history.historyId !== asked.historyId) {
      current = new PreparedHistory(histories.get(asked.historyId)!, protocol, tokenizer, vectors);
    }
    yield current.packet(asked);
  }
}

/** The turns that spans quote, each once, in order of history, session and turn: what turns.jsonl holds. */
export class QuotedTurns {
  readonly #quoted = new Map<string, Set<string>>();

  add(historyId: string, spans: PacketRecord["spans"]): void {
    const turns = this.#quoted.get(historyId) ?? new Set();
    for (const [session, turn] of spans) turns.add(`${session}.${turn}`);
    this.#quoted.set(historyId, turns);
  }

  *records(histories: readonly History[]): Generator<TurnRecord> {
    for (const history of histories) {
      const quoted = this.#quoted.get(history.historyId);
      if (!quoted) continue;
      for (const [sessionIndex, session] of history.sessions.entries()) {
        for (const [turnIndex, turn] of session.turns.entries()) {
          if (!quoted.has(`${sessionIndex + 1}.${turnIndex + 1}`)) continue;
          yield {
            history_id: history.historyId,
            session: sessionIndex + 1,
            turn: turnIndex + 1,
            bytes: Buffer.byteLength(turn.text),
            turn_sha256: turnSha256(turn),
          };
        }
      }
    }
  }
}
