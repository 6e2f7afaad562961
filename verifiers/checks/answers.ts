import { sha256Hex } from "../../lib/bytes/digest.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Each answer is what its receipt's raw response says in its answer channel; thinking text never stands in for it. */
export const answers: Check = {
  id: "answers",
  how: "each answer against its receipt",
  title: "Answers are what the receipts say",
  emits: ["E_ANSWER"],
  needs: () => [LANE_FILES.population, LANE_FILES.receipts, LANE_FILES.answers],
  start() {
    const notes = new Notes();
    return {
      row({ question, receipt, answer, reply }) {
        if (!answer || !question || !receipt) {
          notes.expect(!question && !answer, () => ({
            code: "E_ANSWER",
            at: LANE_FILES.answers,
            ...(question ? { questionId: question.value.question_id } : {}),
            message: "the answers do not run beside the population to its end",
          }));
          return;
        }
        notes.examined();
        const { value, line } = answer;
        const at = `${LANE_FILES.answers}:${line}`;
        const questionId = value.question_id;
        const expect = (what: string, expected: string | undefined, found: string | undefined): void =>
          notes.expect(expected === found, () => ({
            code: "E_ANSWER",
            at,
            questionId,
            expected: shown(expected),
            found: shown(found),
            message: what,
          }));
        const said = reply !== undefined && !("breach" in reply) ? reply.answer : undefined;
        expect(
          "this answer is of another question than the population has at this place",
          question.value.question_id,
          questionId,
        );
        expect("the answer names another receipt", sha256Hex(receipt.bytes), value.receipt_sha256);
        expect("the answer has another status than its receipt", receipt.value.status, value.status);
        expect("the answer is not what the reader answered", said, value.answer);
        expect(
          "the answer's digest is not that of its text",
          said === undefined ? undefined : sha256Hex(said),
          value.answer_sha256,
        );
      },
      finish: () => notes.outcome({ code: "E_ANSWER", at: LANE_FILES.answers }),
    };
  },
};
