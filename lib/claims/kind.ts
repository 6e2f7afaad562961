// What a kind of claim is: how its figures follow from what is given, and from rows of a lane where it can be counted there.
import { isBinary, type ScoredPair, type ScoredRow } from "../compare/scored.js";
import type { Given } from "./given.js";
import { NotCheckable } from "./not-checkable.js";
import { ofDouble, type Rational, rational } from "./rational.js";

/** A recomputed figure, before it is held against what is printed. */
export type Figure =
  | { readonly type: "number"; readonly value: Rational; readonly reach?: Rational }
  | { readonly type: "word"; readonly value: string | boolean }
  | { readonly type: "list"; readonly items: readonly Figure[] };

export interface ClaimKind {
  readonly id: string;
  /** How it is recomputed, in words for a reader of the report. */
  readonly method: string;
  /** Its members, for people: what is given, what may be printed. */
  readonly given: string;
  readonly printed: string;
  /** Every figure that may be printed of it. Throws NotCheckable. */
  figures(given: Given): Readonly<Record<string, Figure>>;
  /** What the rows of one lane give. */
  readonly fromRows?: (rows: readonly ScoredRow[]) => object;
  /** What two lanes give that are paired by question. */
  readonly fromPairs?: (pairs: readonly ScoredPair[]) => object;
}

export const exact = (value: Rational | number, reach?: Rational): Figure => ({
  type: "number",
  value: typeof value === "number" ? rational(value) : value,
  ...(reach === undefined ? {} : { reach }),
});
export const double = (value: number): Figure => ({ type: "number", value: ofDouble(value) });
export const word = (value: string | boolean): Figure => ({ type: "word", value });
export const list = (items: readonly Figure[]): Figure => ({ type: "list", items });

/** k of n as a share of one; not checkable over nothing or where k is more than n. */
export function share(k: number, n: number): Rational {
  if (n === 0) throw new NotCheckable("undefined", "a share of nothing is undefined");
  if (k < 0 || k > n) throw new NotCheckable("given-invalid", `${k} of ${n} is no share`);
  return rational(k, n);
}

/** A share of one in percent or in points. */
export const hundredfold = ({ over, under }: Rational): Rational => ({ over: 100n * over, under });

/** What is undefined, such as an interval over a single cluster, is said and not printed as a number. */
export function defined<T>(value: T | null, what: string): T {
  if (value === null) throw new NotCheckable("undefined", `${what} is undefined of these figures`);
  return value;
}

/** Rows with 0/1 scores. */
export function binaryRows(rows: readonly ScoredRow[]): readonly ScoredRow[] {
  if (!rows.every(({ score }) => isBinary(score)))
    throw new NotCheckable("scores-not-binary", "scores are not all 0 or 1");
  return rows;
}

export function correctOf(rows: readonly ScoredRow[]): { k: number; n: number } {
  return { k: binaryRows(rows).filter(({ score }) => score === 1).length, n: rows.length };
}

export function outcomesOf(pairs: readonly ScoredPair[]): {
  both: number;
  neither: number;
  first_only: number;
  second_only: number;
  n: number;
} {
  if (!pairs.every(({ first, second }) => isBinary(first) && isBinary(second)))
    throw new NotCheckable("scores-not-binary", "scores are not all 0 or 1");
  const count = (first: number, second: number): number =>
    pairs.filter((pair) => pair.first === first && pair.second === second).length;
  return {
    both: count(1, 1),
    neither: count(0, 0),
    first_only: count(1, 0),
    second_only: count(0, 1),
    n: pairs.length,
  };
}
