// A verification report for people: the verdict in four lines, then each check, then what is wrong and what it means.
import type { CheckReport, Report } from "../../schemas/index.js";
import { REASONS, type ReasonCode } from "../finding.js";
import { numberSentence, numbersTable, type Standing, standingOf } from "./numbers.js";
import { printable, shortened } from "./printable.js";
import { contrasted } from "./values.js";
import { wrap } from "./wrap.js";

/** How words are marked on the output; each returns its text unchanged where there is no colour. */
export interface Marks {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  dim(text: string): string;
  strong(text: string): string;
}

const VERDICT_WORDS = {
  integrity: {
    verified: "verified: every file is as the manifest says, and it adds up",
    partial: "PARTIAL: what was asked for holds; this is no verification of the lane",
    failed: "FAILED: a file is not as the manifest says, or does not add up",
    malformed: "MALFORMED: a document cannot be read as what it should be",
    unsupported: "UNSUPPORTED: made in a form this release does not know; that is no sign of tampering",
    "limit-exceeded": "LIMIT EXCEEDED: larger than this tool reads",
    "not-evaluated": "not evaluated",
  },
  policy: {
    met: "met: signed by keys that are trusted for this lane",
    "not-met": "NOT MET: not signed as the trust file asks, or not the version to expect",
    "not-evaluated": "not evaluated",
  },
} as const;

const LABEL_WIDTH = 11;

export function reportText(report: Report, marks: Marks, width: number): string {
  const lines: string[] = [];
  const { lane, verdict, checks } = report;
  if (lane)
    lines.push(
      `${marks.strong(lane.lane_id)}, version ${lane.lane_version}`,
      marks.dim(`manifest ${lane.manifest_sha256}`),
      "",
    );
  const labelled = (label: string, text: string, mark: (text: string) => string): void => {
    const [first = "", ...rest] = wrap(text, width - LABEL_WIDTH);
    lines.push(`${marks.strong(label.padEnd(LABEL_WIDTH))}${mark(first)}`);
    for (const line of rest) lines.push(" ".repeat(LABEL_WIDTH) + mark(line));
  };
  const { integrity } = verdict;
  const mark = integrity === "verified" ? marks.good : integrity === "partial" ? marks.warn : marks.bad;
  labelled("INTEGRITY", VERDICT_WORDS.integrity[integrity] + failedChecks(report), mark);
  labelled("POLICY", VERDICT_WORDS.policy[verdict.policy], verdict.policy === "met" ? marks.good : marks.warn);
  labelled("PROTOCOL", protocolText(report), (text) => text);
  const standingMarks: Record<Standing, Marks["good"]> = { stands: marks.good, range: marks.warn, lost: marks.bad };
  const overall = report.numbers?.filter(({ category }) => category === null) ?? [];
  for (const [index, number] of overall.entries())
    labelled(index === 0 ? "NUMBERS" : "", numberSentence(number), standingMarks[standingOf(number)]);
  for (const [index, limit] of verdict.limits.entries()) labelled(index === 0 ? "LIMITS" : "", limit, marks.dim);
  lines.push("");
  for (const check of checks) lines.push(checkLine(check, marks, width));
  for (const check of checks) {
    if (check.outcome === "failed") lines.push("", ...failureLines(check, marks, width));
  }
  if (report.numbers?.some((number) => standingOf(number) !== "stands"))
    lines.push("", ...numberLines(report.numbers, marks, width));
  return `${lines.join("\n")}\n`;
}

/** Which checks speak against it. */
function failedChecks({ checks, verdict }: Report): string {
  const ids = checks.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
  return verdict.integrity === "verified" || ids.length === 0 ? "" : ` (see ${ids.join(", ")})`;
}

function protocolText({ mode, verdict }: Report): string {
  const identities = verdict.protocol.identities.map(({ name, equal }) => {
    const state = equal === null ? "declared, not observed" : equal ? "equal" : "DIFFERENT";
    return `${name} ${state}`;
  });
  return [`${mode} (saved results checked, no model called)`, ...identities].join("; ");
}

