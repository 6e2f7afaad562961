// What the findings of a report leave of the published numbers: the rows are counted again, and each number is given the
// range in which it must lie, whatever stood in the rows that cannot be relied on.
import { byCodeUnit } from "../lib/bytes/order.js";
import { declaredIn, NO_NUMBER_RESTS_ON, rowAt } from "../lib/compare/why.js";
import { REASONS, type ReasonCode, SealaneError } from "../lib/finding.js";
import type { LaneSource } from "../lib/io/source.js";
import { endpointProtocolPath, gradesPath, LANE_FILES, readDocument } from "../lib/records/documents.js";
import { LaneRows } from "../lib/records/rows.js";
import { fsum } from "../lib/statistics/fsum.js";
import type { CheckReport, Report, Results } from "../schemas/index.js";

type PublishedNumber = NonNullable<Report["numbers"]>[number];
type Finding = Extract<CheckReport, { outcome: "failed" }>["findings"][number];

/**
 * Checks whose findings say nothing against the rows behind a number: who signed, whether declared totals are those of the
 * rows, what proofs of single questions rest on, decisions written down. Any other check is taken to speak of rows.
 */
const NOT_OF_ROWS: ReadonlySet<string> = new Set([
  "history",
  "anchors",
  "results",
  "trees",
  "checkpoints",
  "amendments",
  "dataset",
]);

/** Codes about a file that no number rests on. */
const NOT_OF_CONTENT: ReadonlySet<string> = new Set(["E_FILE_EXTRA"]);
const NOT_COUNTED_FROM = [LANE_FILES.results, ...NO_NUMBER_RESTS_ON];

/** What is in doubt under one endpoint. */
export interface Doubt {
  /** Questions with a finding of their own. */
  readonly questions: ReadonlySet<string>;
  /** Rows of the population, counted from zero, with a finding at their place in some record file. */
  readonly rows: ReadonlySet<number>;
  /** Questions that are known to be missing from the population. */
  readonly missing: number;
  /** Why a number cannot be bounded: more than single questions is in doubt, or not all of them are known. Undefined when it can. */
  readonly unboundedBy: string | undefined;
}

/** The figures of a count that does not come out, if that is what a finding of the population says. */
function missingIn({ code, expected, found }: Finding): number | undefined {
  if (code !== "E_POPULATION" || !/^\d+$/.test(expected ?? "") || !/^\d+$/.test(found ?? "")) return undefined;
  return Number(expected) - Number(found);
}

/** Whether a finding is about another endpoint's files. */
const isElsewhere = ({ at }: Finding, endpoint: string, endpoints: readonly string[]): boolean =>
  endpoints.some(
    (other) => other !== endpoint && (at.startsWith(gradesPath(other)) || at.startsWith(endpointProtocolPath(other))),
  );

/** What the findings of a report put in doubt under an endpoint, of all that its lane has. */
export function doubtOf({ checks }: Pick<Report, "checks">, endpoint: string, endpoints: readonly string[]): Doubt {
  const questions = new Set<string>();
  const rows = new Set<number>();
  let missing = 0;
  let unboundedBy: string | undefined;
  const unbounded = (why: string): void => {
    unboundedBy ??= why;
  };
  // Held against the dataset, each question that is there is either the dataset's or has a finding of its own.
  const held = checks.some(({ id, outcome }) => id === "dataset" && outcome === "passed");
  for (const check of checks) {
    if (NOT_OF_ROWS.has(check.id)) continue;
    // What was not looked at may hold anything.
    if (check.outcome === "not-run") unbounded(check.why);
    if (check.outcome === "not-asked") unbounded(`${check.id} was not asked for`);
    if (check.outcome !== "failed") continue;
    if (check.findings_total > check.findings.length) unbounded(`${check.id} has more findings than are listed`);
    for (const finding of check.findings) {
      const { code, at, question_id } = finding;
      if (REASONS[code as ReasonCode].severity === "policy" || NOT_OF_CONTENT.has(code)) continue;
      if (NOT_COUNTED_FROM.some((path) => at.startsWith(path)) || isElsewhere(finding, endpoint, endpoints)) continue;
      const gone = missingIn(finding);
      if (question_id !== undefined) {
        questions.add(question_id);
        const row = rowAt(at);
        if (row !== undefined) rows.add(row);
      } else if (gone !== undefined && gone >= 0) missing = Math.max(missing, gone);
      else if (code !== "E_POPULATION" || !held) unbounded(`${code} at ${at}`);
    }
  }
  return { questions, rows, missing, unboundedBy };
}

