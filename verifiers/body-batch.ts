// Lines of request bodies in memory that two threads see, and what they come to.
import type { RequestQuestion } from "../lib/reader/request.js";
import { scanBody } from "../lib/records/documents.js";
import type { BodyExaminer, ExaminedBody } from "./body.js";

/** A line in a batch's memory. */
export interface BatchLine {
  readonly start: number;
  readonly end: number;
  readonly asked: RequestQuestion | undefined;
}

/** What a line came to, but for the bytes, which stand in the batch's memory, and for the tokens. */
export interface DigestedLine extends Omit<ExaminedBody, "evidence" | "evidenceTokens"> {
  readonly questionId: string;
  readonly bodyBytes: number;
  readonly evidenceBytes: number | undefined;
}

/** A batch as it is sent to the other thread. */
export interface BatchMessage {
  readonly memory: SharedArrayBuffer;
  readonly lines: readonly BatchLine[];
  /** What the lines came to, when they were digested before they were sent; undefined for a line that is not plainly a body's record. */
  readonly digested: readonly (DigestedLine | undefined)[] | undefined;
}

/** The memory holds three parts of one size: lines, their bodies, the bodies' evidence; each of them at its line's place. */
export class BatchMemory {
  readonly shared: SharedArrayBuffer;
  readonly capacity: number;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.capacity = shared.byteLength / 3;
  }

  line({ start, end }: BatchLine): Buffer {
    return this.#part(0, start, end - start);
  }

  body({ start }: BatchLine, { bodyBytes }: DigestedLine): Buffer {
    return this.#part(1, start, bodyBytes);
  }

  evidence({ start }: BatchLine, { evidenceBytes }: DigestedLine): Buffer | undefined {
    return evidenceBytes === undefined ? undefined : this.#part(2, start, evidenceBytes);
  }

  /** Scans a line and writes its body and evidence beside it; undefined when it is not plainly a body's record. */
  digest(line: BatchLine, examiner: BodyExaminer): DigestedLine | undefined {
    const bytes = line.end - line.start;
    const found = scanBody(this.line(line), this.#part(1, line.start, bytes));
    if (!found) return undefined;
    const { evidence, ...digests } = examiner.digest(line.asked, found.body, this.#part(2, line.start, bytes));
    return {
      ...digests,
      questionId: found.question_id,
      bodyBytes: found.body.length,
      evidenceBytes: evidence?.length,
    };
  }

  #part(part: 0 | 1 | 2, start: number, length: number): Buffer {
    return Buffer.from(this.shared, part * this.capacity + start, length);
  }
}
