// Some of the checks: what was asked for is judged as ever, and the report can never be taken for one on the whole lane.
import { SealaneError } from "../lib/finding.js";
import type { Report } from "../schemas/index.js";
import type { Check } from "./check.js";
import { CHECKS } from "./checks/index.js";

/** The checks of these ids, in the order of the report. Throws E_UNKNOWN for an id that none has. */
export function checksOf(ids: readonly string[], checks: readonly Check[] = CHECKS): Check[] {
  const known = checks.map((check) => check.id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new SealaneError("E_UNKNOWN", `there is no check '${unknown}'`, {
      at: "--only",
      expected: known.join(", "),
      found: unknown,
    });
  }
  return checks.filter((check) => ids.includes(check.id));
}

/**
 * A report on the checks asked for, made to say so: every other check stands in it as not asked, what holds is `partial` and
 * never `verified`, and the first limit names what was left out. The exit code stays that of what was asked. When nothing was
 * left out, the report is as it was.
 */
export function partialReport(report: Report, asked: readonly Check[], checks: readonly Check[] = CHECKS): Report {
  const left = checks.filter((check) => !asked.includes(check));
  if (left.length === 0) return report;
  const judged = new Map(report.checks.map((check) => [check.id, check]));
  const notAsked = ({ id, title }: Check) => ({ id, title, outcome: "not-asked" as const, why: "not asked for" });
  const ids = left.map((check) => check.id).join(", ");
  const { verdict } = report;
  return {
    ...report,
    verdict: {
      ...verdict,
      integrity: verdict.integrity === "verified" ? "partial" : verdict.integrity,
      limits: [
        `This is no verification of the lane: only what was asked for was checked. Not asked: ${ids}.`,
        ...verdict.limits,
      ],
    },
    checks: [
      ...report.checks.filter(({ id }) => !checks.some((check) => check.id === id)),
      ...checks.map((check) => (left.includes(check) ? notAsked(check) : judged.get(check.id)!)),
    ],
  };
}
