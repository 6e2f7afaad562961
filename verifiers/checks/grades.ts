import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { SealaneError } from "../../lib/finding.js";
import { ENDPOINTS } from "../../lib/judge/index.js";
import { endpointProtocolPath, gradesPath, LANE_FILES } from "../../lib/records/documents.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";

/** Every question has one grade an endpoint, bound to its answer and reference, and it is what the rule gives when computed again. */
export const grades: Check = {
  id: "grades",
  how: "each grade computed again",
  title: "Grades are what their rules give, for every question",
  emits: ["E_GRADE"],
  needs: (manifest) => [
    LANE_FILES.population,
    LANE_FILES.answers,
    LANE_FILES.references,
    ...manifest.protocols.endpoints.flatMap(({ endpoint }) => [gradesPath(endpoint), endpointProtocolPath(endpoint)]),
  ],
  start(evidence) {
    const unknown = [...evidence.endpoints.keys()].filter((id) => !ENDPOINTS.some((endpoint) => endpoint.id === id));
    if (unknown.length > 0) {
      return {
        finish: () => ({ kind: "not-run", why: `this release cannot compute the endpoint ${unknown.join(", ")}` }),
      };
    }
    const notes = new Notes();
    return {
      row(row) {
        for (const id of evidence.endpoints.keys()) checkGrade(row, id, evidence, notes);
      },
      finish: () => notes.outcome({ code: "E_GRADE", at: LANE_FILES.manifest }),
    };
  },
};

function checkGrade(
  { question, answer, reference, grades: held }: ExaminedRow,
  id: string,
  evidence: LaneEvidence,
  notes: Notes,
): void {
  const grade = held.get(id);
  const at = grade ? `${gradesPath(id)}:${grade.line}` : gradesPath(id);
  const questionId = question?.value.question_id;
  const of = questionId === undefined ? {} : { questionId };
  if (!question && !grade) return;
  if (!question || !grade || !answer || !reference) {
    notes.add({ code: "E_GRADE", at, ...of, message: "the grades do not run beside the population to its end" });
    return;
  }
  notes.examined();
  const protocol = evidence.endpoints.get(id);
  const endpoint = ENDPOINTS.find((known) => known.id === id);
  if (!protocol?.ok || !endpoint) return;
  let expected: string;
  try {
    expected = canonicalJson(
      endpoint.grade(protocol.value, {
        category: question.value.category,
        answer: { ...answer.value, question_id: question.value.question_id },
        reference: reference.value,
        referenceSha256: sha256Hex(reference.bytes),
        protocolSha256: protocol.sha256,
      }),
    );
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    notes.add({
      code: "E_GRADE",
      at: endpointProtocolPath(id),
      ...of,
      found: shown(error.found),
      message: error.message,
    });
    return;
  }
  const found = canonicalJson(grade.value);
  notes.expect(expected === found, () => ({
    code: "E_GRADE",
    at,
    ...of,
    expected,
    found,
    message: "the grade is not what its rule gives for this answer and reference",
  }));
}
