// One history and its questions -> packets. Pure: the same dataset, arm and ceiling give the same bytes.
import type { PacketRecord, PreparationProtocol, TurnRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import type { Dataset } from "../dataset/index.js";
import type { AskedQuestion, History } from "../dataset/types.js";
import { DEFAULT_EMBEDDING, semanticIndex } from "../embedding/index.js";
import type { EmbeddingIdentity, SemanticIndex, VectorSource } from "../embedding/types.js";
import { SealaneError } from "../finding.js";
import { ADMISSION_ID, admit, Coverage, mergeNeighbours } from "./admit.js";
import { armOf } from "./arms/index.js";
import type { ArmContext } from "./arms/types.js";
import { LexicalIndex } from "./lexical.js";
import { RENDERER, renderEvidence, renderHeader, renderSpan } from "./render.js";
import { indexedText, SEGMENTER_ID, type Segment, type Span, segmentHistory, turnSha256 } from "./segment.js";
import { type Tokenizer, tokenizerOf } from "./tokens.js";

/** Turns up to this many bytes stay whole: about 300 tokens of English. */
export const PASSAGE_BYTES_MAX = 1200;

/**
 * The preparation protocol of this release for a dataset, arm, tokenizer, ceiling and, for an arm that needs meaning, embedding. Throws
 * E_UNKNOWN, E_USAGE.
 */
export function preparationProtocol(
  dataset: Dataset,
  choice: { arm: string; tokenizer: string; ceilingTokens: number; embedding?: EmbeddingIdentity },
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
    renderer: RENDERER,
    tokenizer: tokenizerOf(choice.tokenizer).identity,
    admission: ADMISSION_ID,
    ceiling_tokens: choice.ceilingTokens,
  };
}

/** Refuses a protocol whose named parts this release does not have, rather than preparing something else (E_VERSION). */
function refuseUnknown(protocol: PreparationProtocol): void {
  const parts: [string, string, string][] = [
    ["segmenter", SEGMENTER_ID, protocol.segmenter.id],
    ["renderer", RENDERER.id, protocol.renderer.id],
    ["admission rule", ADMISSION_ID, protocol.admission],
    ["tokenizer table", tokenizerOf(protocol.tokenizer.id).identity.sha256, protocol.tokenizer.sha256],
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

export interface Packet {
  readonly record: PacketRecord;
  readonly evidence: string;
}

/** What the questions of one history share: segments, index, and how many tokens each piece takes. */
class PreparedHistory implements ArmContext {
  readonly history: History;
  readonly segments: readonly Segment[];
  readonly lexical: LexicalIndex;
  readonly semantic: SemanticIndex | null;
  readonly ceilingTokens: number;
  readonly #protocol: PreparationProtocol;
  readonly #tokenizer: Tokenizer;
  readonly #spanTokens = new Map<string, number>();
  readonly #headerTokens = new Map<number, number>();

  constructor(history: History, protocol: PreparationProtocol, tokenizer: Tokenizer, vectors: VectorSource | null) {
    this.history = history;
    this.#protocol = protocol;
    this.#tokenizer = tokenizer;
    this.ceilingTokens = protocol.ceiling_tokens;
    this.segments = segmentHistory(history, protocol.segmenter.bytes_max);
    const texts = this.segments.map((segment) => indexedText(history, segment));
    this.lexical = new LexicalIndex(texts);
    const passages = texts.map((text, index) => ({ session: this.segments[index]!.session, text }));
    this.semantic = protocol.embedding ? semanticIndex(protocol.embedding, passages, vectors) : null;
  }

  #tokensOfSpan(span: Span): number {
    const key = `${span.session}.${span.turn}.${span.start}.${span.end}`;
    let tokens = this.#spanTokens.get(key);
    if (tokens === undefined) {
      tokens = this.#tokenizer.count(renderSpan(this.history, span, this.#protocol.renderer)!);
      this.#spanTokens.set(key, tokens);
    }
    return tokens;
  }

  #tokensOfHeader(session: number): number {
    let tokens = this.#headerTokens.get(session);
    if (tokens === undefined) {
      tokens = this.#tokenizer.count(renderHeader(this.history, session, this.#protocol.renderer));
      this.#headerTokens.set(session, tokens);
    }
    return tokens;
  }

  readonly tokensOf = (spans: readonly Span[]): number => this.#tokensAfter(0, mergeNeighbours(spans));

  #tokensAfter(before: number, spans: readonly Span[]): number {
    let session = before;
    let tokens = 0;
    for (const span of spans) {
      if (span.session !== session) tokens += this.#tokensOfHeader(span.session);
      session = span.session;
      tokens += this.#tokensOfSpan(span);
    }
    return tokens;
  }

  packet(asked: AskedQuestion): Packet {
    const groups = armOf(this.#protocol.arm.id).rank(asked, this, this.#protocol.arm.parameters);
    const admission = admit(groups, this.ceilingTokens, (session, spans) => this.#tokensAfter(session, spans));
    const evidence = renderEvidence(this.history, admission.spans, this.#protocol.renderer)!;
    this.#proveWhole(asked, admission.spans, admission.tokens, evidence);
    return {
      record: {
        question_id: asked.questionId,
        evidence_sha256: sha256Hex(evidence),
        evidence_bytes: Buffer.byteLength(evidence),
        tokens: admission.tokens,
        candidates: groups.length,
        skipped: admission.skipped,
        spans: admission.spans.map(({ session, turn, start, end }) => [session, turn, start, end]),
      },
      evidence,
    };
  }

  /** The finished packet, looked at as a whole and by other means than it was made (paper section 3.3); a failure invalidates preparation. */
  #proveWhole(asked: AskedQuestion, spans: readonly Span[], tokens: number, evidence: string): void {
    const at = asked.questionId;
    const counted = this.#tokenizer.count(evidence);
    if (counted !== tokens || counted > this.ceilingTokens) {
      throw new SealaneError("E_BUDGET", `the packet of ${at} fails its recount`, {
        at,
        expected: `${tokens} tokens, at most ${this.ceilingTokens}`,
        found: `${counted} tokens`,
      });
    }
    const coverage = new Coverage();
    for (const span of spans) {
      if (!coverage.cover(span)) throw new SealaneError("E_SPAN", `the packet of ${at} holds a byte twice`, { at });
    }
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
