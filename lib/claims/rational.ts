// Exact fractions: a printed figure is compared with what it is made of before anything is rounded.
import { ratio } from "../statistics/ratio.js";

/** numerator / denominator, the second above zero; not reduced. */
export interface Rational {
  readonly over: bigint;
  readonly under: bigint;
}

export const rational = (over: bigint | number, under: bigint | number = 1): Rational => ({
  over: BigInt(over),
  under: BigInt(under),
});

export const ZERO = rational(0);

/** The very number that a finite double is. */
export function ofDouble(value: number): Rational {
  let scaled = value;
  let under = 1n;
  // Doubling is exact; no double has more than 1,074 bits behind its point.
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    under *= 2n;
  }
  return { over: BigInt(scaled), under };
}

export const plus = (a: Rational, b: Rational): Rational =>
  a.under === b.under
    ? { over: a.over + b.over, under: a.under }
    : { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
export const negated = ({ over, under }: Rational): Rational => ({ over: -over, under });
export const minus = (a: Rational, b: Rational): Rational => plus(a, negated(b));
export const times = (a: Rational, b: Rational): Rational => ({ over: a.over * b.over, under: a.under * b.under });

/** a / b; b is not zero. */
export function divided(a: Rational, b: Rational): Rational {
  const inverse = b.over < 0n ? { over: -b.under, under: -b.over } : { over: b.under, under: b.over };
  return times(a, inverse);
}

/** Below zero, zero or above, as a is less than, equal to or more than b. */
export function compared(a: Rational, b: Rational): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const absolute = ({ over, under }: Rational): Rational => ({ over: over < 0n ? -over : over, under });

/** The nearest double. */
export function toDouble({ over, under }: Rational): number {
  return over < 0n ? -ratio(-over, under) : ratio(over, under);
}

/** The nearest whole number, a tie away from zero ("half-up") or to the even neighbour ("half-even"). */
export function rounded({ over, under }: Rational, tie: "half-up" | "half-even"): bigint {
  const size = over < 0n ? -over : over;
  const whole = size / under;
  const twice = 2n * (size % under);
  const up = twice > under || (twice === under && (tie === "half-up" || whole % 2n === 1n));
  const result = up ? whole + 1n : whole;
  return over < 0n ? -result : result;
}
