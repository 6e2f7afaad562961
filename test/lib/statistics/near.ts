import type { Test } from "tap";

/** Whether a figure is the expected one to so many parts of it; of zero, exactly. */
export function near(
  t: Test,
  found: number | undefined,
  expected: number,
  relative: number,
  what = `${expected}`,
): void {
  const within = found !== undefined && Math.abs(found - expected) <= Math.abs(expected) * relative;
  // On failure, the usual comparison shows both figures.
  if (within) t.pass(what);
  else t.equal(found, expected, what);
}
