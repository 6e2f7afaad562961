// Intervals for one proportion of k successes in n independent trials. Two-sided, of a named level.
import { upperTail } from "./binomial.js";
import { normalQuantile } from "./normal.js";

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Wilson's score interval (Wilson 1927); null of no trials. */
export function wilsonInterval(k: number, n: number, level = 0.95): Interval | null {
  if (n === 0) return null;
  const z = normalQuantile(0.5 + level / 2);
  const p = k / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return { lower: k === 0 ? 0 : Math.max(0, centre - half), upper: k === n ? 1 : Math.min(1, centre + half) };
}

/** The chance p at which P(X ≥ k) among n is `tail`. */
function chanceAt(k: number, n: number, tail: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (upperTail(k, n, middle) < tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Clopper and Pearson's exact interval (1934); null of no trials. */
export function clopperPearsonInterval(k: number, n: number, level = 0.95): Interval | null {
  if (n === 0) return null;
  const tail = (1 - level) / 2;
  return {
    lower: k === 0 ? 0 : chanceAt(k, n, tail),
    // P(X ≤ k) = tail where P(X ≥ k + 1) = 1 - tail.
    upper: k === n ? 1 : chanceAt(k + 1, n, 1 - tail),
  };
}
