// The session retriever, and the backbone made of what it proposes (paper section 3.2; the paper keeps its own private).
import type { AskedQuestion } from "../dataset/types.js";
import type { Arm, ArmContext, Backbone, CandidateGroup } from "./arms/types.js";
import { bySessions, type Segment } from "./segment.js";

/** A session with its best segments, which make its score. */
export interface RankedSession {
  readonly session: number;
  readonly score: number;
  /** Indexes, the best first. */
  readonly best: readonly number[];
}

/** Sessions that share a word with the question: score, the sum of their `count` best segments' BM25; best first, ties in order of the history. */
export function rankedSessions(
  segments: readonly Segment[],
  scores: Float64Array,
  matched: readonly number[],
  count: number,
): RankedSession[] {
  const bySession = new Map<number, number[]>();
  for (const index of matched.toSorted((a, b) => scores[b]! - scores[a]! || a - b)) {
    const { session } = segments[index]!;
    const best = bySession.get(session);
    if (!best) bySession.set(session, [index]);
    else if (best.length < count) best.push(index);
  }
  return [...bySession]
    .map(([session, best]) => ({ session, best, score: best.reduce((sum, index) => sum + scores[index]!, 0) }))
    .sort((a, b) => b.score - a.score || a.session - b.session);
}

/** Groups of the given sessions that fit into a room of tokens, in the order given, what does not fit left out; then in order of the history. */
function fitting(
  sessions: readonly { session: number; group: CandidateGroup }[],
  roomTokens: number,
  tokensOf: ArmContext["tokensOf"],
): { kept: CandidateGroup[]; sessions: Set<number>; tokens: number } {
  const kept: { session: number; group: CandidateGroup }[] = [];
  let tokens = 0;
  for (const candidate of sessions) {
    const cost = tokensOf(candidate.group);
    if (tokens + cost > roomTokens) continue;
    tokens += cost;
    kept.push(candidate);
  }
  kept.sort((a, b) => a.session - b.session);
  return { kept: kept.map(({ group }) => group), sessions: new Set(kept.map(({ session }) => session)), tokens };
}

/**
 * E_A: the best `baseline_sessions` sessions, whole, as far as they fit into `baseline_share` of the ceiling, in order of the
 * history. What E_0 adds: of the best `backbone_sessions` sessions, the turns of each one's best segments with
 * `range_turns` turns on either side, as far as E_0 stays within `backbone_share` of the ceiling, in order of the history.
 */
export function backboneOf(asked: AskedQuestion, context: ArmContext, parameters: Arm["parameters"]): Backbone {
  const { segments, lexical, tokensOf, ceilingTokens } = context;
  const { scores, matched } = lexical.bm25(asked.question, Number(parameters.k1), Number(parameters.b));
  const ranked = rankedSessions(segments, scores, matched, Number(parameters.session_segments));
  const bySession = bySessions(segments);
  const whole = ranked
    .slice(0, Number(parameters.baseline_sessions))
    .map(({ session }) => ({ session, group: bySession.get(session)! }));
  const baseline = fitting(whole, Math.floor(ceilingTokens * Number(parameters.baseline_share)), tokensOf);
  const reach = Number(parameters.range_turns);
  const ranges = ranked
    .slice(0, Number(parameters.backbone_sessions))
    .filter(({ session }) => !baseline.sessions.has(session))
    .map(({ session, best }) => {
      const turns = best.map((index) => segments[index]!.turn);
      const inRange = ({ turn }: Segment): boolean => turns.some((anchor) => Math.abs(anchor - turn) <= reach);
      return { session, group: bySession.get(session)!.filter(inRange) };
    });
  const room = Math.floor(ceilingTokens * Number(parameters.backbone_share)) - baseline.tokens;
  return { baseline: baseline.kept, added: fitting(ranges, room, tokensOf).kept };
}
