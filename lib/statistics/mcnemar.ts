import { fairTwoSided } from "./binomial.js";

/**
 * The exact two-sided p of McNemar's test on discordant pairs: min(1, 2 Σ C(b + c, i) / 2^(b + c), i ≤ min(b, c)) (McNemar 1947,
 * conditional on b + c). Pairs are taken as independent: where several questions share a history, see the sign-flip test.
 */
export function exactMcNemar(b: number, c: number): number {
  return fairTwoSided(b, c);
}
