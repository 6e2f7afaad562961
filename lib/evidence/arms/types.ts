import type { AskedQuestion, History } from "../../dataset/types.js";
import type { SemanticIndex } from "../../embedding/types.js";
import type { LexicalIndex } from "../lexical.js";
import type { Segment, Span } from "../segment.js";

/** What an arm may look at. A history's part is made once and shared by all its questions. */
export interface ArmContext {
  readonly history: History;
  /** In order of session, turn and offset. */
  readonly segments: readonly Segment[];
  /** Over the segments, each with its speaker and captions. */
  readonly lexical: LexicalIndex;
  /** Over the same texts without their speakers: stems of words that are neither function words nor a speaker's name. */
  readonly stems: LexicalIndex;
  /** Indexes of the segments that are ranked: of texts repeated inside one turn, the first. */
  readonly rows: readonly number[];
  /** Over the same texts; null for an arm that does not say that it needs it. */
  readonly semantic: SemanticIndex | null;
  /** Tokens that a group of spans takes as the only one of a packet: neighbours merged, provenance included. */
  tokensOf(spans: readonly Span[]): number;
  readonly ceilingTokens: number;
  /**
   * What a packet under this ceiling would hold if a session header stood wherever the session changes: the spans of
   * the backbone, and those of each group that would enter after it, in order.
   */
  assembled(backbone: Backbone, groups: readonly CandidateGroup[]): { backbone: Span[]; groups: Span[][] };
}

/** Segments that enter a packet together or not at all. */
export type CandidateGroup = readonly Span[];

/** The protected beginning of a packet (paper section 3.2): E_A, and what E_0 adds to it. It is admitted first and stays a literal prefix. */
export interface Backbone {
  readonly baseline: readonly CandidateGroup[];
  readonly added: readonly CandidateGroup[];
}

export interface Arm {
  readonly id: string;
  readonly title: string;
  /** What an arm is given only on request, because it costs something; the protocol then says where it came from. */
  readonly needs?: readonly "semantic"[];
  /** Constants of the arm, as they stand in the preparation protocol. */
  readonly parameters: Readonly<Record<string, number | string | boolean>>;
  /** The renderer of its packets, by id; without one, the standard renderer. */
  readonly renderer?: string;
  /** The finished packet's spans stand in order of the history; without it, in the order in which they entered. */
  readonly order?: "history";
  /** The packet's protected beginning; an arm without one has none. */
  backbone?(asked: AskedQuestion, context: ArmContext, parameters: Arm["parameters"]): Backbone;
  /** Candidate groups, best first, in an order that depends on nothing but question, history and parameters. */
  rank(asked: AskedQuestion, context: ArmContext, parameters: Arm["parameters"]): CandidateGroup[];
}
