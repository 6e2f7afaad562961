import { binomialChance } from "./binomial-chance.js";

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
  if (row === 0 || column === 0 || row === n || column === n) return 1;
  // A hypergeometric chance as a quotient of binomial ones, any p serving: none of them loses digits (Loader 2000).
  const p = column / n;
  const all = binomialChance(column, n, p);
  const chance = (x: number): number => (binomialChance(x, row, p) * binomialChance(column - x, n - row, p)) / all;
  const observed = chance(a) * EQUAL;
  let sum = 0;
  for (let x = Math.max(0, column - (n - row)); x <= Math.min(row, column); x += 1) {
    const here = chance(x);
    if (here <= observed) sum += here;
  }
  return Math.min(1, sum);
}