/** The scores of one number, those in doubt apart. */
interface Tally {
  questions: number;
  doubtful: number;
  readonly scores: number[];
  readonly certain: number[];
}

const empty = (): Tally => ({ questions: 0, doubtful: 0, scores: [], certain: [] });

/**
 * Adds to a report in which a check failed what its findings leave of the published numbers. Reads population, grades and
 * declared totals again. A report without failures, or on a lane whose manifest cannot be read, is returned as it is.
 */
export function withNumbers(report: Report, source: LaneSource): Report {
  if (!report.checks.some((check) => check.outcome === "failed")) return report;
  const manifest = readable(() => readDocument(source, "manifest", LANE_FILES.manifest).value);
  if (!manifest) return report;
  const endpoints = [...new Set(manifest.protocols.endpoints.map((entry) => entry.endpoint))];
  const declared = declaredIn(source);
  const numbers = endpoints.flatMap((endpoint) =>
    numbersOf(source, declared, endpoint, doubtOf(report, endpoint, endpoints)),
  );
  return numbers.length === 0 ? report : { ...report, numbers };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

function numbersOf(
  source: LaneSource,
  declared: Results | undefined,
  endpoint: string,
  doubt: Doubt,
): PublishedNumber[] {
  const overall = empty();
  const categories = new Map<string, Tally>();
  const rows = new LaneRows(source, [endpoint], [LANE_FILES.population, gradesPath(endpoint)]);
  for (const { index, question, grades } of rows) {
    if (!question) continue;
    const { question_id, category } = question.value;
    const grade = grades.get(endpoint);
    const score = grade?.value.score ?? 0;
    const inDoubt = grade === undefined || doubt.questions.has(question_id) || doubt.rows.has(index);
    const tally = categories.get(category) ?? empty();
    categories.set(category, tally);
    for (const each of [overall, tally]) {
      each.questions += 1;
      each.scores.push(score);
      if (inDoubt) each.doubtful += 1;
      else each.certain.push(score);
    }
  }
  const whole = rows.seen.length === 2 && rows.seen.every(({ error }) => error === undefined);
  const totals = declared?.endpoints.find((entry) => entry.endpoint === endpoint);
  const names = [
    ...new Set([...categories.keys(), ...(totals?.by_category.map((entry) => entry.category) ?? [])]),
  ].sort(byCodeUnit);
  return [
    numberOf(overall, { endpoint, category: null, published: totals?.overall.score_mean ?? null }, doubt, whole),
    ...names.map((category) => {
      const published = totals?.by_category.find((entry) => entry.category === category)?.score_mean ?? null;
      return numberOf(categories.get(category) ?? empty(), { endpoint, category, published }, doubt, whole);
    }),
  ];
}

function numberOf(
  { questions, doubtful, scores, certain }: Tally,
  name: Pick<PublishedNumber, "endpoint" | "category" | "published">,
  { missing, unboundedBy }: Doubt,
  whole: boolean,
): PublishedNumber {
  // A missing question may be of any category: with all of them here the range is widest.
  const denominator = questions + missing;
  const sum = fsum(certain);
  const range = unboundedBy === undefined && whole && denominator > 0;
  return {
    ...name,
    questions,
    recounted: whole && questions > 0 ? fsum(scores) / questions : null,
    doubtful,
    missing,
    low: range ? Math.min(1, sum / denominator) : null,
    unbounded_by: range ? null : (unboundedBy ?? "the rows cannot be counted to their end"),
    high: range ? Math.min(1, (sum + doubtful + missing) / denominator) : null,
  };
}
