// Requests out of packets, calls through the ledger, receipts and answers out of calls. Opens nothing under evaluator/.
import type { AnswerRecord, ReaderProtocol, ReceiptRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { isUtf8 } from "../bytes/text.js";
import { SealaneError } from "../finding.js";
import { replaceFileWith } from "../io/atomic.js";
import { readReply } from "../reader/reply.js";
import { requestBody } from "../reader/request.js";
import type { Reader } from "../reader/types.js";
import { LANE_FILES, readDocument, recordSha256 } from "../records/documents.js";
import { EVIDENCE_FILE, LEDGER_FILE, type RunFolder, recordLine } from "./folder.js";
import { amendmentsOf, type Call, type CallStore, type Standing, standings } from "./ledger.js";
import { runSchedule, type ScheduleOptions, type ScheduleOutcome } from "./schedule.js";
import { SqliteCallStore } from "./sqlite.js";

export interface ReplaySummary extends ScheduleOutcome {
  readonly questions: number;
  /** Answers by status, once every question has its final call; undefined before. */
  readonly statuses: Readonly<Record<string, number>> | undefined;
}

/** Files that the reader's side reads of a prepared run. */
const READER_SIDE = [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.preparation, EVIDENCE_FILE];

/**
 * Fixes the reader protocol of a run and writes its requests, or, when they are there, makes sure that they were made
 * under the same protocol (E_RUN_MIX). Returns the protocol's digest.
 */
function fixRequests(run: RunFolder, protocol: ReaderProtocol): string {
  const text = canonicalJson(protocol);
  const protocolSha256 = sha256Hex(text);
  if (run.has(LANE_FILES.reader)) {
    const fixed = readDocument(run.files, "reader-protocol", LANE_FILES.reader);
    if (fixed.sha256 !== protocolSha256) {
      throw new SealaneError("E_RUN_MIX", "the run folder was begun with another reader, model or option", {
        at: run.path(LANE_FILES.reader),
        expected: differing(fixed.value, protocol),
        found: differing(protocol, fixed.value),
      });
    }
    return protocolSha256;
  }
  replaceFileWith(run.path(LANE_FILES.requests), (writeRequest) => {
    replaceFileWith(run.path(LANE_FILES.bodies), (writeBody) => {
      const evidence = run.records("body-record", EVIDENCE_FILE);
      const packets = run.records("packet-record", LANE_FILES.packets);
      for (const question of run.records("population-record", LANE_FILES.population)) {
        const rendered = evidence.next().value;
        const packet = packets.next().value;
        if (rendered?.question_id !== question.question_id || packet?.question_id !== question.question_id) {
          throw new Error("evidence does not follow the population");
        }
        const { temperature } = packet;
        const asked = { question: question.question, questionDate: question.question_date ?? null, temperature };
        const body = requestBody(protocol, asked, rendered.body);
        writeBody(recordLine({ question_id: question.question_id, body }));
        writeRequest(
          recordLine({
            question_id: question.question_id,
            body_sha256: sha256Hex(body),
            body_bytes: Buffer.byteLength(body),
            protocol_sha256: protocolSha256,
          }),
        );
      }
      evidence.return(undefined);
      packets.return(undefined);
    });
  });
  // Last, because its presence says that the requests are whole.
  replaceFileWith(run.path(LANE_FILES.reader), (write) => write(text));
  return protocolSha256;
}

/** Refuses a protocol that goes by the packets' temperatures when preparation gave them none (E_USAGE). */
function refuseUnnamedTemperatures(run: RunFolder, protocol: ReaderProtocol): void {
  if (protocol.temperature === undefined) return;
  const preparation = readDocument(run.files, "preparation-protocol", LANE_FILES.preparation);
  if (preparation.value.temperature !== undefined) return;
  throw new SealaneError("E_USAGE", "the packets of this run name no temperatures", {
    at: run.path(LANE_FILES.preparation),
    next: "Prepare with --temperature-per-question, or replay without it.",
  });
}

/** The fields of one protocol that differ from another's, for a person to read. */
function differing(protocol: ReaderProtocol, other: ReaderProtocol): string {
  const fields = Object.entries(protocol).filter(
    ([name, value]) => canonicalJson(value) !== canonicalJson(other[name as keyof ReaderProtocol]),
  );
  return fields.map(([name, value]) => `${name} ${canonicalJson(value)}`).join(", ");
}

function responseRecord(response: Uint8Array): Pick<ReceiptRecord, "response" | "response_sha256"> {
  const bytes = Buffer.from(response);
  return {
    response_sha256: sha256Hex(bytes),
    response: isUtf8(bytes)
      ? { encoding: "utf8", data: bytes.toString("utf8") }
      : { encoding: "base64", data: bytes.toString("base64") },
  };
}

/** A final call as its receipt and answer. */
export function receiptAndAnswer(
  call: Omit<Call, "response">,
  response: Uint8Array | null,
  requestedModel: string,
): { receipt: ReceiptRecord; answer: AnswerRecord } {
  const reply = response === null || call.httpStatus === null ? undefined : readReply(call.httpStatus, response);
  const valid = reply !== undefined && !("breach" in reply) ? reply : undefined;
  // Without any response the call was broken off; with one that breaks the contract it failed.
  const status = valid?.status ?? (response === null ? "interrupted" : "failed");
  const usage = {
    ...(valid?.promptTokens === undefined ? {} : { prompt_tokens: valid.promptTokens }),
    ...(valid?.completionTokens === undefined ? {} : { completion_tokens: valid.completionTokens }),
  };
  const receipt: ReceiptRecord = {
    question_id: call.questionId,
    attempt: call.attempt,
    request_sha256: call.requestSha256,
    status,
    started: call.started,
    ...(call.ended === null ? {} : { ended: call.ended }),
    ...(call.httpStatus === null ? {} : { http_status: call.httpStatus }),
    model: { requested: requestedModel, ...(valid?.model === undefined ? {} : { reported: valid.model }) },
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(response === null ? {} : responseRecord(response)),
    ...(call.error === null ? {} : { error: call.error }),
  };
  const answer: AnswerRecord = {
    question_id: call.questionId,
    status,
    ...(valid === undefined ? {} : { answer: valid.answer, answer_sha256: sha256Hex(valid.answer) }),
    receipt_sha256: recordSha256(receipt),
  };
  return { receipt, answer };
}

/** Writes receipts, answers and amendments out of a ledger in which every question has its final call. */
function writeOutcome(
  run: RunFolder,
  store: CallStore,
  requestedModel: string,
  standing: (id: string) => Standing,
): Record<string, number> {
  const statuses: Record<string, number> = {};
  replaceFileWith(run.path(LANE_FILES.receipts), (writeReceipt) => {
    replaceFileWith(run.path(LANE_FILES.answers), (writeAnswer) => {
      for (const { question_id } of run.records("population-record", LANE_FILES.population)) {
        const { kind, ...rest } = standing(question_id);
        if (kind !== "final" || !("call" in rest)) {
          // The schedule went through all requests there are, so this question's is not among them.
          throw new SealaneError("E_RUN_CHANGED", `${LANE_FILES.bodies} has no request of ${question_id} any more`, {
            at: run.path(LANE_FILES.bodies),
            expected: question_id,
          });
        }
        const response = store.response(question_id, rest.call.attempt);
        const { receipt, answer } = receiptAndAnswer(rest.call, response, requestedModel);
        writeReceipt(recordLine(receipt));
        writeAnswer(recordLine(answer));
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      }
    });
  });
  replaceFileWith(run.path(LANE_FILES.amendments), (write) => {
    for (const amendment of amendmentsOf(store.decisions(), recordSha256)) write(recordLine(amendment));
  });
  return statuses;
}

/**
 * Answers every question of a run that has no final answer yet. Completed calls are never made again; run again after
 * any interruption, it goes on where it was. Throws E_RUN_CHANGED, E_RUN_MIX, E_USAGE, E_RUN_BUSY, E_READER, E_IO.
 */
export async function replayRun(
  run: RunFolder,
  protocol: ReaderProtocol,
  reader: Reader,
  options: ScheduleOptions,
): Promise<ReplaySummary> {
  run.checkPrepared(READER_SIDE);
  // The ledger is there before the requests are: without it, calls that were made would be made again.
  if (run.has(LANE_FILES.reader) && !run.has(LEDGER_FILE)) {
    throw new SealaneError("E_RUN_CHANGED", `${run.folder} has requests, but the ledger of their calls is gone`, {
      at: run.path(LEDGER_FILE),
      next: "Put the ledger back, or prepare again into a new folder.",
    });
  }
  refuseUnnamedTemperatures(run, protocol);
  const store = new SqliteCallStore(run.path(LEDGER_FILE));
  try {
    store.bind(fixRequests(run, protocol));
    const total = run.run.population.count;
    const outgoing = function* () {
      for (const record of run.records("body-record", LANE_FILES.bodies))
        yield { questionId: record.question_id, body: record.body };
    };
    const outcome = await runSchedule(total, outgoing(), store, reader, options);
    const finished = !outcome.stopped && outcome.undecided === 0;
    const statuses = finished ? writeOutcome(run, store, protocol.model.name, standings(store)) : undefined;
    return { ...outcome, questions: total, statuses };
  } finally {
    store.close();
  }
}
