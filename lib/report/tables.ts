// What a paper prints of lanes: by endpoint and category, every row over its whole denominator.
import Table from "cli-table3";
import type { Results } from "../../schemas/index.js";

export interface TabulatedLane {
  readonly name: string;
  readonly results: Results;
}

/** Percent with two digits; a mean over nothing is a dash, never a zero. */
export function percent(mean: number | null): string {
  return mean === null ? "-" : (100 * mean).toFixed(2);
}

const PLAIN_CHARS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Cells in columns, the first to the left and the others to the right, two blanks apart. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const out = new Table({
    head: [...head],
    colAligns: head.map((_, index) => (index === 0 ? "left" : "right")),
    chars: PLAIN_CHARS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  out.push(...rows.map((row) => [...row]));
  return out
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Scores as percentages: a column a lane, a row a category, for each endpoint that any of the lanes has. */
export function scoreTables(lanes: readonly TabulatedLane[]): string {
  const endpoints = [...new Set(lanes.flatMap((lane) => lane.results.endpoints.map((entry) => entry.endpoint)))];
  return endpoints.map((endpoint) => scoreTable(endpoint, lanes)).join("\n\n");
}

function scoreTable(endpoint: string, lanes: readonly TabulatedLane[]): string {
  const columns = lanes.map((lane) => lane.results.endpoints.find((entry) => entry.endpoint === endpoint));
  const categories = [...new Set(columns.flatMap((column) => column?.by_category.map((row) => row.category) ?? []))];
  const countOf = (category: string): string => {
    const counts = new Set(
      columns.map((column) => column?.by_category.find((row) => row.category === category)?.questions),
    );
    counts.delete(undefined);
    return [...counts].join(" / ");
  };
  const rows = categories.map((category) => [
    category,
    countOf(category),
    ...columns.map((column) => {
      const row = column?.by_category.find((candidate) => candidate.category === category);
      return row ? percent(row.score_mean) : "-";
    }),
  ]);
  const overallCounts = [...new Set(columns.flatMap((column) => (column ? [column.overall.questions] : [])))].join(
    " / ",
  );
  rows.push(["all", overallCounts, ...columns.map((column) => (column ? percent(column.overall.score_mean) : "-"))]);
  return `${endpoint}, mean score in %\n${textTable(["category", "N", ...lanes.map((lane) => lane.name)], rows)}`;
}

/** How the calls ended and how long the packets were: a column a lane. */
export function accountTable(lanes: readonly TabulatedLane[]): string {
  const column = (of: (results: Results) => string | number): string[] => lanes.map((lane) => String(of(lane.results)));
  const rows = [
    ["questions", ...column((results) => results.questions)],
    ["answered", ...column((results) => results.answers.answered)],
    ["empty", ...column((results) => results.answers.empty)],
    ["output limit", ...column((results) => results.answers["output-limit"])],
    ["interrupted", ...column((results) => results.answers.interrupted)],
    ["failed", ...column((results) => results.answers.failed)],
    ["evidence tokens, mean", ...column((results) => results.evidence_tokens.mean.toFixed(1))],
    ["evidence tokens, median", ...column((results) => results.evidence_tokens.median)],
    ["evidence tokens, maximum", ...column((results) => results.evidence_tokens.max)],
  ];
  return textTable(["account", ...lanes.map((lane) => lane.name)], rows);
}
