// What is left of the published numbers when something failed: a sentence for each endpoint, and a table of all of them.
import type { Report } from "../../schemas/index.js";
import { percent, textTable } from "./tables.js";

export type PublishedNumber = NonNullable<Report["numbers"]>[number];

/** How much is left: the number stands, lies in a range, or is not to be relied on at all. */
export type Standing = "stands" | "range" | "lost";

/** Two percentages with two digits, or with as many as tell them apart. */
export function percentsApart(a: number, b: number): [string, string] {
  for (let digits = 2; digits < 12; digits += 1) {
    const [left, right] = [(100 * a).toFixed(digits), (100 * b).toFixed(digits)];
    if (a === b || left !== right) return [left, right];
  }
  return [String(100 * a), String(100 * b)];
}

export function nameOf({ endpoint, category }: Pick<PublishedNumber, "endpoint" | "category">): string {
  return category === null ? endpoint : `${endpoint}/${category}`;
}

export function standingOf({ published, recounted, doubtful, missing, low }: PublishedNumber): Standing {
  if (recounted === null || low === null || published !== recounted) return "lost";
  return doubtful + missing > 0 ? "range" : "stands";
}

export const plural = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** One number in words. */
export function numberSentence(number: PublishedNumber): string {
  const { published, recounted, questions, doubtful, missing, low, high, unbounded_by } = number;
  const parts: string[] = [];
  if (recounted === null)
    parts.push(published === null ? "nothing is published, and" : `${percent(published)} % is published, but`);
  if (recounted === null) parts.push("the rows cannot be counted to their end");
  else if (published === null) parts.push(`no readable total is published; the rows give ${percent(recounted)} %`);
  else if (published === recounted) parts.push(`the rows give the published ${percent(published)} %`);
  else {
    const [theirs, ours] = percentsApart(published, recounted);
    parts.push(`${theirs} % is published, but the rows give ${ours} %`);
  }
  if (low === null || high === null) parts.push(`; nothing bounds it (${unbounded_by})`);
  else if (doubtful + missing > 0) {
    const why = [
      ...(doubtful > 0
        ? [`${doubtful} of ${plural(questions, "question", "questions")} ${doubtful === 1 ? "is" : "are"} in doubt`]
        : []),
      ...(missing > 0 ? [plural(missing, "question is missing", "questions are missing")] : []),
    ];
    const [least, most] = percentsApart(low, high);
    parts.push(`; ${why.join(" and ")}, so the number lies between ${least} % and ${most} %`);
  }
  return `${nameOf(number)}: ${parts.join(" ").replaceAll(" ;", ";")}`;
}

function doubtText({ doubtful, missing }: PublishedNumber): string {
  if (missing === 0) return String(doubtful);
  return doubtful === 0 ? `${missing} missing` : `${doubtful}, ${missing} missing`;
}

/** Every number, a row each. */
export function numbersTable(numbers: readonly PublishedNumber[]): string {
  return textTable(
    ["number, in %", "published", "recounted", "N", "in doubt", "lies in"],
    numbers.map((number) => {
      const { published, recounted, questions, low, high } = number;
      const pair = published !== null && recounted !== null ? percentsApart(published, recounted) : undefined;
      const range =
        low === null || high === null
          ? "0 to 100"
          : low === high
            ? percent(low)
            : `${percent(low)} to ${percent(high)}`;
      return [
        nameOf(number),
        pair?.[0] ?? percent(published),
        pair?.[1] ?? percent(recounted),
        String(questions),
        doubtText(number),
        range,
      ];
    }),
  );
}
