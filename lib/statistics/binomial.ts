import { incompleteBeta } from "./gamma.js";
import { ratio } from "./ratio.js";

/** Up to this many trials sums of binomial coefficients are whole numbers; beyond, the incomplete beta function serves. */
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

/**
 * P(X ≤ k) for X of n trials with chance 1/2: the nearest double up to EXACT_TRIALS_MAX trials, and to about 13 digits beyond.
 */
export function fairLowerTail(k: number, n: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  if (n > EXACT_TRIALS_MAX) return incompleteBeta(n - k, k + 1, 0.5);
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

/** P(X ≥ k) for X of n trials with chance p. */
export function upperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return incompleteBeta(k, n - k + 1, p);
}
