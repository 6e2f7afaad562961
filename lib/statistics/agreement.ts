// How two ways of judging the same things agree.
import { midranks } from "./ranks.js";

function countsOf(labels: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

/**
 * Cohen's kappa of two raters over paired labels (Cohen 1960): (agreement - chance agreement) / (1 - chance agreement). Null of
 * nothing, and where chance alone would agree always.
 */
export function cohenKappa(first: readonly string[], second: readonly string[]): number | null {
  const n = first.length;
  if (n !== second.length) throw new RangeError("the raters must have rated the same things");
  if (n === 0) return null;
  const [counts, others] = [countsOf(first), countsOf(second)];
  const observed = first.filter((label, index) => label === second[index]).length / n;
  let expected = 0;
  for (const [label, count] of counts) expected += (count / n) * ((others.get(label) ?? 0) / n);
  return expected === 1 ? null : (observed - expected) / (1 - expected);
}

/** Spearman's rank correlation, ties at mean ranks: Pearson's r of the ranks. Null of fewer than two, or when one side is all equal. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  if (x.length !== y.length) throw new RangeError("both sides must be of the same things");
  const { ranks: a } = midranks(x);
  const { ranks: b } = midranks(y);
  const mean = (x.length + 1) / 2;
  let cross = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [index, rank] of a.entries()) {
    const other = b[index]!;
    cross += (rank - mean) * (other - mean);
    squaresA += (rank - mean) ** 2;
    squaresB += (other - mean) ** 2;
  }
  return squaresA === 0 || squaresB === 0 ? null : cross / Math.sqrt(squaresA * squaresB);
}
