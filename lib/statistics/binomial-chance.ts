// The chance of one binomial outcome without losing digits (Loader 2000, "Fast and accurate computation of binomial
// probabilities"): differences of large logarithms are never formed, so that n = 10^6 keeps about 13 digits.

/** ln n! less Stirling's leading terms, n = 0..15; computed from ln n! with sixty digits. At 0 it is never asked for. */
const STIRLING_ERROR = [
  0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093, 0.016644691189821193,
  0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733, 0.00833056343336287,
  0.007573675487951841, 0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
];

/** B(2k) / (2k (2k - 1)), k = 1.. (Abramowitz and Stegun 6.1.40). */
const SERIES = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156];

/** ln n! - ((n + 1/2) ln n - n + ln(2π) / 2) for a whole number n ≥ 1. */
function stirlingError(n: number): number {
  if (n < STIRLING_ERROR.length) return STIRLING_ERROR[n]!;
  const square = n * n;
  return SERIES.reduceRight((sum, coefficient) => sum / square + coefficient, 0) / n;
}

/** x ln(x / mean) + mean - x for x > 0: the deviance of one count, by a series where the two are close. */
function deviance(x: number, mean: number): number {
  const apart = x - mean;
  if (Math.abs(apart) >= 0.1 * (x + mean)) return x * Math.log(x / mean) - apart;
  const v = apart / (x + mean);
  let sum = apart * v;
  let term = 2 * x * v;
  for (let j = 1; ; j += 1) {
    term *= v * v;
    const next = sum + term / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
}

/**
 * P(X = x) for X of n trials with chance p; x and n whole numbers with 0 ≤ x ≤ n.
 * @param q 1 - p, where the caller knows it with more digits
 */
export function binomialChance(x: number, n: number, p: number, q = 1 - p): number {
  if (p <= 0) return x === 0 ? 1 : 0;
  if (q <= 0) return x === n ? 1 : 0;
  if (x === 0) return Math.exp(n * (q < 0.5 ? Math.log(q) : Math.log1p(-p)));
  if (x === n) return Math.exp(n * (p < 0.5 ? Math.log(p) : Math.log1p(-q)));
  const exponent =
    stirlingError(n) - stirlingError(x) - stirlingError(n - x) - deviance(x, n * p) - deviance(n - x, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * x * (n - x)));
}
