import { canonicalJson } from "../../lib/bytes/json.js";
import type { Finding } from "../../lib/finding.js";
import { declaredResults, ResultsBuilder } from "../../lib/lane/results.js";
import { gradesPath, LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Every declared total is counted again from the rows, over the whole population. */
export const results: Check = {
  id: "results",
  how: "every declared total against the rows",
  title: "Totals are those of the rows, over the whole population",
  emits: ["E_ARITH", "E_DENOMINATOR"],
  needs: (manifest) => [
    LANE_FILES.results,
    LANE_FILES.population,
    LANE_FILES.packets,
    LANE_FILES.answers,
    ...manifest.protocols.endpoints.map(({ endpoint }) => gradesPath(endpoint)),
  ],
  start({ manifest, results: declared, endpoints }) {
    const builder = new ResultsBuilder([...endpoints.keys()]);
    return {
      row({ question, packet, answer, grades }) {
        if (!question) return;
        const scores = new Map([...grades].map(([endpoint, grade]) => [endpoint, grade.value]));
        builder.add(question.value, packet?.value, answer?.value.status ?? "failed", scores);
      },
      finish() {
        if (!manifest.ok || !declared.ok) return { kind: "not-run", why: "the declared results could not be read" };
        const notes = new Notes();
        const computed = builder.results();
        compare(computed, declared.value, `${LANE_FILES.results}#`, notes);
        compare(declaredResults(computed), manifest.value.results, `${LANE_FILES.manifest}#/results`, notes);
        return notes.outcome({ code: "E_ARITH", at: LANE_FILES.results });
      },
    };
  },
};

/** Walks two documents in step and names each leaf in which they differ. */
function compare(computed: unknown, declared: unknown, at: string, notes: Notes): void {
  if (typeof computed === "object" && computed !== null && typeof declared === "object" && declared !== null) {
    const [mine, theirs] = [computed as Record<string, unknown>, declared as Record<string, unknown>];
    for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      if (name === "score_mean" && isOverOthers(mine, theirs)) {
        notes.examined();
        notes.add(difference("E_DENOMINATOR", `${at}/${name}`, mine[name], theirs[name]));
      } else compare(mine[name], theirs[name], `${at}/${name}`, notes);
    }
    return;
  }
  notes.examined();
  const code = at.endsWith("/questions") ? "E_DENOMINATOR" : "E_ARITH";
  if (shownValue(computed) !== shownValue(declared)) notes.add(difference(code, at, computed, declared));
}

/** Whether a declared mean is the true total, divided by another number of questions than there are. */
function isOverOthers(computed: Record<string, unknown>, declared: Record<string, unknown>): boolean {
  const { questions, score_total: total, score_mean: right } = computed;
  const mean = declared.score_mean;
  if (typeof total !== "number" || typeof mean !== "number" || mean === right || mean === 0) return false;
  const divisor = Math.round(total / mean);
  return divisor !== questions && divisor > 0 && total / divisor === mean;
}

const shownValue = (value: unknown): string => (value === undefined ? shown(undefined) : canonicalJson(value));

function difference(code: "E_ARITH" | "E_DENOMINATOR", at: string, computed: unknown, declared: unknown): Finding {
  return {
    code,
    at,
    expected: shownValue(computed),
    found: shownValue(declared),
    message:
      code === "E_ARITH"
        ? "the declared figure is not the one the rows give"
        : "the declared figure is over another number of questions than the population has",
  };
}
