import { MONTH_NAMES } from "../bytes/calendar.js";

export interface Months {
  /** "01" to "12". */
  readonly months: ReadonlySet<string>;
  readonly years: ReadonlySet<string>;
}

/** The months and years that a question names in English. Months are capitalised there, which tells May from may. */
export function askedMonths(question: string): Months {
  const named: readonly string[] = question.match(/\b[A-Z][a-z]+\b/g) ?? [];
  const months = MONTH_NAMES.map((name, index) => (named.includes(name) ? String(index + 1).padStart(2, "0") : ""));
  return {
    months: new Set(months.filter((month) => month !== "")),
    years: new Set(question.match(/\b(?:19|20)\d\d\b/g) ?? []),
  };
}
