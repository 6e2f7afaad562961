import { Coverage } from "./admit.js";
import type { CandidateGroup } from "./arms/types.js";
import type { Span } from "./segment.js";

/**
 * Of groups in order, those that are not in a packet yet and together take no more than a room of tokens, each reckoned as
 * the only one of a packet; what does not fit is skipped whole.
 */
export function bounded(
  offered: Iterable<CandidateGroup>,
  present: readonly Span[],
  roomTokens: number,
  tokensOf: (spans: readonly Span[]) => number,
): CandidateGroup[] {
  const coverage = new Coverage();
  for (const span of present) coverage.cover(span);
  const kept: CandidateGroup[] = [];
  let left = roomTokens;
  for (const group of offered) {
    const fresh = group.flatMap((span) => coverage.uncovered(span));
    if (fresh.length === 0) continue;
    const cost = tokensOf(fresh);
    if (cost > left) continue;
    left -= cost;
    for (const span of fresh) coverage.cover(span);
    kept.push(fresh);
  }
  return kept;
}
