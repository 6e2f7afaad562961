// Two scores of a segment, who is eligible, and how two rankings become one (paper section 3.2).
import type { AskedQuestion } from "../dataset/types.js";
import type { Arm, ArmContext } from "./arms/types.js";
import { guardedRows } from "./rows.js";

/** A segment with its recorded scores. */
export interface ScoredRow {
  /** Index of the segment: its identity, in order of session, turn and offset. */
  readonly index: number;
  readonly session: number;
  /** clip((cos + 1) / 2, 0, 1). */
  readonly semantic: number;
  /** BM25 as a share of the best row's for the question, 0 to 1. */
  readonly lexical: number;
  /** Whether it shares a word with the question. */
  readonly matched: boolean;
}

/** The recorded semantic scale of a cosine. */
export const semanticScale = (cosine: number): number => Math.min(1, Math.max(0, (cosine + 1) / 2));

/** Both scores of every row of a history. Throws E_LIMIT when there are too many. */
export function scoredRows(asked: AskedQuestion, context: ArmContext, parameters: Arm["parameters"]): ScoredRow[] {
  const rows = guardedRows(asked, context, Number(parameters.rows_max));
  if (context.semantic === null) throw new Error("an arm that needs semantic scores was given none");
  const cosines = context.semantic.cosines(asked.question);
  const { scores, matched } = context.lexical.bm25(asked.question, Number(parameters.k1), Number(parameters.b));
  const sharing = new Set(matched);
  const best = rows.reduce((most, index) => Math.max(most, scores[index]!), 0);
  return rows.map((index) => ({
    index,
    session: context.segments[index]!.session,
    semantic: semanticScale(cosines[index]!),
    lexical: best === 0 ? 0 : scores[index]! / best,
    matched: sharing.has(index),
  }));
}

/** Whether a row may be a candidate: a lexical score of at least `lexicalMin` with matched words, or a semantic one of at least `semanticMin`. */
export function isEligible(
  { lexical, matched, semantic }: ScoredRow,
  lexicalMin: number,
  semanticMin: number,
): boolean {
  return (matched && lexical >= lexicalMin) || semantic >= semanticMin;
}

type Order = (a: ScoredRow, b: ScoredRow) => number;
const bySemantic: Order = (a, b) => b.semantic - a.semantic || b.lexical - a.lexical || a.index - b.index;
const byLexical: Order = (a, b) => b.lexical - a.lexical || b.semantic - a.semantic || a.index - b.index;

/**
 * Equation 1: f(s) = 1/(offset + r_sem) + [s in L] 1/(offset + r_lex), ranks from one within the pool, L the rows with a
 * positive lexical score and matched words. Best first; ties by semantic score, then lexical score, then identity.
 */
export function fused(pool: readonly ScoredRow[], offset: number): { row: ScoredRow; f: number }[] {
  const lexicalRank = new Map(
    pool
      .filter(({ lexical, matched }) => matched && lexical > 0)
      .sort(byLexical)
      .map((row, place) => [row, place + 1]),
  );
  return pool
    .toSorted(bySemantic)
    .map((row, place) => {
      const rank = lexicalRank.get(row);
      return { row, f: 1 / (offset + place + 1) + (rank === undefined ? 0 : 1 / (offset + rank)) };
    })
    .sort((a, b) => b.f - a.f || bySemantic(a.row, b.row));
}

/** The best of each session in the order given, then all others in that order. */
export function leadersFirst<T extends { readonly session: number }>(ordered: readonly T[]): T[] {
  const led = new Set<number>();
  const leaders: T[] = [];
  const others: T[] = [];
  for (const item of ordered) {
    (led.has(item.session) ? others : leaders).push(item);
    led.add(item.session);
  }
  return [...leaders, ...others];
}
