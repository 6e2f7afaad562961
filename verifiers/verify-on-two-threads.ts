// verifyLane on two processors: the same rows are shown to the same checks in the same order, so the report is the same. One
// thread reads and judges; the other examines the request bodies, which are nearly all of a lane.
import { SealaneError } from "../lib/finding.js";
import { type Body, bodyParser, isBodyId, LANE_FILES, type Located } from "../lib/records/documents.js";
import { isEmptyRow, type LaneRow } from "../lib/records/rows.js";
import type { Report } from "../schemas/index.js";
import { askedIn, type BodyExaminer, bodyExaminerOf, bodyRulesOf, type ExaminedBody, NO_BODY } from "./body.js";
import { Batch, type BatchLine, BodyThread, type ScannedLine } from "./body-thread.js";
import type { Check } from "./check.js";
import { CHECKS } from "./checks/index.js";
import type { LaneEvidence, Policy } from "./evidence.js";
import { type OnRow, Verification, verifyLane } from "./verify.js";

/** Bytes of request bodies below which a second thread takes longer to start than it saves. */
const TWO_THREADS_FROM_BYTES = 8 * 2 ** 20;
/** Bytes of lines in one batch; a longer line is examined in this thread. */
const BATCH_BYTES = 2 ** 20;
/** Batches with the other thread at once. */
const BATCHES = 3;

/** Shows rows, whose bodies the other thread has examined, to the checks. */
class Fold {
  readonly #verification: Verification;
  readonly #examiner: BodyExaminer;
  /** Why the bodies were not read on, as LaneRows would have it. */
  error: SealaneError | undefined;

  constructor(verification: Verification, examiner: BodyExaminer) {
    this.#verification = verification;
    this.#examiner = examiner;
  }

  batch(batch: Batch, scanned: readonly (ScannedLine | undefined)[]): void {
    for (const { row, line } of batch.rows) {
      const place = line === undefined ? undefined : batch.lines[line];
      const found = line === undefined ? undefined : scanned[line];
      if (!row.body || !place || this.error) this.row(row);
      else if (found && isBodyId(found.questionId)) this.#examined(row, row.body, { batch, place, found });
      else this.row({ ...row, body: { ...row.body, value: batch.lineBytes(place) } });
    }
  }

  /** A row whose body is parsed and examined here. */
  row(row: LaneRow<Uint8Array>): void {
    const body = this.#parsed(row.body);
    this.#show({ ...row, body }, this.#examiner.examine(askedIn(row), body?.value.body));
  }

  #examined(
    row: LaneRow<Uint8Array>,
    { line }: Located<Uint8Array>,
    { batch, place, found }: { batch: Batch; place: BatchLine; found: ScannedLine },
  ): void {
    const { questionId, bodyBytes: _bodyBytes, evidenceBytes: _evidenceBytes, ...rest } = found;
    const value = { question_id: questionId, body: batch.bodyBytes(place, found) };
    const examined: ExaminedBody = { ...NO_BODY, ...rest, evidence: batch.evidenceBytes(place, found) };
    this.#show({ ...row, body: { value, line, bytes: batch.lineBytes(place) } }, examined);
  }

  #parsed(body: Located<Uint8Array> | undefined): Located<Body> | undefined {
    if (!body || this.error) return undefined;
    try {
      return { ...body, bytes: body.value, value: bodyParser(body.value, `${LANE_FILES.bodies}:${body.line}`) };
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      this.error = error;
      return undefined;
    }
  }

  #show(row: LaneRow, body: ExaminedBody): void {
    // Lines that follow a body that cannot be read were read ahead, and are no rows.
    if (!isEmptyRow(row)) this.#verification.row(row, body);
  }
}

/**
 * Runs the checks over one lane as verifyLane does, to the same report. Rejects with what verifyLane would throw, and with
 * whatever ended the other thread before its time.
 * @param fromBytes size of the request bodies from which a second thread is used
 */
export async function verifyOnTwoThreads(
  evidence: LaneEvidence,
  policy: Policy,
  checks: readonly Check[] = CHECKS,
  onRow: OnRow = () => {},
  fromBytes = TWO_THREADS_FROM_BYTES,
): Promise<Report> {
  const bodies = evidence.entries.find((entry) => entry.path === LANE_FILES.bodies);
  if (!bodies?.regular || bodies.size < fromBytes) return verifyLane(evidence, policy, checks, onRow);
  const rules = bodyRulesOf(evidence, checks);
  const thread = new BodyThread(rules);
  try {
    const verification = new Verification(evidence, policy, checks, onRow);
    const fold = new Fold(verification, bodyExaminerOf(rules));
    await inBatches(evidence.rows.withUnparsedBodies(), thread, fold);
    const seen = evidence.rows.seen.map((file) =>
      file.path === LANE_FILES.bodies ? { ...file, error: fold.error ?? file.error } : file,
    );
    return verification.report(seen);
  } finally {
    await thread.end();
  }
}

async function inBatches(rows: Iterable<LaneRow<Uint8Array>>, thread: BodyThread, fold: Fold): Promise<void> {
  const free = Array.from({ length: BATCHES }, () => new SharedArrayBuffer(3 * BATCH_BYTES));
  const sent: { readonly batch: Batch; readonly scanned: ReturnType<BodyThread["scan"]> }[] = [];
  let batch = new Batch(free.pop()!);
  const foldNext = async (): Promise<void> => {
    const next = sent.shift();
    if (!next) return;
    fold.batch(next.batch, await next.scanned);
    free.push(next.batch.memory);
  };
  const send = async (): Promise<void> => {
    const scanned = thread.scan(batch);
    // The first to fail is the one waited for; the others fail for the same reason.
    scanned.catch(() => {});
    sent.push({ batch, scanned });
    if (sent.length >= BATCHES) await foldNext();
    batch = new Batch(free.pop()!);
  };
  const foldAll = async (): Promise<void> => {
    await send();
    while (sent.length > 0) await foldNext();
  };
  for (const row of rows) {
    const bytes = row.body?.value.length ?? 0;
    if (bytes > BATCH_BYTES) {
      await foldAll();
      fold.row(row);
      continue;
    }
    if (!batch.fits(bytes)) await send();
    batch.add(row, askedIn(row));
  }
  await foldAll();
}
