import { normalUpperTail } from "./normal.js";
import { midranks } from "./ranks.js";

/** Up to this many differences without ties the distribution is counted. */
const EXACT_MAX = 200;

export interface Wilcoxon {
  /** Differences that are not zero. */
  readonly n: number;
  /** Sum of the ranks of the positive ones. */
  readonly positive: number;
  readonly negative: number;
  readonly p: number;
  readonly method: "exact" | "normal, corrected for ties";
}

/**
 * Wilcoxon's signed-rank test, two-sided; zeros are left out (Wilcoxon 1945). Exact without ties up to EXACT_MAX differences; else
 * the normal approximation with its variance corrected for ties and no correction for continuity. p is 1 when nothing is left.
 */
export function wilcoxonSignedRank(differences: readonly number[]): Wilcoxon {
  const left = differences.filter((difference) => difference !== 0);
  const n = left.length;
  const { ranks, ties } = midranks(left.map(Math.abs));
  let positive = 0;
  for (const [index, difference] of left.entries()) if (difference > 0) positive += ranks[index]!;
  const total = (n * (n + 1)) / 2;
  const negative = total - positive;
  const smaller = Math.min(positive, negative);
  if (n === 0) return { n, positive, negative, p: 1, method: "exact" };
  if (ties.length === 0 && n <= EXACT_MAX) {
    return { n, positive, negative, p: Math.min(1, 2 * exactLowerTail(smaller, n)), method: "exact" };
  }
  const tied = ties.reduce((sum, size) => sum + size ** 3 - size, 0);
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tied / 48;
  const z = (total / 2 - smaller) / Math.sqrt(variance);
  return { n, positive, negative, p: Math.min(1, 2 * normalUpperTail(z)), method: "normal, corrected for ties" };
}

/** P(W ≤ sum) of n ranks, each counted with chance 1/2. Up to 53 ranks every share on the way is exact, because halving is. */
function exactLowerTail(sum: number, n: number): number {
  const share = new Float64Array(sum + 1);
  share[0] = 1;
  for (let rank = 1; rank <= n; rank += 1) {
    for (let at = sum; at >= 0; at -= 1) share[at] = (share[at]! + (at >= rank ? share[at - rank]! : 0)) / 2;
  }
  return share.reduce((all, part) => all + part, 0);
}
