import type { History } from "../dataset/types.js";

/**
 * These sessions (one-based numbers) in order of time, equal times in the dataset's order; all of them in the dataset's
 * order when one has no date that can be sorted.
 */
export function chronological({ sessions }: History, numbers: readonly number[]): number[] {
  const timeOf = (session: number): string | null => sessions[session - 1]?.time ?? null;
  if (numbers.some((session) => timeOf(session) === null)) return [...numbers];
  return numbers.toSorted((a, b) => (timeOf(a)! < timeOf(b)! ? -1 : timeOf(a)! > timeOf(b)! ? 1 : a - b));
}

/** Sessions in order of time -> the stratum of each, from zero: `count` runs of sessions as equal in number as can be. */
export function strataOf(ordered: readonly number[], count: number): Map<number, number> {
  const strata = Math.min(count, ordered.length);
  return new Map(ordered.map((session, place) => [session, Math.floor((place * strata) / ordered.length)]));
}
