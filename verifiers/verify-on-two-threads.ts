// verifyLane on two processors: the same rows are shown to the same checks in the same order, so the report is the same. One
// thread reads and judges; the other examines the request bodies, which are nearly all of a lane. When it falls behind, the first
// does part of that work too.
import { SealaneError } from "../lib/finding.js";
import { type Body, bodyParser, isBodyId, LANE_FILES, type Located } from "../lib/records/documents.js";
import { isEmptyRow, type LaneRow } from "../lib/records/rows.js";
import type { Report } from "../schemas/index.js";
import { askedIn, type BodyExaminer, bodyExaminerOf, bodyRulesOf, type ExaminedBody } from "./body.js";
import { type BatchLine, BatchMemory, type DigestedLine } from "./body-batch.js";
import { BodyThread, type CountedLine } from "./body-thread.js";
import type { Check } from "./check.js";
import { CHECKS } from "./checks/index.js";
import type { LaneEvidence, Policy } from "./evidence.js";
import { type OnRow, Verification, verifyLane } from "./verify.js";

export interface ThreadOptions {
  /** Bytes of request bodies below which a second thread takes longer to start than it saves. */
  readonly fromBytes: number;
  /** Bytes of lines in one batch; a longer line is examined in this thread. */
  readonly batchBytes: number;
  readonly startThread: (rules: ReturnType<typeof bodyRulesOf>) => BodyThread;
}

const THREAD_OPTIONS: ThreadOptions = {
  fromBytes: 8 * 2 ** 20,
  batchBytes: 2 ** 19,
  startThread: BodyThread.start,
};

/** Rows of one batch, however short their bodies. */
const BATCH_ROWS = 1000;
/** Batches in memory. */
const BATCHES = 3;
/** Batches that keep the other thread busy while this one does part of the next. */
const PENDING_MAX = 2;

/** Rows in order, with the lines of their bodies. */
class Batch {
  readonly memory: BatchMemory;
  readonly rows: { readonly row: LaneRow<Uint8Array>; readonly line: number | undefined }[] = [];
  readonly lines: BatchLine[] = [];
  #used = 0;

  constructor(memory: BatchMemory) {
    this.memory = memory;
  }

  fits(bytes: number): boolean {
    return this.#used + bytes <= this.memory.capacity && this.rows.length < BATCH_ROWS;
  }

  add(row: LaneRow<Uint8Array>): void {
    if (!row.body) {
      this.rows.push({ row, line: undefined });
      return;
    }
    const line = { start: this.#used, end: this.#used + row.body.value.length, asked: askedIn(row) };
    this.memory.line(line).set(row.body.value);
    this.#used = line.end;
    this.rows.push({ row, line: this.lines.length });
    this.lines.push(line);
  }
}

/** Shows rows to the checks in order. */
class Fold {
  readonly examiner: BodyExaminer;
  readonly #verification: Verification;
  /** Why the bodies were not read on, as LaneRows would have it. */
  error: SealaneError | undefined;

  constructor(verification: Verification, examiner: BodyExaminer) {
    this.#verification = verification;
    this.examiner = examiner;
  }

  batch({ rows, lines, memory }: Batch, counted: readonly (CountedLine | undefined)[]): void {
    for (const { row, line } of rows) {
      const place = line === undefined ? undefined : lines[line];
      const found = line === undefined ? undefined : counted[line];
      if (!row.body || !place || this.error) this.row(row);
      else if (found && isBodyId(found.questionId)) this.#counted(row, row.body.line, place, found, memory);
      else this.row({ ...row, body: { ...row.body, value: memory.line(place) } });
    }
  }

  /** A row whose body is parsed and examined here. */
  row(row: LaneRow<Uint8Array>): void {
    const body = this.#parsed(row.body);
    this.#show({ ...row, body }, this.examiner.examine(askedIn(row), body?.value.body));
  }

