// Tango's score interval for the difference of two paired proportions (Tango 1998, Statistics in Medicine 17, 891-908).
import { normalQuantile } from "./normal.js";
import type { Interval } from "./proportion.js";

/**
 * The score statistic at a difference Δ, under H: p1 - p2 = Δ. b: pairs that only the first has right, c: only the second.
 * The nuisance q (the chance of a c pair) is its restricted maximum-likelihood estimate.
 */
function score(b: number, c: number, n: number, delta: number): number {
  const B = -b - c + (2 * n - b + c) * delta;
  const C = -c * delta * (1 - delta);
  const q = (Math.sqrt(Math.max(0, B * B - 8 * n * C)) - B) / (4 * n);
  const variance = n * (2 * q + delta * (1 - delta));
  const distance = b - c - n * delta;
  if (variance <= 0) return distance === 0 ? 0 : distance > 0 ? Infinity : -Infinity;
  return distance / Math.sqrt(variance);
}

/** The difference in [from, to] at which the score, which falls as the difference grows, is `target`. */
function crossing(b: number, c: number, n: number, target: number, from: number, to: number): number {
  let low = from;
  let high = to;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (score(b, c, n, middle) > target) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Bounds of p1 - p2, each one-sided of the level given: a two-sided interval of 95 % takes 0.975. Null of no pairs. */
export function tangoInterval(b: number, c: number, n: number, oneSidedLevel: number): Interval | null {
  if (n === 0) return null;
  const z = normalQuantile(oneSidedLevel);
  const difference = (b - c) / n;
  return { lower: crossing(b, c, n, z, -1, difference), upper: crossing(b, c, n, -z, difference, 1) };
}

export interface NonInferiority {
  /** First minus second, as a share of one. */
  readonly difference: number;
  readonly lower: number;
  readonly nonInferior: boolean;
}

/** Whether the first is not worse than the second by `margin` (a share of one) or more: the lower bound lies above -margin. */
export function tangoNonInferiority(
  b: number,
  c: number,
  n: number,
  margin: number,
  oneSidedLevel: number,
): NonInferiority | null {
  const interval = tangoInterval(b, c, n, oneSidedLevel);
  return interval && { difference: (b - c) / n, lower: interval.lower, nonInferior: interval.lower > -margin };
}
