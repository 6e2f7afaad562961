import { logGamma } from "./gamma.js";

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
/** Tables whose chance equals the observed one, but for rounding, count as extreme. */
const EQUAL = 1 + 1e-7;

/**
 * Fisher's exact two-sided p of a 2 × 2 table [[a, b], [c, d]] of counts: the chance, with the margins fixed, of a table that is no
 * more likely than this one (Fisher 1934). 1 when a margin is empty.
 */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const row = a + b;
  const column = a + c;
  const n = a + b + c + d;
  const chance = (x: number): number =>
    Math.exp(logChoose(row, x) + logChoose(n - row, column - x) - logChoose(n, column));
  const observed = chance(a) * EQUAL;
  let p = 0;
  for (let x = Math.max(0, column - (n - row)); x <= Math.min(row, column); x += 1) {
    const here = chance(x);
    if (here <= observed) p += here;
  }
  return Math.min(1, p);
}
