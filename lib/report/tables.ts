// What a paper prints of lanes: by endpoint and category, every row over its whole denominator.
import { createRequire } from "node:module";
import type { Results, Retrieval } from "../../schemas/index.js";

const require = createRequire(import.meta.url);

interface Lengths {
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export interface TabulatedLane {
  readonly name: string;
  /** Of what questions and by which judges its numbers are. */
  readonly measured: {
    readonly dataset: string;
    readonly questions: number;
    readonly population_sha256: string;
    readonly protocols: { readonly [endpoint: string]: string };
  };
  readonly lengths: { readonly evidence_tokens: Lengths | null; readonly call_ms: Lengths | null };
  /** Null for a run that was not answered yet. */
  readonly results: Results | null;
  readonly retrieval: Retrieval;
}

/** A table before it has a form: cells as text, the first of a row its name. */
export interface PrintedTable {
  readonly id: string;
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
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
  // Loaded when there is a table: most reports have none.
  const Table = require("cli-table3") as typeof import("cli-table3");
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

const SHORT = 12;

/** Of what a lane's numbers are, under an endpoint or of its packets alone. */
function populationText({ measured }: TabulatedLane, endpoint: string | undefined): string {
  const { dataset, questions, population_sha256, protocols } = measured;
  const judge = endpoint === undefined ? undefined : protocols[endpoint];
  const judged = judge === undefined ? "" : `, judged by protocol ${judge.slice(0, SHORT)}`;
  return `${questions} questions of ${dataset} (population ${population_sha256.slice(0, SHORT)})${judged}`;
}

/**
 * What stands in a caption, and the lanes' names for its columns. Numbers of different populations or judges are marked: they
 * stand side by side, and are not to be read as if they were of one thing.
 */
function labelled(lanes: readonly TabulatedLane[], endpoint?: string): { of: string; names: string[] } {
  const texts = lanes.map((lane) => populationText(lane, endpoint));
  const kinds = [...new Set(texts)];
  if (kinds.length <= 1) return { of: kinds[0] ?? "", names: lanes.map(({ name }) => name) };
  const mark = (text: string): string => `[${kinds.indexOf(text) + 1}]`;
  return {
    of: `NOT COMPARABLE across marks: ${kinds.map((kind) => `${mark(kind)} ${kind}`).join("; ")}`,
    names: lanes.map(({ name }, index) => `${name} ${mark(texts[index]!)}`),
  };
}

/** Scores as percentages: a column a lane, a row a category, a table for each endpoint that any of the lanes has. */
export function scoreTables(lanes: readonly TabulatedLane[], byCategory = true): PrintedTable[] {
  const endpoints = [...new Set(lanes.flatMap((lane) => lane.results?.endpoints.map((entry) => entry.endpoint) ?? []))];
  return endpoints.map((endpoint) => scoreTable(endpoint, lanes, byCategory));
}

function scoreTable(endpoint: string, all: readonly TabulatedLane[], byCategory: boolean): PrintedTable {
  const lanes = all.filter(({ results }) => results?.endpoints.some((entry) => entry.endpoint === endpoint));
  const columns = lanes.map((lane) => lane.results!.endpoints.find((entry) => entry.endpoint === endpoint)!);
  const categories = byCategory
    ? [...new Set(columns.flatMap((column) => column.by_category.map((row) => row.category)))]
    : [];
  const named = [
    ...categories.map((category) => ({
      category,
      cells: columns.map((column) => column.by_category.find((candidate) => candidate.category === category)),
    })),
    { category: "all", cells: columns.map((column) => column.overall) },
  ];
  const { of, names } = labelled(lanes, endpoint);
  return {
    id: `scores/${endpoint}`,
    caption: `${endpoint}, mean score in %: ${of}`,
    head: ["category", "N", ...names],
    rows: named.map(({ category, cells }) => [
      category,
      [...new Set(cells.flatMap((cell) => (cell ? [cell.questions] : [])))].join(" / "),
      ...cells.map((cell) => percent(cell?.score_mean ?? null)),
    ]),
  };
}

/** How the calls ended and how long the packets were: a column a lane. */
export function accountTable(lanes: readonly TabulatedLane[]): PrintedTable {
  const ended = (of: (answers: Results["answers"]) => number): string[] =>
    lanes.map(({ results }) => (results ? String(of(results.answers)) : "-"));
  const lengths = (what: string, of: (lane: TabulatedLane) => Lengths | null): string[][] => [
    [`${what}, mean`, ...lanes.map((lane) => of(lane)?.mean.toFixed(1) ?? "-")],
    [`${what}, median`, ...lanes.map((lane) => of(lane)?.median.toString() ?? "-")],
    [`${what}, 95th percentile`, ...lanes.map((lane) => of(lane)?.p95.toFixed(1) ?? "-")],
    [`${what}, maximum`, ...lanes.map((lane) => of(lane)?.max.toString() ?? "-")],
  ];
  const { of, names } = labelled(lanes);
  return {
    id: "account",
    caption: `how the calls ended, how long they and their evidence were: ${of}`,
    head: ["account", ...names],
    rows: [
      ["questions", ...lanes.map(({ measured }) => String(measured.questions))],
      ["answered", ...ended((answers) => answers.answered)],
      ["empty", ...ended((answers) => answers.empty)],
      ["output limit", ...ended((answers) => answers["output-limit"])],
      ["interrupted", ...ended((answers) => answers.interrupted)],
      ["failed", ...ended((answers) => answers.failed)],
      ...lengths("evidence tokens", (lane) => lane.lengths.evidence_tokens),
      ...lengths("call in ms", (lane) => lane.lengths.call_ms),
    ],
  };
}

/** Where the dataset labels support: how much of it stands in the packets, a table a lane, so that no column mixes populations. */
export function retrievalTables(lanes: readonly TabulatedLane[]): PrintedTable[] {
  return lanes
    .filter(({ retrieval }) => retrieval.rows.some((row) => row.labelled > 0 || row.labelled_sessions > 0))
    .flatMap((lane) => [retrievalTable(lane, "turn"), retrievalTable(lane, "session")]);
}

const countOf = (labelled: number, questions: number): string =>
  labelled === questions ? String(labelled) : `${labelled} of ${questions}`;

/** Turns and sessions apart, as both together are too wide for a terminal; what packets cost stands beside turns. */
function retrievalTable(lane: TabulatedLane, unit: "turn" | "session"): PrintedTable {
  const { rows } = lane.retrieval;
  const withCost = unit === "turn";
  const withShare = withCost && rows.some((row) => row.history_share !== null);
  return {
    id: `retrieval/${lane.name}/${unit}s`,
    caption: `${lane.name}, labelled ${unit}s in the packets, in %: any of a question's, all, part of them; ${populationText(lane, undefined)}`,
    head: ["category", "N", "any", "all", "part", ...(withCost ? ["tokens"] : []), ...(withShare ? ["history"] : [])],
    rows: rows.map((row) => [
      row.category ?? "all",
      countOf(unit === "turn" ? row.labelled : row.labelled_sessions, row.questions),
      ...[row[unit].any, row[unit].all, row[unit].fraction].map(percent),
      ...(withCost ? [row.evidence_tokens.mean?.toFixed(1) ?? "-"] : []),
      ...(withShare ? [percent(row.history_share)] : []),
    ]),
  };
}

/** Every table of lanes, in the order in which they are printed. */
export function lanesTables(lanes: readonly TabulatedLane[], byCategory: boolean): PrintedTable[] {
  return [...scoreTables(lanes, byCategory), accountTable(lanes), ...retrievalTables(lanes)];
}
