// What a claim is given, read member by member; whatever is missing or is none of its kind makes the claim not checkable.
import { NotCheckable } from "./not-checkable.js";
import { parsePrinted, printedValue } from "./printed.js";
import { type Rational, rational } from "./rational.js";

/** Counts beyond this are no counts of questions; sums over them would take too long. */
const COUNT_MAX = 1_000_000_000;
/** Items of a list. */
const ITEMS_MAX = 100_000;

const ONE_HALF = rational(1n, 2n);

/** A figure that was printed, with half a unit in its last place: how far off it may be. */
export interface Rounded {
  readonly value: Rational;
  readonly reach: Rational;
}

export class Given {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name);
  }

  #member(name: string): unknown {
    if (!this.has(name)) throw new NotCheckable("given-incomplete", `'${name}' is not given`);
    return this.#members[name];
  }

  #list<T>(name: string, item: (value: unknown) => T): T[] {
    const value = this.#member(name);
    if (!Array.isArray(value)) throw invalid(name, "a list");
    if (value.length > ITEMS_MAX) throw new NotCheckable("beyond-limit", `'${name}' has over ${ITEMS_MAX} items`);
    return value.map(item);
  }

  /** A whole number from 0 to `most`. */
  count(name: string, most = COUNT_MAX): number {
    return countIn(this.#member(name), name, most);
  }

  counts(name: string): number[] {
    return this.#list(name, (value) => countIn(value, name, COUNT_MAX));
  }

  /** A finite number, or a string that is one. */
  number(name: string): number {
    return numberIn(this.#member(name), name);
  }

  /** A number strictly between 0 and 1. */
  share(name: string): number {
    const value = this.number(name);
    if (!(value > 0 && value < 1)) throw invalid(name, "between 0 and 1");
    return value;
  }

  numbers(name: string): number[] {
    return this.#list(name, (value) => numberIn(value, name));
  }

  integers(name: string): number[] {
    return this.numbers(name).map((value) => {
      if (!Number.isInteger(value) || Math.abs(value) > COUNT_MAX) throw invalid(name, "made of whole numbers");
      return value;
    });
  }

  /** A printed figure, as a string with its digits. */
  rounded(name: string): Rounded {
    return roundedIn(this.#member(name), name);
  }

  roundeds(name: string): Rounded[] {
    return this.#list(name, (value) => roundedIn(value, name));
  }

  word(name: string): string {
    const value = this.#member(name);
    if (typeof value !== "string") throw invalid(name, "a string");
    return value;
  }

  words(name: string): string[] {
    return this.#list(name, (value) => {
      if (typeof value !== "string") throw invalid(name, "made of strings");
      return value;
    });
  }

  /** Members of a member. */
  inner(name: string): Given {
    return innerOf(this.#member(name), name);
  }

  inners(name: string): Given[] {
    return this.#list(name, (value) => innerOf(value, name));
  }
}

const invalid = (name: string, what: string): NotCheckable =>
  new NotCheckable("given-invalid", `'${name}' is not ${what}`);

function countIn(value: unknown, name: string, most: number): number {
  if (!Number.isInteger(value) || (value as number) < 0) throw invalid(name, "a count");
  if ((value as number) > most) throw new NotCheckable("beyond-limit", `'${name}' is over ${most}`);
  return value as number;
}

function numberIn(value: unknown, name: string): number {
  const number = typeof value === "string" && parsePrinted(value)?.relation === "=" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw invalid(name, "a number");
  return number;
}

function roundedIn(value: unknown, name: string): Rounded {
  const printed = typeof value === "string" ? parsePrinted(value) : undefined;
  if (printed?.relation !== "=") throw invalid(name, "a printed figure, as a string");
  const { over, under } = printed.unit;
  return { value: printedValue(printed), reach: { over: over * ONE_HALF.over, under: under * ONE_HALF.under } };
}

function innerOf(value: unknown, name: string): Given {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(name, "an object");
  return new Given(value as Record<string, unknown>);
}
