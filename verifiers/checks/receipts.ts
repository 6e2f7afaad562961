import { sha256Hex } from "../../lib/bytes/digest.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Each receipt is of its question's request, holds the response it names, and states how the call ended as the response shows it. */
export const receipts: Check = {
  id: "receipts",
  how: "each receipt against its request and raw response",
  title: "Receipts belong to their requests and hold together",
  emits: ["E_RECEIPT"],
  needs: () => [LANE_FILES.population, LANE_FILES.requests, LANE_FILES.receipts, LANE_FILES.reader],
  start({ reader }) {
    const notes = new Notes();
    const modelName = reader.ok ? reader.value.model.name : undefined;
    return {
      row(row) {
        if (row.receipt) {
          notes.examined();
          checkReceipt(row, modelName, notes);
        } else if (row.question) {
          const { question_id: questionId } = row.question.value;
          notes.add({
            code: "E_RECEIPT",
            at: LANE_FILES.receipts,
            questionId,
            message: "there is no receipt of this question's call",
          });
        }
      },
      finish: () => notes.outcome({ code: "E_RECEIPT", at: LANE_FILES.receipts }),
    };
  },
};

function checkReceipt(
  { question, request, receipt, response, reply }: ExaminedRow,
  modelName: string | undefined,
  notes: Notes,
): void {
  if (!receipt) return;
  const { value, line } = receipt;
  const at = `${LANE_FILES.receipts}:${line}`;
  const questionId = value.question_id;
  const expect = (what: string, expected: string | undefined, found: string | undefined): void =>
    notes.expect(expected === found, () => ({
      code: "E_RECEIPT",
      at,
      questionId,
      expected: shown(expected),
      found: shown(found),
      message: what,
    }));
  expect(
    "this receipt is of another question than the population has at this place",
    question?.value.question_id,
    questionId,
  );
  expect("the receipt is of another request", request?.value.body_sha256, value.request_sha256);
  expect("the receipt is of a call to another model", modelName, value.model.requested);
  expect(
    "the response is not the one whose digest the receipt names",
    response && sha256Hex(response),
    value.response_sha256,
  );
  expect("the call ended otherwise than the receipt says", statusOf(response, reply), value.status);
  if (reply !== undefined && !("breach" in reply)) {
    expect("the response names another model than the receipt reports", reply.model, value.model.reported);
    expect(
      "the response reports other token counts",
      usageText(reply.promptTokens, reply.completionTokens),
      usageText(value.usage?.prompt_tokens, value.usage?.completion_tokens),
    );
  }
  notes.expect(value.ended === undefined || value.started <= value.ended, () => ({
    code: "E_RECEIPT",
    at,
    questionId,
    expected: `an end not before ${value.started}`,
    found: shown(value.ended),
    message: "the call ended before it started",
  }));
}

const usageText = (prompt: number | undefined, completion: number | undefined): string =>
  `${shown(prompt)}, ${shown(completion)}`;

/** How a call ended, from what is kept of it. */
function statusOf(response: ExaminedRow["response"], reply: ExaminedRow["reply"]): string {
  if (response === undefined) return "interrupted";
  return reply === undefined || "breach" in reply ? "failed" : reply.status;
}
