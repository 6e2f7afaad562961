// Tails of the binomial distribution: whole numbers where the chance is 1/2 and the trials are few, else sums of positive terms.
import { binomialChance } from "./binomial-chance.js";
import { ratio } from "./ratio.js";

/** Up to this many fair trials sums of binomial coefficients are whole numbers, rounded once at the end. */
export const EXACT_TRIALS_MAX = 4000;

/** Σ C(n, i) for i from 0 to k, as a whole number. */
function coefficientSum(k: number, n: number): bigint {
  let coefficient = 1n;
  let sum = 1n;
  for (let i = 1; i <= k; i += 1) {
    coefficient = (coefficient * BigInt(n - i + 1)) / BigInt(i);
    sum += coefficient;
  }
  return sum;
}

/** Σ P(X = i), i = k.. n, each term out of the one before; for k above the mean, where the terms fall. */
function fallingSum(k: number, n: number, p: number, q: number): number {
  const odds = p / q;
  let term = 1;
  let sum = 1;
  for (let i = k; i < n && term > sum * 1e-18; i += 1) {
    term *= ((n - i) / (i + 1)) * odds;
    sum += term;
  }
  return Math.min(1, binomialChance(k, n, p, q) * sum);
}

/** P(X ≥ k) for X of n trials with chance p, to about 12 digits also where it is tiny; n to 10^6 and beyond. */
export function upperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return k > n * p ? fallingSum(k, n, p, 1 - p) : 1 - fallingSum(n - k + 1, n, 1 - p, p);
}

/** P(X ≤ k) for X of n trials with chance 1/2: the nearest double up to EXACT_TRIALS_MAX trials, as `upperTail` beyond. */
export function fairLowerTail(k: number, n: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  if (n > EXACT_TRIALS_MAX) return upperTail(n - k, n, 0.5);
  return ratio(coefficientSum(k, n), 1n << BigInt(n));
}

/**
 * The two-sided exact p of a split of n fair trials, min(1, 2 P(X ≤ smaller side)): the nearest double up to EXACT_TRIALS_MAX
 * trials. 1 of no trials.
 */
export function fairTwoSided(first: number, second: number): number {
  const n = first + second;
  if (n === 0) return 1;
  return Math.min(1, 2 * fairLowerTail(Math.min(first, second), n));
}
