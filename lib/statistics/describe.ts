// Plain descriptives; the median is simple-statistics'. Sums that must be exact are fsum's; tests and intervals are our own.
import { median as middle } from "simple-statistics";
import { quantile } from "./bootstrap.js";
import { fsum } from "./fsum.js";

/** The middle value, or the mean of the two middle ones; 0 of no values. */
export function median(values: readonly number[]): number {
  return values.length === 0 ? 0 : middle([...values]);
}

export interface Summary {
  readonly n: number;
  readonly mean: number;
  readonly median: number;
  /** By linear interpolation (type 7 of Hyndman and Fan). */
  readonly p95: number;
  readonly max: number;
}

/** What papers print of lengths and times; null of no values. */
export function summary(values: readonly number[]): Summary | null {
  const n = values.length;
  if (n === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return { n, mean: fsum(values) / n, median: median(values), p95: quantile(sorted, 0.95), max: sorted[n - 1]! };
}
