import { sha256Hex, startSha256 } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { LIMITS } from "../../lib/bytes/limits.js";
import { ADAPTERS, publishedRecords } from "../../lib/dataset/index.js";
import { populationRecord } from "../../lib/dataset/records.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { PreparationProtocol } from "../../schemas/index.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** The declared population is there whole and in order, and its exclusions add up; with the dataset, it is the dataset's. */
export const population: Check = {
  id: "population",
  how: "order, ids, ordinals, exclusions that add up and are the adapter's; with the dataset, or for a published one without it: every question",
  title: "The population is complete, in order and accounted for",
  emits: ["E_POPULATION", "E_ORDER", "E_DUPLICATE", "E_DATASET_BINDING", "E_SCOPE"],
  needs: () => [LANE_FILES.population, LANE_FILES.preparation],
  start({ manifest, preparation, dataset }) {
    const notes = new Notes();
    const ids = startSha256();
    let count = 0;
    const known = new Set<string>();
    const contents = new Set<string>();
    let doubled = 0;
    const sameFile = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    return {
      row({ index, question }) {
        if (!question) return;
        const { value, line } = question;
        const at = `${LANE_FILES.population}:${line}`;
        const questionId = value.question_id;
        notes.examined();
        ids.update(`${questionId}\n`);
        count += 1;
        notes.expect(value.ordinal === index, () => ({
          code: "E_ORDER",
          at,
          questionId,
          expected: String(index),
          found: String(value.ordinal),
          message: "the question's ordinal is not its place in the population",
        }));
        notes.expect(!known.has(questionId), () => ({
          code: "E_DUPLICATE",
          at,
          questionId,
          message: "this question id stands twice",
        }));
        // What is over any limit is not remembered: that there is more than declared is found by counting.
        if (count <= LIMITS.questionsMax) {
          known.add(questionId);
          const content = sha256Hex(canonicalJson([value.history_id, value.question, value.question_date ?? null]));
          if (contents.has(content)) doubled += 1;
          contents.add(content);
        }
        if (!dataset || !sameFile) return;
        const asked = dataset.asked[index];
        const expected = asked && canonicalJson(populationRecord(asked, index));
        notes.expect(expected === canonicalJson(value), () => ({
          code: "E_DATASET_BINDING",
          at,
          questionId,
          expected: shown(expected),
          found: canonicalJson(value),
          message: "the dataset asks another question, or says other things of it, at this place",
        }));
      },
      finish(seen) {
        if (!manifest.ok || !preparation.ok)
          return { kind: "not-run", why: "the preparation protocol could not be read" };
        const add = (expected: number | string, found: number | string, message: string): void =>
          notes.expect(expected === found, () => ({
            code: "E_POPULATION",
            at: LANE_FILES.population,
            expected: String(expected),
            found: String(found),
            message,
          }));
        const { population: whole, dataset: identity } = manifest.value;
        const declared = preparation.value.population;
        const excluded = declared.excluded.reduce((sum, exclusion) => sum + exclusion.count, 0);
        add(whole.count, count, "the manifest declares another number of questions than the population holds");
        add(whole.ids_sha256, ids.digest("hex"), "the ids of the population, in order, are not the ones declared");
        add(declared.included, count, "the preparation protocol includes another number of questions");
        add(
          declared.questions,
          declared.included + excluded,
          "included and excluded questions do not add up to the dataset's",
        );
        if (dataset && sameFile) {
          const exclusions = dataset.excluded.map(({ reason, category, count: number }) => ({
            reason,
            category,
            count: number,
          }));
          add(canonicalJson(exclusions), canonicalJson(declared.excluded), "the dataset gives other exclusions");
          add(dataset.asked.length, count, "the dataset holds another number of questions");
          add(
            dataset.questionsTotal,
            declared.questions,
            "the dataset holds another number of questions, excluded ones included",
          );
          const { ids: historyIds, sessionsTotal, turnsTotal } = dataset.histories;
          add(historyIds.length, declared.histories, "the dataset holds another number of histories");
          add(sessionsTotal, declared.sessions, "the dataset holds another number of sessions");
          add(turnsTotal, declared.turns, "the dataset holds another number of turns");
        }
        const published = sameFile ? undefined : publishedRecords(identity);
        if (published) {
          add(published.questions, count, "the published dataset holds another number of questions");
          const found = shown(seen.get(LANE_FILES.population)?.sha256);
          notes.expect(published.questions !== count || published.populationSha256 === found, () => ({
            code: "E_DATASET_BINDING",
            at: LANE_FILES.population,
            expected: published.populationSha256,
            found,
            message: "the population is not the one that the published dataset gives",
          }));
        }
        refuseNarrowed(identity.adapter, declared, notes);
        if (doubled > 0) notes.limit(`${doubled} questions are asked twice, under different ids.`);
        return notes.outcome({ code: "E_POPULATION", at: LANE_FILES.population });
      },
    };
  },
};

/** A lane of part of a dataset is none of the dataset: questions are left out only for reasons that its adapter has. */
function refuseNarrowed(
  adapter: string,
  { questions, included, excluded }: PreparationProtocol["population"],
  notes: Notes,
): void {
  const reasons = ADAPTERS.find(({ id }) => id === adapter)?.exclusions;
  if (!reasons) return;
  for (const [index, { reason, category, count }] of excluded.entries()) {
    notes.expect(reasons.includes(reason), () => ({
      code: "E_SCOPE",
      at: `${LANE_FILES.preparation}#/population/excluded/${index}`,
      expected: reasons.length === 0 ? "nothing left out" : `left out as ${reasons.join(" or ")}`,
      found: `${count} of category ${category} left out as ${reason}`,
      message: `the lane is of ${included} of ${questions} questions: some are left out that the dataset's lanes have`,
    }));
  }
}
