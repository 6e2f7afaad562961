import { sha256Hex } from "../../lib/bytes/digest.js";
import type { ReasonCode } from "../../lib/finding.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { DECISIONS } from "../../lib/run/ledger.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";

/**
 * Each receipt is of its question's request, holds the response it names, and states how the call ended as the response shows it;
 * attempts and recorded decisions about them add up, and no call is made to count that is not the question's one.
 */
export const receipts: Check = {
  id: "receipts",
  how: "each receipt against its request and raw response; its attempt against the recorded decisions",
  title: "Receipts belong to their requests and hold together",
  emits: ["E_RECEIPT", "E_FAILURE_CLASS", "E_LEDGER", "E_RETRY", "E_CALL_MIX"],
  needs: () => [
    LANE_FILES.population,
    LANE_FILES.requests,
    LANE_FILES.receipts,
    LANE_FILES.reader,
    LANE_FILES.amendments,
  ],
  start({ reader, amendments }) {
    const notes = new Notes();
    const modelName = reader.ok ? reader.value.model.name : undefined;
    const calls = new Calls(amendments, notes);
    return {
      row(row) {
        if (row.receipt) {
          notes.examined();
          checkReceipt(row, modelName, notes);
          calls.check(row, notes);
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
      finish() {
        calls.finish(notes);
        return notes.outcome({ code: "E_RECEIPT", at: LANE_FILES.receipts });
      },
    };
  },
};

/** What was decided about one question's broken-off calls. */
interface Decided {
  retries: number;
  failures: number;
}

/** All calls of the lane beside each other, and beside the decisions about them. */
class Calls {
  readonly #decided = new Map<string, Decided>();
  readonly #asked = new Set<string>();
  /** Where each response stands that carries the server's own time, by digest. */
  readonly #responses = new Map<string, number>();
  #reported: string | undefined;
  #repeated = 0;

  constructor(amendments: LaneEvidence["amendments"], notes: Notes) {
    for (const { value, line } of amendments) {
      const { question_id: questionId, decision } = value;
      if (questionId === undefined || !(DECISIONS as readonly string[]).includes(decision)) {
        notes.limit(`The amendment in line ${line} is of a kind that this release does not know; it was not judged.`);
        continue;
      }
      const decided = this.#decided.get(questionId) ?? { retries: 0, failures: 0 };
      if (decision === "retry-once") decided.retries += 1;
      else decided.failures += 1;
      this.#decided.set(questionId, decided);
    }
  }

  check({ receipt, response }: ExaminedRow, notes: Notes): void {
    if (!receipt) return;
    const { value, line } = receipt;
    const questionId = value.question_id;
    const add = (code: ReasonCode, message: string, expected: string, found: string): void =>
      notes.add({ code, at: `${LANE_FILES.receipts}:${line}`, questionId, expected, found, message });
    if (this.#asked.has(questionId)) {
      add("E_RETRY", "this question has a receipt already", "one call that counts", "another one");
      return;
    }
    this.#asked.add(questionId);
    const { retries, failures } = this.#decided.get(questionId) ?? { retries: 0, failures: 0 };
    if (value.attempt !== retries + 1) {
      add(
        "E_LEDGER",
        "the attempt is not the one that the recorded decisions lead to",
        `attempt ${retries + 1}, after ${retries} decisions to call again`,
        `attempt ${value.attempt}`,
      );
    }
    const failed = value.status === "interrupted" || value.status === "failed";
    if (failed && failures !== 1) {
      add("E_LEDGER", "no one decision counts this call as a failure", "one decision", `${failures} decisions`);
    } else if (!failed && failures > 0) {
      add("E_RETRY", "the question was decided to count as a failure, and yet has an answer", "failed", value.status);
    }
    if (retries > 0) this.#repeated += 1;
    this.#againstOthers(value, response, line, add);
  }

  #againstOthers(
    { model: { reported }, response_sha256: sha256 }: NonNullable<ExaminedRow["receipt"]>["value"],
    response: Uint8Array | undefined,
    line: number,
    add: (code: ReasonCode, message: string, expected: string, found: string) => void,
  ): void {
    this.#reported ??= reported;
    if (reported !== undefined && reported !== this.#reported) {
      add("E_CALL_MIX", "another model answered here than in the lane's first call", shown(this.#reported), reported);
    }
    if (sha256 === undefined || response === undefined || !hasServerTime(response)) return;
    const first = this.#responses.get(sha256);
    if (first === undefined) this.#responses.set(sha256, line);
    else add("E_RECEIPT", "the response is that of another question, to its time", "its own", `that of line ${first}`);
  }

  finish(notes: Notes): void {
    for (const questionId of this.#decided.keys()) {
      notes.expect(this.#asked.has(questionId), () => ({
        code: "E_LEDGER",
        at: LANE_FILES.amendments,
        questionId,
        message: "a decision is about a question that the lane has no call of",
      }));
    }
    if (this.#repeated > 0) {
      notes.limit(
        `${this.#repeated} questions were called again after a recorded decision: what came back before is not in the lane.`,
      );
    }
  }
}

/** A server's time to the nanosecond, as Ollama gives it: no two of its responses are the same then. */
const SERVER_TIME = /"created_at":"[0-9T:-]{19}\.[0-9]{6,9}(?:Z|[+-][0-9:]{5})"/;

function hasServerTime(response: Uint8Array): boolean {
  return SERVER_TIME.test(Buffer.from(response).toString("latin1"));
}

function checkReceipt(
  { question, request, receipt, response, reply }: ExaminedRow,
  modelName: string | undefined,
  notes: Notes,
): void {
  if (!receipt) return;
  const { value, line } = receipt;
  const at = `${LANE_FILES.receipts}:${line}`;
  const questionId = value.question_id;
  const expect = (
    what: string,
    expected: string | undefined,
    found: string | undefined,
    code: ReasonCode = "E_RECEIPT",
  ): void =>
    notes.expect(expected === found, () => ({
      code,
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
  expect("the receipt is of a call to another model", modelName, value.model.requested, "E_CALL_MIX");
  expect(
    "the response is not the one whose digest the receipt names",
    response && sha256Hex(response),
    value.response_sha256,
  );
  expect("the call ended otherwise than the receipt says", statusOf(response, reply), value.status, "E_FAILURE_CLASS");
  if (reply !== undefined && !("breach" in reply)) {
    expect("the response names another model than the receipt reports", reply.model, value.model.reported);
    expect(
      "the response reports other token counts",
      usageText(reply.promptTokens, reply.completionTokens),
      usageText(value.usage?.prompt_tokens, value.usage?.completion_tokens),
    );
  }
}

const usageText = (prompt: number | undefined, completion: number | undefined): string =>
  `${shown(prompt)}, ${shown(completion)}`;

/** How a call ended, from what is kept of it. */
function statusOf(response: ExaminedRow["response"], reply: ExaminedRow["reply"]): string {
  if (response === undefined) return "interrupted";
  return reply === undefined || "breach" in reply ? "failed" : reply.status;
}
