import { canonicalJson } from "../../lib/bytes/json.js";
import { referenceRecord } from "../../lib/dataset/records.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Each question has one reference, in order; with the dataset, it is the dataset's. */
export const references: Check = {
  id: "references",
  how: "one a question; with the dataset: each against it",
  title: "Each question has its reference",
  emits: ["E_REFERENCE"],
  needs: () => [LANE_FILES.population, LANE_FILES.references],
  start({ manifest, dataset }) {
    const notes = new Notes();
    const sameFile = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    return {
      row({ index, question, reference }) {
        if (!question && !reference) return;
        notes.examined();
        const at = reference ? `${LANE_FILES.references}:${reference.line}` : LANE_FILES.references;
        const questionId = question?.value.question_id;
        const of = questionId === undefined ? {} : { questionId };
        const found = reference?.value.question_id;
        notes.expect(questionId === found, () => ({
          code: "E_REFERENCE",
          at,
          ...of,
          expected: shown(questionId),
          found: shown(found),
          message: "the reference at this place is not this question's",
        }));
        if (!dataset || !sameFile || !reference) return;
        const own = dataset.references[index];
        const expected = own && canonicalJson(referenceRecord(own));
        notes.expect(expected === canonicalJson(reference.value), () => ({
          code: "E_REFERENCE",
          at,
          ...of,
          expected: shown(expected),
          found: canonicalJson(reference.value),
          message: "the dataset gives another reference",
        }));
      },
      finish: () => notes.outcome({ code: "E_REFERENCE", at: LANE_FILES.references }),
    };
  },
};
