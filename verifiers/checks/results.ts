import { canonicalJson } from "../../lib/bytes/json.js";
import { declaredResults, ResultsBuilder } from "../../lib/lane/results.js";
import { gradesPath, LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Every declared total is counted again from the rows, over the whole population. */
export const results: Check = {
  id: "results",
  how: "every declared total against the rows",
  title: "Totals are those of the rows, over the whole population",
  emits: ["E_ARITH"],
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
    const names = new Set([...Object.keys(computed), ...Object.keys(declared)]);
    for (const name of names) {
      const [mine, theirs] = [computed, declared].map((side) => (side as Record<string, unknown>)[name]);
      compare(mine, theirs, `${at}/${name}`, notes);
    }
    return;
  }
  notes.examined();
  const text = (value: unknown): string => (value === undefined ? shown(undefined) : canonicalJson(value));
  notes.expect(text(computed) === text(declared), () => ({
    code: "E_ARITH",
    at,
    expected: text(computed),
    found: text(declared),
    message: "the declared figure is not the one the rows give",
  }));
}
