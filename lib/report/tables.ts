// What a paper prints of lanes: by endpoint and category, every row over its whole denominator.
import Table from "cli-table3";
import type { Results, Retrieval } from "../../schemas/index.js";

export interface TabulatedLane {
  readonly name: string;
  /** Null for a run that was not answered yet. */
  readonly results: Results | null;
  readonly retrieval: Retrieval;
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
  const endpoints = [...new Set(lanes.flatMap((lane) => lane.results?.endpoints.map((entry) => entry.endpoint) ?? []))];
  return endpoints.map((endpoint) => scoreTable(endpoint, lanes)).join("\n\n");
}

function scoreTable(endpoint: string, lanes: readonly TabulatedLane[]): string {
  const columns = lanes.map((lane) => lane.results?.endpoints.find((entry) => entry.endpoint === endpoint));
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
  const ended = (of: (answers: Results["answers"]) => number): string[] =>
    lanes.map(({ results }) => (results ? String(of(results.answers)) : "-"));
  const packets = (of: (row: Retrieval["rows"][number]) => string | undefined): string[] =>
    lanes.map(({ retrieval }) => of(retrieval.rows.at(-1)!) ?? "-");
  const rows = [
    ["questions", ...packets((row) => String(row.questions))],
    ["answered", ...ended((answers) => answers.answered)],
    ["empty", ...ended((answers) => answers.empty)],
    ["output limit", ...ended((answers) => answers["output-limit"])],
    ["interrupted", ...ended((answers) => answers.interrupted)],
    ["failed", ...ended((answers) => answers.failed)],
    ["evidence tokens, mean", ...packets((row) => row.evidence_tokens.mean?.toFixed(1))],
    ["evidence tokens, median", ...packets((row) => row.evidence_tokens.median?.toString())],
    ["evidence tokens, maximum", ...packets((row) => row.evidence_tokens.max?.toString())],
  ];
  return textTable(["account", ...lanes.map((lane) => lane.name)], rows);
}

/**
 * Where the dataset labels support: how much of it stands in the packets, a row a lane and category. Empty when no lane has a
 * labelled question.
 */
export function retrievalTable(lanes: readonly TabulatedLane[]): string {
  const labelled = lanes.filter(({ retrieval }) => retrieval.rows.some((row) => row.labelled > 0));
  if (labelled.length === 0) return "";
  const withShare = labelled.some(({ retrieval }) => retrieval.rows.some((row) => row.history_share !== null));
  const rows = labelled.flatMap(({ name, retrieval }) =>
    retrieval.rows.map((row) => [
      ...(labelled.length > 1 ? [name] : []),
      row.category ?? "all",
      row.labelled === row.questions ? String(row.labelled) : `${row.labelled} of ${row.questions}`,
      ...[row.turn, row.session].flatMap(({ any, all, fraction }) => [any, all, fraction].map(percent)),
      row.evidence_tokens.mean?.toFixed(1) ?? "-",
      ...(withShare ? [percent(row.history_share)] : []),
    ]),
  );
  const head = [
    ...(labelled.length > 1 ? ["lane"] : []),
    ...["category", "N", "any", "all", "part", "any", "all", "part", "tokens"],
    ...(withShare ? ["history"] : []),
  ];
  const caption = "labelled support in the packets, in %: turns (any, all, part of them), then sessions";
  return `${caption}\n${textTable(head, rows)}`;
}
