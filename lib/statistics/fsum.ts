/**
 * The correctly rounded sum of finite numbers: exact, then rounded once, so that the order of the terms does not matter
 * and any language with an exact sum reaches the same bits (Shewchuk 1997, "Adaptive Precision Floating-Point
 * Arithmetic", grow-expansion; the final rounding follows the half-even correction used by Python's math.fsum). Where a
 * sum on the way is beyond double range, the result is not finite either.
 */
export function fsum(terms: Iterable<number>): number {
  /** Non-overlapping partial sums, smallest first; their exact sum is the sum so far. */
  const partials: number[] = [];
  for (const term of terms) {
    let x = term;
    let kept = 0;
    for (const partial of partials) {
      const [large, small] = Math.abs(x) < Math.abs(partial) ? [partial, x] : [x, partial];
      const high = large + small;
      const low = small - (high - large);
      if (low !== 0) partials[kept++] = low;
      x = high;
    }
    partials.length = kept;
    if (x !== 0) partials.push(x);
  }
  let high = partials.pop() ?? 0;
  let low = 0;
  while (partials.length > 0) {
    const x = high;
    const y = partials.pop()!;
    high = x + y;
    low = y - (high - x);
    if (low !== 0) break;
  }
  // The part below may tip a tie: round it away from the even neighbour when the rest has the same sign.
  const below = partials.at(-1) ?? 0;
  if ((low < 0 && below < 0) || (low > 0 && below > 0)) {
    const doubled = low * 2;
    const candidate = high + doubled;
    if (candidate - high === doubled) high = candidate;
  }
  return high;
}
