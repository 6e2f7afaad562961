// A verification report for people: the verdict in four lines, then each check, then what is wrong and what it means.
import type { CheckReport, Report } from "../../schemas/index.js";
import { REASONS, type ReasonCode } from "../finding.js";
import { printable, shortened } from "./printable.js";
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
    failed: "FAILED: a file is not as the manifest says, or does not add up",
    malformed: "MALFORMED: a document cannot be read as what it should be",
    unsupported: "UNSUPPORTED: made in a form this release does not know; that is no sign of tampering",
    "limit-exceeded": "LIMIT EXCEEDED: larger than this tool reads",
    "not-evaluated": "not evaluated",
  },
  policy: {
    met: "met: signed by keys that are trusted for this lane",
    "not-met": "NOT MET: not signed as the trust file asks, or not the version, questions or model to expect",
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
  labelled(
    "INTEGRITY",
    VERDICT_WORDS.integrity[verdict.integrity],
    verdict.integrity === "verified" ? marks.good : marks.bad,
  );
  labelled("POLICY", VERDICT_WORDS.policy[verdict.policy], verdict.policy === "met" ? marks.good : marks.warn);
  labelled("PROTOCOL", protocolText(report), (text) => text);
  for (const [index, limit] of verdict.limits.entries()) labelled(index === 0 ? "LIMITS" : "", limit, marks.dim);
  lines.push("");
  for (const check of checks) lines.push(checkLine(check, marks, width));
  for (const check of checks) {
    if (check.outcome === "failed") lines.push("", ...failureLines(check, marks, width));
  }
  return `${lines.join("\n")}\n`;
}

function protocolText({ mode, verdict }: Report): string {
  const identities = verdict.protocol.identities.map(({ name, equal }) => {
    const state = equal === null ? "declared, not observed" : equal ? "equal" : "DIFFERENT";
    return `${name} ${state}`;
  });
  return [`${mode} (saved results checked, no model called)`, ...identities].join("; ");
}

export function checkLine(check: CheckReport, marks: Marks, width: number): string {
  const name = check.id.padEnd(13);
  switch (check.outcome) {
    case "passed":
      return `${marks.good("  ok      ")}${name}${marks.dim(`${check.examined} examined`)}`;
    case "failed":
      return `${marks.bad("  FAILED  ")}${name}${check.findings_total} ${check.findings_total === 1 ? "finding" : "findings"}, ${check.examined} examined`;
    default:
      return marks.dim(
        `  ${check.outcome === "not-run" ? "-       " : "n/a     "}${name}${shortened(check.why, Math.max(20, width - 23))}`,
      );
  }
}

/** The first findings of each code in full; the rest only counted, since the kind is what a reader needs. */
const SHOWN_PER_CODE = 3;

export function failureLines(
  check: Extract<CheckReport, { outcome: "failed" }>,
  marks: Marks,
  width: number,
): string[] {
  const lines = [marks.strong(check.title)];
  const codes = [...new Set(check.findings.map((finding) => finding.code))];
  for (const code of codes) {
    const findings = check.findings.filter((finding) => finding.code === code);
    const reason = REASONS[code as ReasonCode];
    lines.push(...indent(wrap(`${code}: ${reason.meaning}`, width - 2), 2).map(marks.bad));
    for (const finding of findings.slice(0, SHOWN_PER_CODE)) {
      const of = finding.question_id === undefined ? "" : ` (question ${finding.question_id})`;
      lines.push(...indent(wrap(`${printable(finding.at)}${of}: ${printable(finding.message)}`, width - 4), 4));
      if (finding.expected !== undefined) lines.push(...valueLines("expected", finding.expected, width));
      if (finding.found !== undefined) lines.push(...valueLines("found", finding.found, width));
    }
    if (findings.length > SHOWN_PER_CODE)
      lines.push(`    and ${findings.length - SHOWN_PER_CODE} more of this kind; --json lists them`);
    lines.push(...indent(wrap(`Next: ${reason.next}`, width - 4), 4));
  }
  if (check.findings_total > check.findings.length) {
    lines.push(
      `  ${check.findings_total - check.findings.length} findings beyond the first ${check.findings.length} are counted only`,
    );
  }
  return lines;
}

function valueLines(label: string, value: string, width: number): string[] {
  const text = printable(shortened(value, 400));
  return wrap(text, width - 16).map((line, index) => `      ${(index === 0 ? label : "").padEnd(10)}${line}`);
}

function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}
