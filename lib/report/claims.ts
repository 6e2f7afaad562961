// What became of printed figures, for a terminal: the contradicted first in words, then how many there are of each.
import type { ClaimsReport } from "../../schemas/index.js";
import { printable } from "./printable.js";
import type { Marks } from "./text.js";
import { wrap } from "./wrap.js";

type CheckedClaim = ClaimsReport["claims"][number];

const WORDS: Readonly<Record<string, string>> = {
  "half-up": "a tie, rounded half up",
  "half-even": "a tie, rounded half to even",
  "given-rounded": "within what the rounding of the given figures leaves open",
};

function figureLines({ figures }: CheckedClaim, all: boolean, marks: Marks): string[] {
  return figures
    .filter(({ confirmed }) => all || !confirmed)
    .map(({ field, printed, recomputed, value, confirmed, rule }) => {
      const said = WORDS[rule ?? ""];
      if (confirmed) return `    ${field} ${printed}${said === undefined ? "" : marks.dim(`  ${said}`)}`;
      const unrounded = value === null || String(value) === recomputed ? "" : ` (${value})`;
      return `    ${field}: ${marks.bad(`${printed} is printed, recomputed ${recomputed}${unrounded}`)}`;
    });
}

function claimLines(claim: CheckedClaim, all: boolean, marks: Marks, width: number): string[] {
  const mark = { confirmed: marks.good, contradicted: marks.bad, "not-checkable": marks.warn }[claim.outcome];
  const head = `${mark(claim.outcome.padEnd(14))}${printable(claim.id)}`;
  if (claim.outcome === "not-checkable") {
    return [head, ...wrap(printable(`${claim.reason}: ${claim.why}`), width - 4).map((line) => `    ${line}`)];
  }
  const method =
    claim.outcome === "contradicted" ? wrap(claim.method ?? "", width - 4).map((line) => marks.dim(`    ${line}`)) : [];
  return [head, ...figureLines(claim, all, marks), ...method];
}

/** @param all also what is confirmed, claim by claim */
export function claimsText(report: ClaimsReport, marks: Marks, width: number, all: boolean): string {
  const order = ["contradicted", "not-checkable", ...(all ? ["confirmed"] : [])];
  const lines = order.flatMap((outcome) =>
    report.claims.filter((claim) => claim.outcome === outcome).flatMap((claim) => claimLines(claim, all, marks, width)),
  );
  const { confirmed, contradicted, not_checkable } = report;
  const rounded = report.claims.flatMap(({ figures }) => figures).filter(({ rule }) => WORDS[rule ?? ""] !== undefined);
  const counts = `${confirmed} confirmed, ${contradicted} contradicted, ${not_checkable} not checkable`;
  const total = contradicted > 0 ? marks.bad(counts) : not_checkable > 0 ? marks.warn(counts) : marks.good(counts);
  const ties = [...new Set(rounded.map(({ rule }) => rule!))].map(
    (rule) => `${rounded.filter((figure) => figure.rule === rule).length} of the figures: ${WORDS[rule]}`,
  );
  return `${[...lines, ...(lines.length > 0 ? [""] : []), `${marks.strong(printable(report.paper))}: ${total}`, ...ties.map(marks.dim)].join("\n")}\n`;
}
