// A printed number from its total down, for people; and beside another lane, where the two part.
import type { NumberWalk, Why } from "../../schemas/index.js";
import { nameOf, percentsApart, plural } from "./numbers.js";
import { printable } from "./printable.js";
import { percent } from "./tables.js";
import type { Marks } from "./text.js";
import { wrap } from "./wrap.js";

type Layer = NumberWalk["layers"][number];
type Against = NonNullable<Why["against"]>;

const LABEL_WIDTH = 11;

class Lines {
  readonly #lines: string[] = [];
  readonly #marks: Marks;
  readonly #width: number;

  constructor(marks: Marks, width: number) {
    this.#marks = marks;
    this.#width = width;
  }

  add(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  labelled(label: string, text: string, mark: (text: string) => string = (same) => same): void {
    for (const [index, line] of wrap(printable(text), this.#width - LABEL_WIDTH).entries())
      this.add(this.#marks.strong((index === 0 ? label : "").padEnd(LABEL_WIDTH)) + mark(line));
  }

  /** @param by columns to stand in from the left */
  indented(text: string, by: number, mark: (text: string) => string = (same) => same): void {
    for (const line of wrap(printable(text), this.#width - by)) this.add(" ".repeat(by) + mark(line));
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

export function whyText(why: Why, marks: Marks, width: number): string {
  const lines = new Lines(marks, width);
  const { lane } = why.walk;
  lines.add(marks.strong(`${nameOf(why.number)} of ${lane.lane_id}, version ${lane.lane_version}`));
  lines.add(marks.dim(`manifest ${lane.manifest_sha256}`), "");
  walkLines(why.walk, lines, marks);
  if (why.against) {
    const { walk } = why.against;
    lines.add("", marks.strong(`Against ${walk.lane.lane_id}, version ${walk.lane.lane_version}`));
    lines.add(marks.dim(`manifest ${walk.lane.manifest_sha256}`), "");
    walkLines(walk, lines, marks);
    lines.add("", marks.strong("Where the two numbers part"));
    partingLines(why.against, why.walk, lines, marks);
  }
  lines.add("");
  for (const [index, limit] of why.limits.entries()) lines.labelled(index === 0 ? "LIMITS" : "", limit, marks.dim);
  return lines.text();
}

function walkLines(
  { published, recounted, zeros, layers, first_failing }: NumberWalk,
  lines: Lines,
  marks: Marks,
): void {
  const [theirs, ours] = meansOf(published, recounted);
  const total = ({ score_total, questions }: NonNullable<NumberWalk["recounted"]>, mean: string): string =>
    `${mean} %, total ${score_total} over ${plural(questions, "question", "questions")}`;
  lines.labelled("PUBLISHED", published ? total(published, theirs) : "nothing, or nothing that can be read");
  if (recounted) {
    const same =
      published?.score_total === recounted.score_total &&
      published.score_mean === recounted.score_mean &&
      published.questions === recounted.questions;
    lines.labelled("THE ROWS", `${total(recounted, ours)}${same ? ", the same" : ""}`, same ? marks.good : marks.bad);
    const zero = zeros.reduce((sum, { count }) => sum + count, 0);
    const ended = zeros.map(({ status, count }) => `${count} ${status}`).join(", ");
    lines.labelled("ZEROS", `${zero} of ${recounted.questions} scored 0${zero > 0 ? `: ${ended}` : ""}`);
  } else lines.labelled("THE ROWS", "cannot be counted to their end", marks.bad);
  const failing = layers.find(({ layer }) => layer === first_failing);
  if (!failing) lines.labelled("VERDICT", "holds: every layer under the number that was looked at holds", marks.good);
  else if (failing.outcome === "fails")
    lines.labelled("VERDICT", `FAILS: the first layer that does not hold is ${failing.layer}`, marks.bad);
  else
    lines.labelled("VERDICT", `INCONCLUSIVE: the first layer that could not be judged is ${failing.layer}`, marks.warn);
  lines.add("");
  for (const layer of layers) layerLines(layer, lines, marks);
}

/** Both means in percent, with digits enough to tell them apart. */
function meansOf(published: NumberWalk["published"], recounted: NumberWalk["recounted"]): [string, string] {
  const [a, b] = [published?.score_mean ?? null, recounted?.score_mean ?? null];
  if (a !== null && b !== null) return percentsApart(a, b);
  return [percent(a), percent(b)];
}

function layerLines(
  { layer, outcome, rows, findings_total, codes, questions, why }: Layer,
  lines: Lines,
  marks: Marks,
): void {
  const name = layer.padEnd(12);
  const count = rows === 0 ? "" : plural(rows, "row", "rows");
  if (outcome === "holds") lines.add(`${marks.good("  holds   ")}${count === "" ? layer : name + marks.dim(count)}`);
  else if (outcome === "fails") {
    const findings = `${plural(findings_total, "finding", "findings")}, ${codes.join(", ")}`;
    lines.add(`${marks.bad("  FAILS   ")}${name}${findings}`);
    if (questions.length > 0) lines.indented(`first questions: ${questions.join(", ")}`, 22);
    lines.indented(why ?? "", 22);
  } else {
    lines.add(marks.dim(`  -       ${name}${outcome === "not-asked" ? "the dataset was not given" : "not judged"}`));
    if (outcome === "not-judged") lines.indented(why ?? "", 22, marks.dim);
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  question: "because the question, or what is said of it, differs",
  references: "because the reference differs",
  packets: "because the packet differs",
  requests: "with the same packet, because the request differs",
  answers: "with byte-identical requests, but another answer",
};

const signed = (value: number, digits: number): string => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(digits)}`;

function partingLines(against: Against, walk: NumberWalk, lines: Lines, marks: Marks): void {
  const { causes, documents, only_here, only_there, same_score, mean_difference, score_difference } = against;
  const points = mean_difference === null ? "-" : `${signed(100 * mean_difference, 2)} points`;
  lines.indented(`${points}, total ${signed(score_difference, 4)}, of ${walk.lane.lane_id} over the other`, 2);
  if (only_here + only_there > 0)
    lines.indented(`${plural(only_here, "question", "questions")} only here, ${only_there} only there`, 2, marks.warn);
  const changed = causes.reduce((sum, cause) => sum + cause.questions_total, 0);
  lines.indented(`${plural(changed, "question", "questions")} changed their grade, ${same_score} did not`, 2);
  for (const { layer, questions_total, higher, lower, score_difference: sum, questions } of causes) {
    const cause = CAUSES[layer] ?? "with the same answer and reference, but another grade";
    lines.indented(`${questions_total} ${cause}`, 4, marks.warn);
    lines.indented(`${higher} higher, ${lower} lower, together ${signed(sum, 4)}`, 6);
    lines.indented(`${questions.join(", ")}${questions_total > questions.length ? ", …" : ""}`, 6, marks.dim);
  }
  if (documents.length > 0) lines.indented(`documents that differ: ${documents.join(", ")}`, 2);
  const { same_experiment } = against;
  lines.indented(
    same_experiment
      ? "the two lanes are one experiment: only outcomes differ"
      : "the two lanes are different experiments; sealane diff says in which layers they part",
    2,
    same_experiment ? marks.good : marks.warn,
  );
}
