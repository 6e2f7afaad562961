// What a proof of one question binds, for people: a verdict in one line, the checks, then every digest that is bound.
import type { ProofReport } from "../../schemas/index.js";
import { printable } from "./printable.js";
import { percent } from "./tables.js";
import { checkLine, failureLines, type Marks } from "./text.js";
import { wrap } from "./wrap.js";

const LABEL_WIDTH = 11;

export function proofText(report: ProofReport, marks: Marks, width: number): string {
  const { lane, checks, bound, limits } = report;
  const lines: string[] = [marks.strong(printable(report.question_id))];
  if (lane) {
    lines.push(`${lane.lane_id}, version ${lane.lane_version}`, marks.dim(`manifest ${lane.manifest_sha256}`));
  }
  lines.push("");
  const labelled = (label: string, text: string, mark: (text: string) => string): void => {
    for (const [index, line] of wrap(text, width - LABEL_WIDTH).entries())
      lines.push(marks.strong((index === 0 ? label : "").padEnd(LABEL_WIDTH)) + mark(line));
  };
  const [verdict, mark] = verdictOf(report, marks);
  labelled("PROOF", verdict, mark);
  for (const [index, limit] of limits.entries()) labelled(index === 0 ? "LIMITS" : "", limit, marks.dim);
  lines.push("");
  for (const check of checks) lines.push(checkLine(check, marks, width));
  for (const check of checks) if (check.outcome === "failed") lines.push("", ...failureLines(check, marks, width));
  if (bound && lane) lines.push("", ...boundLines(bound, lane.questions, marks));
  return `${lines.join("\n")}\n`;
}

function verdictOf({ exit_code, tree, checks }: ProofReport, marks: Marks): [string, Marks["good"]] {
  if (exit_code === 0) return [`verified: the question stands in the ${tree} tree of the signed manifest`, marks.good];
  if (exit_code === 3)
    return ["NOT MET: it holds together, but the manifest is not signed as the trust file asks", marks.warn];
  return checks.some((check) => check.outcome === "failed")
    ? ["FAILED: it proves nothing of this question", marks.bad]
    : ["INCONCLUSIVE: something was asked that it cannot show", marks.warn];
}

/** Every digest that the signed manifest binds by the proof. */
function boundLines(
  { reader, evaluator, item }: NonNullable<ProofReport["bound"]>,
  questions: number,
  marks: Marks,
): string[] {
  const line = (label: string, ...texts: string[]): string =>
    texts.map((text, index) => `  ${(index === 0 ? label : "").padEnd(12)}${text}`).join("\n");
  const { question_id, ordinal } = (reader ?? evaluator ?? item)!;
  const lines = [marks.strong("Bound by the signed manifest")];
  lines.push(line("question", question_id), line("ordinal", `${ordinal} of 0 to ${questions - 1}`));
  if (reader) {
    lines.push(line("evidence", reader.evidence_sha256), line("request", reader.request_sha256));
    lines.push(line("protocol", reader.protocol_sha256, "of the reader"));
  }
  if (item) {
    lines.push(line("answer", item.answer_sha256 ?? "none", item.answer_status));
    lines.push(line("receipt", item.receipt_sha256));
  }
  if (evaluator) lines.push(line("reference", evaluator.reference_sha256));
  else lines.push(line("reference", "no digest of a reference or grade is in this proof"));
  for (const { endpoint, grade_sha256, score } of item?.grades ?? [])
    lines.push(line("grade", grade_sha256, `${endpoint}, ${percent(score)} %`));
  return lines;
}
