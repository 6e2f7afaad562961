// A printed number from its total down: the rows it is made of, and what a report says of each layer under them.
import type { AnswerStatus, CheckReport, Manifest, NumberWalk, Results, Why } from "../../schemas/index.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import type { LaneSource } from "../io/source.js";
import { gradesPath, LANE_FILES, readDocument } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import { fsum } from "../statistics/fsum.js";

export type NumberName = Why["number"];
type Layer = NumberWalk["layers"][number];

/**
 * Every number of a lane: each endpoint of its manifest over all questions and by category, of the rows or declared. Throws
 * what a manifest can be refused for.
 */
export function numbersIn(source: LaneSource): NumberName[] {
  const { protocols } = readDocument(source, "manifest", LANE_FILES.manifest).value;
  const declared = declaredIn(source);
  const categories = new Set<string>();
  for (const { question } of new LaneRows(source, [], [LANE_FILES.population]))
    if (question) categories.add(question.value.category);
  return protocols.endpoints.flatMap(({ endpoint }) => {
    const totals = declared?.endpoints.find((entry) => entry.endpoint === endpoint);
    const all = new Set([...categories, ...(totals?.by_category.map(({ category }) => category) ?? [])]);
    return [{ endpoint, category: null }, ...[...all].sort(byCodeUnit).map((category) => ({ endpoint, category }))];
  });
}

/** `endpoint/category`, or `endpoint` alone for all questions; the first when none is named. Throws E_UNKNOWN. */
export function numberNamed(known: readonly NumberName[], name: string | undefined): NumberName {
  const found = name === undefined ? known[0] : known.find((number) => numberText(number) === name);
  if (found) return found;
  throw new SealaneError("E_UNKNOWN", `the lane has no number '${name ?? ""}'`, {
    at: LANE_FILES.results,
    expected: known.map(numberText).join(", "),
    ...(name === undefined ? {} : { found: name }),
    next: "Choose one of the numbers listed.",
  });
}

export const numberText = ({ endpoint, category }: NumberName): string =>
  category === null ? endpoint : `${endpoint}/${category}`;

/** The rows that a number is made of. */
export interface NumberRows {
  /** Ids, in population order. */
  readonly ids: ReadonlySet<string>;
  /** Their places in the population, counted from zero. */
  readonly rows: ReadonlySet<number>;
  readonly recounted: NumberWalk["recounted"];
  readonly zeros: NumberWalk["zeros"];
}

/** Reads population, answers and grades once. A question without a grade counts with nothing; of files that cannot be read to their end, nothing is counted. */
export function rowsOf(source: LaneSource, { endpoint, category }: NumberName): NumberRows {
  const files = [LANE_FILES.population, LANE_FILES.answers, gradesPath(endpoint)];
  const ids = new Set<string>();
  const places = new Set<number>();
  const scores: number[] = [];
  const zeros = new Map<AnswerStatus, number>();
  let questions = 0;
  const rows = new LaneRows(source, [endpoint], files);
  for (const { index, question, answer, grades } of rows) {
    if (!question || (category !== null && question.value.category !== category)) continue;
    ids.add(question.value.question_id);
    places.add(index);
    questions += 1;
    const score = grades.get(endpoint)?.value.score ?? 0;
    scores.push(score);
    const status = answer?.value.status ?? "failed";
    if (score === 0) zeros.set(status, (zeros.get(status) ?? 0) + 1);
  }
  const whole = rows.seen.length === files.length && rows.seen.every(({ error }) => error === undefined);
  const score_total = fsum(scores);
  const score_mean = questions === 0 ? null : score_total / questions;
  return {
    ids,
    rows: places,
    recounted: whole ? { questions, score_total, score_mean } : null,
    zeros: [...zeros].sort(([a], [b]) => byCodeUnit(a, b)).map(([status, count]) => ({ status, count })),
  };
}

