// Packets of another implementation beside a lane's, for people.
import type { Fidelity } from "../../schemas/index.js";
import { plural } from "./numbers.js";
import { printable, shortened } from "./printable.js";
import type { Marks } from "./text.js";

type Difference = Fidelity["different"][number];

/** Questions printed of each kind; the JSON document has more. */
const PRINTED = 5;

export function fidelityText(fidelity: Fidelity, marks: Marks, width: number): string {
  const { lane, questions, equal, missing_total, extra_total, different_total } = fidelity;
  const { good, warn, strong, dim } = marks;
  const lines = [
    `${strong(`${lane.lane_id}, version ${lane.lane_version}`)}  ${dim(lane.manifest_sha256)}`,
    "",
    `  ${equal === questions ? good("equal    ") : "equal    "}  ${equal} of ${plural(questions, "question", "questions")}`,
  ];
  const listed = (word: string, total: number, ids: readonly string[]): void => {
    if (total === 0) return;
    const more = total > PRINTED ? ", …" : "";
    lines.push(`  ${warn(word.padEnd(9))}  ${total}  ${dim(printable(ids.slice(0, PRINTED).join(", ")) + more)}`);
  };
  listed(
    "different",
    different_total,
    fidelity.different.map(({ question_id }) => question_id),
  );
  listed("missing", missing_total, fidelity.missing);
  listed("extra", extra_total, fidelity.extra);
  if (fidelity.tokens_differ > 0) {
    lines.push(`  ${dim(`of the equal, ${fidelity.tokens_differ} have another token count: another tokenizer?`)}`);
  }
  for (const difference of fidelity.different.slice(0, PRINTED))
    lines.push("", ...differenceLines(difference, marks, width));
  lines.push("");
  if (fidelity.exit_code === 0) lines.push(good("The same packets, byte for byte."));
  else if (different_total > 0) lines.push(warn("Other packets: evidence differs."));
  else lines.push(warn("Not the same questions; what both have is equal."));
  return `${lines.join("\n")}\n`;
}

function differenceLines(
  { question_id, line, tokens, spans, evidence }: Difference,
  { strong, dim }: Marks,
  width: number,
): string[] {
  const lines = [`${strong(printable(question_id))}  ${dim(`line ${line}`)}`];
  const there = tokens.there === null ? "not said" : String(tokens.there);
  lines.push(`  tokens    lane ${tokens.here}, theirs ${there}`);
  if (spans) {
    const span = (value: unknown): string => (value === null ? "none" : JSON.stringify(value));
    lines.push(`  spans     lane ${spans.here}, theirs ${spans.there}`);
    if (spans.first) {
      const { at, here, there } = spans.first;
      lines.push(`            first apart at ${at}: lane ${span(here)}, theirs ${span(there)}`);
      lines.push(`            only in the lane ${spans.only_here_total}, only in theirs ${spans.only_there_total}`);
    } else lines.push("            the same, in the same order: the texts are rendered in other ways");
  }
  if (evidence) {
    const text = (value: string): string => shortened(printable(JSON.stringify(value)), width - 12);
    lines.push(`  evidence  first apart at byte ${evidence.at_byte}`);
    lines.push(`    ${dim("after   ")}${text(evidence.before)}`);
    lines.push(`    ${dim("lane    ")}${text(evidence.here)}`);
    lines.push(`    ${dim("theirs  ")}${text(evidence.there)}`);
  }
  return lines;
}
