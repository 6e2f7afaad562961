import { idListSha256 } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { populationRecord } from "../../lib/dataset/records.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** The declared population is there whole and in order, and its exclusions add up; with the dataset, it is the dataset's. */
export const population: Check = {
  id: "population",
  how: "order, ids, ordinals, exclusions that add up; with the dataset: every question",
  title: "The population is complete, in order and accounted for",
  emits: ["E_POPULATION", "E_ORDER", "E_DUPLICATE", "E_DATASET_BINDING"],
  needs: () => [LANE_FILES.population, LANE_FILES.preparation],
  start({ manifest, preparation, dataset }) {
    const notes = new Notes();
    const ids: string[] = [];
    const known = new Set<string>();
    const sameFile = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    return {
      row({ index, question }) {
        if (!question) return;
        const { value, line } = question;
        const at = `${LANE_FILES.population}:${line}`;
        const questionId = value.question_id;
        notes.examined();
        ids.push(questionId);
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
        known.add(questionId);
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
      finish() {
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
        const { count, ids_sha256 } = manifest.value.population;
        const declared = preparation.value.population;
        const excluded = declared.excluded.reduce((sum, exclusion) => sum + exclusion.count, 0);
        add(count, ids.length, "the manifest declares another number of questions than the population holds");
        add(ids_sha256, idListSha256(ids), "the ids of the population, in order, are not the ones declared");
        add(declared.included, ids.length, "the preparation protocol includes another number of questions");
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
          add(dataset.asked.length, ids.length, "the dataset holds another number of questions");
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
        return notes.outcome({ code: "E_POPULATION", at: LANE_FILES.population });
      },
    };
  },
};
