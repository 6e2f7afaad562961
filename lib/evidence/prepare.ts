// One history and its questions -> packets. Pure: the same dataset, arm and ceiling give the same bytes.
import type { PacketRecord, PreparationProtocol, TurnRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import type { Dataset } from "../dataset/index.js";
import type { AskedQuestion, History } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import { ADMISSION_ID, type Admission, admit, Coverage, mergeNeighbours } from "./admit.js";
import { armOf } from "./arms/index.js";
import type { ArmContext } from "./arms/types.js";
import { LexicalIndex } from "./lexical.js";
import { RENDERER, renderEvidence, renderHeader, renderSpan } from "./render.js";
import { SEGMENTER_ID, type Segment, type Span, segmentHistory, turnAt, turnSha256 } from "./segment.js";
import { pinnedTokenizer, type Tokenizer, tokenizerOf } from "./tokens.js";

/** Turns up to this many bytes stay whole: about 300 tokens of English. */
const PASSAGE_BYTES_MAX = 1200;

/** The preparation protocol of this release for a dataset, arm, tokenizer and ceiling. Throws E_UNKNOWN. */
export function preparationProtocol(
  dataset: Dataset,
  choice: { arm: string; tokenizer: string | Tokenizer; ceilingTokens: number },
): PreparationProtocol {
  const arm = armOf(choice.arm);
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
    renderer: RENDERER,
    tokenizer: (typeof choice.tokenizer === "string" ? tokenizerOf(choice.tokenizer) : choice.tokenizer).identity,
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
  ];
  for (const [name, expected, found] of parts) {
    if (expected !== found) {
      throw new SealaneError("E_VERSION", `this release does not have the protocol's ${name}`, { expected, found });
    }
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
  readonly ceilingTokens: number;
  readonly #protocol: PreparationProtocol;
  readonly #tokenizer: Tokenizer;
  readonly #spanTokens = new Map<string, number>();
  readonly #headerTokens = new Map<number, number>();

  constructor(history: History, protocol: PreparationProtocol, tokenizer: Tokenizer) {
    this.history = history;
    this.#protocol = protocol;
    this.#tokenizer = tokenizer;
    this.ceilingTokens = protocol.ceiling_tokens;
    this.segments = segmentHistory(history, protocol.segmenter.bytes_max);
    this.lexical = new LexicalIndex(
      this.segments.map((segment) => {
        const turn = turnAt(history, segment)!;
        return [turn.speaker, segment.text, ...(segment.start === 0 ? turn.captions : [])].join("\n");
      }),
    );
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

  readonly tokensOf = (spans: readonly Span[]): number =>
    this.#tokensAdded(0, mergeNeighbours(spans), { spans: [], tokens: 0 });

  /** Pieces are counted once and added where counts add up; elsewhere the whole packet is counted, with the spans and without. */
  #tokensAdded(session: number, spans: readonly Span[], packet: Pick<Admission, "spans" | "tokens">): number {
    if (this.#tokenizer.addsUpAtLines) return this.#tokensAfter(session, spans);
    const whole = renderEvidence(this.history, [...packet.spans, ...spans], this.#protocol.renderer)!;
    return this.#tokenizer.count(whole) - packet.tokens;
  }

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
    const admission = admit(groups, this.ceilingTokens, (...added) => this.#tokensAdded(...added));
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
 * questions over it follow.
 * @param given the protocol's tokenizer, when it is a file of the user's
 */
export function* preparePackets(dataset: Dataset, protocol: PreparationProtocol, given?: Tokenizer): Generator<Packet> {
  refuseUnknown(protocol);
  const tokenizer = pinnedTokenizer(protocol.tokenizer, given);
  let current: PreparedHistory | undefined;
  for (const asked of dataset.asked) {
    if (current?.history.historyId !== asked.historyId) {
      // Let go of the one before first, so that two of them never stand in memory.
      current = undefined;
      current = new PreparedHistory(dataset.histories.get(asked.historyId)!, protocol, tokenizer);
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