  #counted(row: LaneRow<unknown>, line: number, place: BatchLine, found: CountedLine, memory: BatchMemory): void {
    const { questionId, bodySha256, evidenceSha256, evidenceTokens } = found;
    const value = { question_id: questionId, body: memory.body(place, found) };
    const evidence = memory.evidence(place, found);
    this.#show(
      { ...row, body: { value, line, bytes: memory.line(place) } },
      { bodySha256, evidence, evidenceSha256, evidenceTokens },
    );
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
    // Lines after a body that cannot be read were read ahead, and are no rows.
    if (!isEmptyRow(row)) this.#verification.row(row, body);
  }
}

/** Batches on their way through the other thread. */
class Pipeline {
  readonly #thread: BodyThread;
  readonly #fold: Fold;
  readonly #free: BatchMemory[];
  readonly #sent: { readonly batch: Batch; readonly counted: ReturnType<BodyThread["examine"]> }[] = [];
  readonly #batchBytes: number;
  #batch: Batch;

  constructor(thread: BodyThread, fold: Fold, batchBytes: number) {
    this.#thread = thread;
    this.#fold = fold;
    this.#batchBytes = batchBytes;
    this.#free = Array.from({ length: BATCHES }, () => new BatchMemory(new SharedArrayBuffer(3 * batchBytes)));
    this.#batch = new Batch(this.#free.pop()!);
  }

  async add(row: LaneRow<Uint8Array>): Promise<void> {
    const bytes = row.body?.value.length ?? 0;
    if (bytes > this.#batchBytes) {
      await this.finish();
      this.#fold.row(row);
      return;
    }
    if (!this.#batch.fits(bytes)) await this.#send();
    this.#batch.add(row);
  }

  /** Folds everything that was added. */
  async finish(): Promise<void> {
    await this.#send();
    while (this.#sent.length > 0) await this.#foldNext();
  }

  async #send(): Promise<void> {
    const { memory, lines } = this.#batch;
    let digested: (DigestedLine | undefined)[] | undefined;
    if (this.#thread.pending >= PENDING_MAX) digested = lines.map((line) => memory.digest(line, this.#fold.examiner));
    const counted = this.#thread.examine({ memory: memory.shared, lines, digested });
    // The first to fail is waited for; the others fail for the same reason.
    counted.catch(() => {});
    this.#sent.push({ batch: this.#batch, counted });
    if (this.#free.length === 0) await this.#foldNext();
    this.#batch = new Batch(this.#free.pop()!);
  }

  async #foldNext(): Promise<void> {
    const next = this.#sent.shift();
    if (!next) return;
    this.#fold.batch(next.batch, await next.counted);
    this.#free.push(next.batch.memory);
  }
}

/**
 * Runs the checks over one lane as verifyLane does, to the same report. Rejects with what verifyLane would throw, and with
 * whatever ended the other thread before its time.
 */
export async function verifyOnTwoThreads(
  evidence: LaneEvidence,
  policy: Policy,
  checks: readonly Check[] = CHECKS,
  onRow: OnRow = () => {},
  options: Partial<ThreadOptions> = {},
): Promise<Report> {
  const { fromBytes, batchBytes, startThread } = { ...THREAD_OPTIONS, ...options };
  const bodies = evidence.entries.find((entry) => entry.path === LANE_FILES.bodies);
  // A tokenizer that the user gave cannot be sent to another thread.
  if (!bodies?.regular || bodies.size < fromBytes || evidence.tokenizer) {
    return verifyLane(evidence, policy, checks, onRow);
  }
  const rules = bodyRulesOf(evidence, checks);
  const thread = startThread(rules);
  try {
    const verification = new Verification(evidence, policy, checks, onRow);
    const fold = new Fold(verification, bodyExaminerOf(rules));
    const pipeline = new Pipeline(thread, fold, batchBytes);
    for (const row of evidence.rows.withUnparsedBodies()) await pipeline.add(row);
    await pipeline.finish();
    const seen = evidence.rows.seen.map((file) =>
      file.path === LANE_FILES.bodies ? { ...file, error: fold.error ?? file.error } : file,
    );
    return verification.report(seen);
  } finally {
    await thread.end();
  }
}
