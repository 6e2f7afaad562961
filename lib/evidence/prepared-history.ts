// One history, made ready once for all its questions, and the packets of these.
import type { PacketRecord, PreparationProtocol } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import type { AskedQuestion, History } from "../dataset/types.js";
import { semanticIndex } from "../embedding/index.js";
import type { SemanticIndex, VectorSource } from "../embedding/types.js";
import { SealaneError } from "../finding.js";
import { Assembly, mergeNeighbours, type Price } from "./admit.js";
import { armOf } from "./arms/index.js";
import type { ArmContext, Backbone, CandidateGroup } from "./arms/types.js";
import { LexicalIndex } from "./lexical.js";
import { provePacket, proveSegments } from "./prove-packet.js";
import { headersBefore, type Renderer, renderEvidence, renderHeader, renderSpan } from "./render.js";
import { mergedRows } from "./rows.js";
import { bySpan, indexedText, type Segment, type Span, segmentHistory } from "./segment.js";
import { stemIndex } from "./stems.js";
import { bestPassageShare, type TemperatureRule, temperatureOf } from "./temperature.js";
import type { Tokenizer } from "./tokens.js";

/** What an arm's backbone makes of the beginning of a packet: E_A, and E_0, which begins with it. */
export const PREFIXES = ["baseline", "backbone"] as const;

export interface Packet {
  readonly record: PacketRecord;
  readonly evidence: string;
}

const NO_BACKBONE: Backbone = { baseline: [], added: [] };

/** What the questions of one history share: segments, indexes, and how many tokens each piece takes. */
export class PreparedHistory implements ArmContext {
  readonly history: History;
  readonly segments: readonly Segment[];
  readonly rows: readonly number[];
  readonly lexical: LexicalIndex;
  #stems: LexicalIndex | undefined;
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
    proveSegments(history, this.segments);
    this.rows = mergedRows(this.segments);
    const texts = this.segments.map((segment) => indexedText(history, segment));
    this.lexical = new LexicalIndex(texts);
    const passages = texts.map((text, index) => ({ session: this.segments[index]!.session, text }));
    this.semantic = protocol.embedding ? semanticIndex(protocol.embedding, passages, vectors) : null;
  }

  /** Made when an arm asks for it. */
  get stems(): LexicalIndex {
    this.#stems ??= stemIndex(this.history, this.segments);
    return this.#stems;
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

  #price(headers: Pick<Renderer, "header_when">): Price {
    if (!this.#tokenizer.addsUpAtLines) return this.#priceWhole(headers);
    return (session, spans, seen) => {
      const headed = headersBefore(headers, session, spans, seen);
      return spans.reduce(
        (sum, span, index) => sum + this.#tokensOfSpan(span) + (headed[index] ? this.#tokensOfHeader(span.session) : 0),
        0,
      );
    };
  }

  /** Where counts of lines do not add up, the packet is counted whole, with the spans and without. */
  #priceWhole(headers: Pick<Renderer, "header_when">): Price {
    const { header_when: _, ...renderer } = this.#protocol.renderer;
    return (_session, spans, _seen, packet) => {
      const whole = renderEvidence(this.history, [...packet.spans, ...spans], { ...renderer, ...headers })!;
      return this.#tokenizer.count(whole) - packet.tokens;
    };
  }

  readonly tokensOf = (spans: readonly Span[]): number =>
    this.#price({})(0, mergeNeighbours(spans), new Set(), { spans: [], tokens: 0 });

  assembled({ baseline, added }: Backbone, groups: readonly CandidateGroup[]) {
    const assembly = new Assembly(this.ceilingTokens, this.#price({}));
    const backbone = assembly.offer([...baseline, ...added]).flat();
    return { backbone, groups: assembly.offer(groups) };
  }

  packet(asked: AskedQuestion): Packet {
    const { arm, renderer, temperature } = this.#protocol;
    const { rank, backbone } = armOf(arm.id);
    const { baseline, added } = backbone?.(asked, this, arm.parameters) ?? NO_BACKBONE;
    const groups = rank(asked, this, arm.parameters);
    const assembly = new Assembly(this.ceilingTokens, this.#price(renderer));
    const ends = [baseline, added].map((offered) => {
      assembly.offer(offered);
      return assembly.spans.length;
    });
    assembly.offer(groups);
    // Under the renderers of such packets an order changes no count: each session has its header once.
    if (this.#protocol.span_order === "history") assembly.spans.sort(bySpan);
    const evidence = this.#rendered(asked, assembly.spans);
    const prefixes = (this.#protocol.protected ?? []).map((name, place) => {
      const spans = ends[place]!;
      return { name, spans, evidence: this.#rendered(asked, assembly.spans.slice(0, spans)) };
    });
    const record: PacketRecord = {
      question_id: asked.questionId,
      evidence_sha256: sha256Hex(evidence),
      evidence_bytes: Buffer.byteLength(evidence),
      tokens: assembly.tokens,
      candidates: baseline.length + added.length + groups.length,
      skipped: assembly.skipped,
      ...(prefixes.length === 0
        ? {}
        : {
            prefixes: prefixes.map(({ name, spans, evidence: alone }) => ({
              name,
              spans,
              bytes: Buffer.byteLength(alone),
              sha256: sha256Hex(alone),
            })),
          }),
      ...(temperature ? { temperature: this.#temperature(asked, assembly.spans, temperature) } : {}),
      spans: assembly.spans.map(({ session, turn, start, end }) => [session, turn, start, end]),
    };
    provePacket(record, evidence, prefixes, this.ceilingTokens, this.#tokenizer);
    return { record, evidence };
  }

  #temperature({ question }: AskedQuestion, spans: readonly Span[], rule: TemperatureRule): number {
    return temperatureOf(bestPassageShare(question, this.segments, this.lexical, spans), rule);
  }

  #rendered(asked: AskedQuestion, spans: readonly Span[]): string {
    const evidence = renderEvidence(this.history, spans, this.#protocol.renderer);
    if (evidence !== undefined) return evidence;
    throw new SealaneError("E_SPAN", `the packet of ${asked.questionId} quotes what is not in its history`, {
      at: asked.questionId,
    });
  }
}