const OUTCOME_WORDS = { "not-run": "-       ", "not-applicable": "n/a     ", "not-asked": "        " } as const;

export function checkLine(check: CheckReport, marks: Marks, width: number): string {
  const name = check.id.padEnd(13);
  switch (check.outcome) {
    case "passed":
      return `${marks.good("  ok      ")}${name}${marks.dim(`${check.examined} examined`)}`;
    case "failed":
      return `${marks.bad("  FAILED  ")}${name}${check.findings_total} ${check.findings_total === 1 ? "finding" : "findings"}, ${check.examined} examined`;
    default:
      return marks.dim(`  ${OUTCOME_WORDS[check.outcome]}${name}${shortened(check.why, Math.max(20, width - 23))}`);
  }
}

/** What every published number can still be, by category. */
function numberLines(numbers: NonNullable<Report["numbers"]>, marks: Marks, width: number): string[] {
  const note = numbers.some(({ doubtful, missing, low }) => doubtful + missing > 0 && low !== null)
    ? ["The range counts each question in doubt, and each missing one, once as wholly wrong and once as wholly right."]
    : [];
  return [
    marks.strong("What this leaves of the published numbers"),
    ...indent(numbersTable(numbers).split("\n"), 2),
    ...note.flatMap((text) => indent(wrap(text, width - 2), 2).map(marks.dim)),
  ];
}

type Failed = Extract<CheckReport, { outcome: "failed" }>;

/** Places shown of each kind of finding; the rest only counted, since the kind is what a reader needs. */
const SHOWN_PER_KIND = 3;

/** A failed check: each reason code with its meaning, under it each kind of finding with its first places, then what to do. */
export function failureLines(check: Failed, marks: Marks, width: number): string[] {
  const lines = wrap(`${check.id}: ${check.title}`, width).map(marks.strong);
  for (const [code, findings] of grouped(check.findings, (finding) => finding.code)) {
    const reason = REASONS[code as ReasonCode];
    lines.push(...indent(wrap(`${code}: ${reason.meaning}`, width - 2), 2).map(marks.bad));
    for (const [message, places] of grouped(findings, (finding) => finding.message))
      lines.push(...kindLines(message, places, marks, width));
    lines.push(...indent(wrap(`Next: ${reason.next}`, width - 4), 4));
  }
  const uncounted = check.findings_total - check.findings.length;
  if (uncounted > 0) lines.push(`  ${uncounted} findings beyond the first ${check.findings.length} are counted only`);
  return lines;
}

function kindLines(message: string, places: Failed["findings"], marks: Marks, width: number): string[] {
  const times = places.length === 1 ? "" : ` (${places.length} times)`;
  const lines = indent(wrap(`${printable(message)}${times}`, width - 4), 4);
  for (const { at, question_id, expected, found } of places.slice(0, SHOWN_PER_KIND)) {
    const of = question_id === undefined ? "" : `, question ${question_id}`;
    const [first = "", ...rest] = wrap(`${printable(at)}${of}`, width - 6);
    lines.push(`    - ${marks.strong(first)}`, ...indent(rest, 6).map(marks.strong));
    const values = contrasted({ expected, found });
    if (values.expected !== undefined) lines.push(...valueLines("expected", values.expected, width));
    if (values.found !== undefined) lines.push(...valueLines("found", values.found, width));
  }
  if (places.length > SHOWN_PER_KIND)
    lines.push(marks.dim(`      and ${places.length - SHOWN_PER_KIND} more; --json lists them`));
  return lines;
}

/** In the order of their first appearance. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

function valueLines(label: string, value: string, width: number): string[] {
  return wrap(value, width - 15).map((line, index) => `      ${(index === 0 ? label : "").padEnd(9)}${line}`);
}

function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}
