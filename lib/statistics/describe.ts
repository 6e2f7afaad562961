// Plain descriptives, from simple-statistics. Sums that must be exact are fsum's; tests and intervals are our own.
import { median as middle } from "simple-statistics";

/** The middle value, or the mean of the two middle ones; 0 of no values. */
export function median(values: readonly number[]): number {
  return values.length === 0 ? 0 : middle([...values]);
}