/** results.json, or undefined when it cannot be read, which the checks say. */
export function declaredIn(source: LaneSource): Results | undefined {
  try {
    return readDocument(source, "results", LANE_FILES.results).value;
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

/** What is declared of a number; null when nothing is. */
export function publishedOf(
  declared: Results | undefined,
  { endpoint, category }: NumberName,
): NumberWalk["published"] {
  const totals = declared?.endpoints.find((entry) => entry.endpoint === endpoint);
  const found = category === null ? totals?.overall : totals?.by_category.find((row) => row.category === category);
  if (!found) return null;
  const { questions, score_total, score_mean } = found;
  return { questions, score_total, score_mean };
}

/** The layers under a number, from the top down, and the checks that hold each to the one below it. */
const LAYERS: readonly (readonly [layer: string, checks: readonly string[]])[] = [
  ["results", ["results"]],
  ["grades", ["grades"]],
  ["answers", ["answers"]],
  ["receipts", ["receipts"]],
  ["requests", ["requests"]],
  ["packets", ["packets", "tokens"]],
  ["population", ["population"]],
  ["references", ["references"]],
  ["protocols", ["protocols"]],
  ["dataset", ["dataset"]],
  ["files", ["files", "documents"]],
];

/** The checks that the walk rests on. Who signed is not among them: the walk is of one lane as it lies there. */
export const WALKED_CHECKS: readonly string[] = LAYERS.flatMap(([, checks]) => checks);

/** Files whose loss leaves every number as it is. */
export const NO_NUMBER_RESTS_ON: readonly string[] = [LANE_FILES.amendments, "checkpoints/"];

const QUESTIONS_SHOWN = 5;

type Finding = Extract<CheckReport, { outcome: "failed" }>["findings"][number];

/**
 * The row, counted from zero, that a place in a record file lies in. A finding may name the question that a record says it is
 * of, when the row is another's: both are in doubt.
 */
export function rowAt(at: string): number | undefined {
  const [, path, line] = /^(.*\.jsonl):([1-9]\d*)$/.exec(at) ?? [];
  return path === undefined || path === LANE_FILES.turns || path === LANE_FILES.amendments
    ? undefined
    : Number(line) - 1;
}

/** Whether a finding touches a number: one of its questions, or no question at all. Of totals, its own are compared for themselves. */
function touches({ at, question_id, code }: Finding, { endpoint }: NumberName, { ids, rows }: NumberRows): boolean {
  if (code === "E_ARITH" || code === "E_FILE_EXTRA") return false;
  if (NO_NUMBER_RESTS_ON.some((path) => at.startsWith(path)) || isOfOtherEndpoint(at, endpoint)) return false;
  return question_id === undefined || ids.has(question_id) || rows.has(rowAt(at) ?? -1);
}

const isOfOtherEndpoint = (at: string, endpoint: string): boolean => {
  const named = /^evaluator\/([^/]+)\/grades\.jsonl/.exec(at)?.[1];
  return named !== undefined && named !== endpoint;
};

/** Where a declared figure is not the one of the rows, in words; undefined where all are. */
export function figureApart(
  { results, manifest }: { results: Results | undefined; manifest: Manifest },
  number: NumberName,
  recounted: NumberWalk["recounted"],
): string | undefined {
  if (recounted === null) return undefined;
  const same = (total: NumberWalk["published"] | undefined): boolean =>
    total?.questions === recounted.questions &&
    total.score_total === recounted.score_total &&
    total.score_mean === recounted.score_mean;
  if (!same(publishedOf(results, number)))
    return `${LANE_FILES.results}: the declared figure is not the one the rows give`;
  const overall = manifest.results.find((entry) => entry.endpoint === number.endpoint);
  if (number.category !== null || same(overall)) return undefined;
  return `${LANE_FILES.manifest}#/results: the declared figure is not the one the rows give`;
}

/**
 * The walk of one number, from a report of the walked checks.
 * @param made the rows that it is made of
 * @param apart where a declared figure is not the one of the rows, when one is not
 */
export function layersOf(
  checks: readonly CheckReport[],
  number: NumberName,
  made: NumberRows,
  apart: string | undefined,
): Layer[] {
  return LAYERS.map(([layer, names]) => {
    const judged = checks.filter(({ id }) => names.includes(id));
    const findings = judged.flatMap((check) =>
      check.outcome === "failed" ? check.findings.filter((finding) => touches(finding, number, made)) : [],
    );
    const named = new Set(findings.flatMap(({ question_id }) => (question_id === undefined ? [] : [question_id])));
    const [first] = findings;
    const gap = judged.map(gapIn).find((why) => why !== undefined);
    // Of totals, the figures themselves are compared; of rows that are not the ones sealed, they say nothing.
    const ownFigure = gap === undefined ? apart : undefined;
    const wrong = layer === "results" ? ownFigure : first && `${first.at}: ${first.message}`;
    const unjudged = layer === "dataset" ? "not-asked" : "not-judged";
    return {
      layer,
      outcome: wrong !== undefined ? "fails" : gap === undefined ? "holds" : unjudged,
      rows: WITHOUT_ROWS.has(layer) ? 0 : made.rows.size,
      findings_total: layer === "results" && wrong !== undefined ? 1 : findings.length,
      codes: layer === "results" && wrong !== undefined ? ["E_ARITH"] : [...new Set(findings.map(({ code }) => code))],
      questions: [...named].slice(0, QUESTIONS_SHOWN),
      why: wrong ?? gap ?? null,
    };
  });
}

const WITHOUT_ROWS: ReadonlySet<string> = new Set(["results", "protocols", "dataset", "files"]);

/** Why a check does not say that its layer holds though no finding of it touches the number. */
function gapIn(check: CheckReport): string | undefined {
  if (check.outcome === "not-run" || check.outcome === "not-asked") return check.why;
  const capped = check.outcome === "failed" && check.id !== "results" && check.findings_total > check.findings.length;
  return capped ? `${check.id} has ${check.findings_total} findings, of which not all are listed` : undefined;
}
