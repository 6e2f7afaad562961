// What outcomes come to: a report's line of each check, and the one exit code of all of them.
import { EXIT, REASONS, type ReasonCode, type Severity } from "../lib/finding.js";
import type { CheckReport, Report } from "../schemas/index.js";
import type { Check } from "./check.js";
import type { Outcome } from "./outcome.js";

/** Which of several failures speaks: what cannot be judged before what was judged wrong, that before what a policy asks. */
const PRECEDENCE: readonly Severity[] = ["unsupported", "limit", "malformed", "failed", "io", "policy"];

/** Every severity of what was found wrong, the one that speaks first. */
export function severitiesOf(outcomes: readonly Outcome[]): Severity[] {
  return bySeverity(
    outcomes.flatMap((outcome) => (outcome.kind === "failed" ? outcome.findings.map(({ code }) => code) : [])),
  );
}

/** Every severity of some reason codes, the one that speaks first. */
export function bySeverity(codes: readonly ReasonCode[]): Severity[] {
  const found = new Set(codes.map((code) => REASONS[code].severity));
  return PRECEDENCE.filter((severity) => found.has(severity));
}

/** Whether something was not judged that the verdict rests on. */
export function isGap(outcome: Outcome): boolean {
  return outcome.kind === "not-run" && !outcome.stands;
}

/** @param gaps whether something was not judged that the verdict rests on */
export function exitCodeOf([worst]: readonly Severity[], gaps: boolean): number {
  if (worst !== undefined) return EXIT[worst];
  return gaps ? EXIT.inconclusive : EXIT.ok;
}

/** Whether a report says that its lane is verified. The exit code alone does not: it is 0 too when some checks only were asked for. */
export function isVerified({ exit_code, verdict }: Report): boolean {
  return exit_code === EXIT.ok && verdict.integrity === "verified";
}

/** What one check found, as a report says it. */
export function reported({ id, title }: Pick<Check, "id" | "title">, outcome: Outcome): CheckReport {
  switch (outcome.kind) {
    case "passed":
      return { id, title, outcome: "passed", examined: outcome.examined };
    case "failed":
      return {
        id,
        title,
        outcome: "failed",
        examined: outcome.examined,
        findings_total: outcome.findingsTotal,
        findings: outcome.findings.map(({ questionId, ...finding }) => ({
          ...finding,
          ...(questionId === undefined ? {} : { question_id: questionId }),
        })),
      };
    default:
      return { id, title, outcome: outcome.kind, why: outcome.why };
  }
}
