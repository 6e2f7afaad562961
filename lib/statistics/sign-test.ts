import { fairTwoSided, upperTail } from "./binomial.js";

/** Two-sided exact p of `wins` among `n` untied pairs. */
export function signTest(wins: number, n: number): number {
  return fairTwoSided(wins, n - wins);
}

/** The smallest number of wins above one half whose two-sided p is at most alpha, with that p; null when none of n is. */
export function signTestThreshold(n: number, alpha: number): { wins: number; p: number } | null {
  for (let wins = Math.ceil(n / 2); wins <= n; wins += 1) {
    const p = signTest(wins, n);
    if (p <= alpha) return { wins, p };
  }
  return null;
}

/** The chance of at least `threshold` wins among n when each is won with `probability`: the power on the side of the effect. */
export function signTestPower(n: number, threshold: number, probability: number): number {
  return upperTail(threshold, n, probability);
}
