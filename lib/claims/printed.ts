// Figures as they are printed, and by which rule a recomputed number is the printed one.
import { absolute, compared, divided, minus, plus, type Rational, rational, rounded, times, ZERO } from "./rational.js";

type Relation = "=" | "<" | "<=" | ">" | ">=";

/** What stands in print: a whole number of units in the last place, and that unit. */
export interface Printed {
  readonly relation: Relation;
  readonly units: bigint;
  /** One unit in the last place that is printed: 0.001 of "0.405". */
  readonly unit: Rational;
  /** Digits behind the point, and the power of ten behind them: "4.9e-05" has 1 and -5. */
  readonly decimals: number;
  readonly exponent: number | null;
}

const GRAMMAR = /^(<=|>=|<|>|≤|≥)?\s*([-+−]?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([-+]?\d{1,3}))?$/u;
const RELATIONS: Readonly<Record<string, Relation>> = { "≤": "<=", "≥": ">=" };

const power = (exponent: number): Rational =>
  exponent >= 0 ? rational(10n ** BigInt(exponent)) : rational(1n, 10n ** BigInt(-exponent));

/** A printed figure, or undefined for what is none. */
export function parsePrinted(text: string): Printed | undefined {
  const [, relation = "=", sign, whole, fraction = "", exponent] = GRAMMAR.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const units = BigInt(whole + fraction);
  return {
    relation: RELATIONS[relation] ?? (relation as Relation),
    units: sign === "-" || sign === "−" ? -units : units,
    unit: power(Number(exponent ?? 0) - fraction.length),
    decimals: fraction.length,
    exponent: exponent === undefined ? null : Number(exponent),
  };
}

export const printedValue = ({ units, unit }: Printed): Rational => times(rational(units), unit);

export type Rule = "same" | "nearest" | "half-up" | "half-even" | "given-rounded" | "inequality";

/** Levels that are printed as bounds whatever the digits: powers of ten, and these. */
const USUAL_BOUNDS = [rational(1, 20)];

/**
 * Whether a printed inequality is true, and says no less than it could: its bound is a usual level, or the next one that its
 * digits have. So `<0.001` stands for a p of 0.0002, and `<0.002` does not, though it is no less true: nobody prints it.
 * @param apart sign of the value less the bound
 */
function boundHolds(apart: number, value: Rational, printed: Printed): boolean {
  const { relation, unit } = printed;
  const below = relation === "<" || relation === "<=";
  if (apart === 0) return relation === "<=" || relation === ">=";
  if (apart < 0 !== below) return false;
  const bound = printedValue(printed);
  const usual = isPowerOfTen(bound) || USUAL_BOUNDS.some((level) => compared(level, bound) === 0);
  return usual || compared(absolute(minus(value, bound)), unit) <= 0;
}

/** 1, 0.1, 0.01 and so on. */
function isPowerOfTen({ over, under }: Rational): boolean {
  return over > 0n && under % over === 0n && /^10*$/.test(String(under / over));
}

const HALF = rational(1n, 2n);

/**
 * By which rule a value is what is printed; null when it is by none. `reach`: how far off the value may be because what it was
 * made of had been rounded; then whatever the printed figure may have been rounded from is held against that range.
 */
export function ruleOf(value: Rational, printed: Printed, reach: Rational = ZERO): Rule | null {
  const apart = compared(value, printedValue(printed));
  if (printed.relation !== "=") return boundHolds(apart, value, printed) ? "inequality" : null;
  if (apart === 0) return "same";
  const scaled = divided(value, printed.unit);
  const up = rounded(scaled, "half-up") === printed.units;
  const even = rounded(scaled, "half-even") === printed.units;
  if (up || even) return up && even ? "nearest" : up ? "half-up" : "half-even";
  if (reach.over === 0n) return null;
  const open = plus(reach, times(HALF, printed.unit));
  return compared(absolute(minus(value, printedValue(printed))), open) <= 0 ? "given-rounded" : null;
}

/** A value with as many digits as the printed figure has, half to even. */
export function shownLike(value: Rational, { unit, decimals, exponent }: Printed): string {
  const units = rounded(divided(value, unit), "half-even");
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const mantissa = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${units < 0n ? "-" : ""}${mantissa}${exponent === null ? "" : `e${exponent}`}`;
}
