// What an arm sees of a history, made for tests: a token a byte of text, ten more a session header.
import type { History } from "../../../lib/dataset/types.js";
import { Assembly, mergeNeighbours, type Price } from "../../../lib/evidence/admit.js";
import { armOf } from "../../../lib/evidence/arms/index.js";
import type { Arm, ArmContext } from "../../../lib/evidence/arms/types.js";
import { LexicalIndex } from "../../../lib/evidence/lexical.js";
import { mergedRows } from "../../../lib/evidence/rows.js";
import { type Segment, type Span, segmentHistory } from "../../../lib/evidence/segment.js";
import { stemIndex } from "../../../lib/evidence/stems.js";
import { asked } from "./histories.js";

export const HEADER_TOKENS = 10;

/** @param headerTokens of each session header */
export const bytePrice =
  (headerTokens: number): Price =>
  (before, spans) => {
    let session = before;
    let total = 0;
    for (const { session: next, start, end } of spans) {
      total += end - start + (next === session ? 0 : headerTokens);
      session = next;
    }
    return total;
  };

/**
 * @param more.cosine of each segment to any question; without it there is no semantic index
 * @param more.headerTokens of a session header; 0 when not given
 */
export function contextOf(
  history: History,
  ceilingTokens: number,
  more: { bytesMax?: number; headerTokens?: number; cosine?: (segment: Segment, index: number) => number } = {},
): ArmContext {
  const segments = segmentHistory(history, more.bytesMax ?? 1200);
  const price = bytePrice(more.headerTokens ?? 0);
  const { cosine } = more;
  return {
    history,
    segments,
    rows: mergedRows(segments),
    lexical: new LexicalIndex(segments.map(({ text }) => text)),
    stems: stemIndex(history, segments),
    semantic: cosine === undefined ? null : { cosines: () => Float64Array.from(segments, cosine) },
    tokensOf: (spans) => price(0, mergeNeighbours(spans), new Set(), { spans: [], tokens: 0 }),
    ceilingTokens,
    assembled({ baseline, added }, groups) {
      const assembly = new Assembly(ceilingTokens, price);
      const backbone = assembly.offer([...baseline, ...added]).flat();
      return { backbone, groups: assembly.offer(groups) };
    },
  };
}

/** The groups of an arm for a question, under its own parameters or changed ones. */
export function rank(arm: string, question: string, context: ArmContext, changed: Arm["parameters"] = {}) {
  const { rank, parameters } = armOf(arm);
  return rank(asked(context.history.historyId, "q", question), context, { ...parameters, ...changed });
}

/** Groups as [session, turn] pairs, one span a group. */
export const places = (groups: readonly (readonly Span[])[]): string[] =>
  groups.map((group) => group.map(({ session, turn }) => `${session}.${turn}`).join("+"));
