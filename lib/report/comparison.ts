// A comparison of two lanes for a terminal: a caption, then every figure with its method.
import type { Comparison } from "../../schemas/index.js";
import { printable, printableLines } from "./printable.js";
import { percent, textTable } from "./tables.js";
import { wrap } from "./wrap.js";

const points = (value: number | null): string => {
  if (value === null) return "-";
  const text = (100 * value).toFixed(2);
  return value > 0 ? `+${text}` : text;
};

/** A p-value with six digits behind the point; one that would be all zeros in powers of ten. */
export function pText(p: number | null): string {
  if (p === null) return "-";
  return p !== 0 && p < 0.000001 ? p.toExponential(3) : p.toFixed(6);
}

const figure = (value: number | null): string => (value === null ? "undefined" : value.toFixed(3));

function categoriesTable({ first, second, questions, means, outcomes, categories }: Comparison): string {
  const rows = [...categories, { category: "all", questions, means, outcomes }].map((row) => [
    row.category,
    String(row.questions),
    percent(row.means.first),
    percent(row.means.second),
    points(row.means.difference),
    ...(outcomes ? [String(row.outcomes!.first_only), String(row.outcomes!.second_only)] : []),
  ]);
  const head = ["category", "N", first, second, "points", ...(outcomes ? ["gains", "losses"] : [])];
  return textTable(head, rows);
}

export function comparisonText(comparison: Comparison, width: number): string {
  const { caption, tests, intervals, noninferiority, kappa, spearman, ungraded, binary, clusters } = comparison;
  const blocks = [
    wrap(printable(caption), width).join("\n"),
    `Mean scores in %, descriptive: nothing is tested by category\n${categoriesTable(comparison)}`,
    textTable(
      ["test", "n", "p"],
      tests.map(({ id, n, p }) => [id, String(n), pText(p)]),
    ),
    textTable(
      ["interval of the difference, in points", "lower", "upper"],
      intervals.map(({ id, level, lower, upper }) => [`${id}, ${100 * level} %`, points(lower), points(upper)]),
    ),
  ];
  if (noninferiority) {
    const { margin, level, lower, verdict } = noninferiority;
    blocks.push(
      `Non-inferiority at a margin of ${(100 * margin).toFixed(2)} points, one-sided ${100 * level} %: lower bound ${points(lower)}, ${verdict}`,
    );
  }
  const agreement = [...(binary ? [`Cohen's kappa ${figure(kappa)}`] : []), `Spearman's rho ${figure(spearman)}`];
  blocks.push(`Agreement of the two: ${agreement.join(", ")}`);
  const notes = [
    ...[...tests, ...intervals].map(
      ({ id, method, why }) => `${id}: ${method}${why === null ? "" : `; not made: ${why}`}`,
    ),
    ...(noninferiority ? [`non-inferiority: ${noninferiority.method}`] : []),
    `questions of one history hang together; only what goes over the ${clusters} histories allows for it`,
    ...(ungraded.first + ungraded.second > 0
      ? [`${ungraded.first} and ${ungraded.second} questions have no grade and count with nothing`]
      : []),
  ];
  const lines = notes.flatMap((note) => wrap(note, width - 2).map((line, index) => (index === 0 ? "- " : "  ") + line));
  blocks.push(lines.join("\n"));
  return `${printableLines(blocks.join("\n\n"))}\n`;
}
