// A second thread that examines request bodies while this one reads and judges. Lines go there in batches, in memory that both
// threads see, and what they come to is told in the order in which they were sent.
import { Worker } from "node:worker_threads";
import { type ReasonCode, SealaneError } from "../lib/finding.js";
import type { RequestQuestion } from "../lib/reader/request.js";
import type { LaneRow } from "../lib/records/rows.js";
import type { BodyRules, ExaminedBody } from "./body.js";

/** A body's line in the batch's memory. */
export interface BatchLine {
  readonly start: number;
  readonly end: number;
  readonly asked: RequestQuestion | undefined;
}

/** The memory holds three parts of `capacity` bytes: lines, their bodies, the bodies' evidence; each at its line's place. */
export interface BatchMessage {
  readonly memory: SharedArrayBuffer;
  readonly capacity: number;
  readonly lines: readonly BatchLine[];
}

/** What a line came to, but for the bytes, which stand in the batch's memory. */
export interface ScannedLine extends Omit<ExaminedBody, "evidence"> {
  readonly questionId: string;
  readonly bodyBytes: number;
  readonly evidenceBytes: number | undefined;
}

export type BatchReply =
  /** Undefined for a line that is not plainly a body's record. */
  | { readonly scanned: readonly (ScannedLine | undefined)[] }
  | {
      readonly failed: {
        readonly code: ReasonCode;
        readonly message: string;
        readonly expected: string | undefined;
        readonly found: string | undefined;
        readonly next: string;
      };
    };

/** Rows in order, with the lines of their bodies in memory that the other thread sees. */
export class Batch {
  readonly rows: { readonly row: LaneRow<Uint8Array>; readonly line: number | undefined }[] = [];
  readonly lines: BatchLine[] = [];
  readonly #memory: SharedArrayBuffer;
  readonly #capacity: number;
  #used = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#capacity = memory.byteLength / 3;
  }

  get memory(): SharedArrayBuffer {
    return this.#memory;
  }

  get message(): BatchMessage {
    return { memory: this.#memory, capacity: this.#capacity, lines: this.lines };
  }

  fits(bytes: number): boolean {
    return this.#used + bytes <= this.#capacity;
  }

  add(row: LaneRow<Uint8Array>, asked: RequestQuestion | undefined): void {
    if (!row.body) {
      this.rows.push({ row, line: undefined });
      return;
    }
    const start = this.#used;
    this.#used += row.body.value.length;
    this.#part(0, start, row.body.value.length).set(row.body.value);
    this.rows.push({ row, line: this.lines.length });
    this.lines.push({ start, end: this.#used, asked });
  }

  /** The line's own bytes. */
  lineBytes({ start, end }: BatchLine): Buffer {
    return this.#part(0, start, end - start);
  }

  bodyBytes({ start }: BatchLine, { bodyBytes }: ScannedLine): Buffer {
    return this.#part(1, start, bodyBytes);
  }

  evidenceBytes({ start }: BatchLine, { evidenceBytes }: ScannedLine): Buffer | undefined {
    return evidenceBytes === undefined ? undefined : this.#part(2, start, evidenceBytes);
  }

  #part(part: 0 | 1 | 2, start: number, length: number): Buffer {
    return Buffer.from(this.#memory, part * this.#capacity + start, length);
  }
}

interface Waiting {
  readonly lines: number;
  readonly resolve: (scanned: readonly (ScannedLine | undefined)[]) => void;
  readonly reject: (cause: unknown) => void;
}

export class BodyThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #ended: unknown;

  constructor(rules: BodyRules) {
    // Flags of this process, such as those of a profiler, are not for the thread.
    this.#worker = new Worker(new URL("./body-worker.js", import.meta.url), { workerData: rules, execArgv: [] });
    this.#worker.on("message", (reply: BatchReply) => this.#answered(reply));
    this.#worker.on("error", (cause) => this.#failed(cause));
    this.#worker.on("messageerror", (cause) => this.#failed(cause));
    this.#worker.on("exit", (code) => this.#failed(new Error(`the thread that examines bodies ended with ${code}`)));
  }

  /** What each line of a batch comes to. Rejects with what the thread threw, or when it ended without an answer. */
  async scan(batch: Batch): Promise<readonly (ScannedLine | undefined)[]> {
    if (this.#ended !== undefined) throw this.#ended;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines: batch.lines.length, resolve, reject });
      this.#worker.postMessage(batch.message);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #answered(reply: BatchReply): void {
    if ("failed" in reply) {
      const { code, message, expected, found, next } = reply.failed;
      const more = { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }), next };
      this.#failed(new SealaneError(code, message, more));
      return;
    }
    const asked = this.#waiting.shift();
    if (asked?.lines !== reply.scanned.length) {
      asked?.reject(new Error("the thread that examines bodies answered for another batch"));
      return;
    }
    asked.resolve(reply.scanned);
  }

  #failed(cause: unknown): void {
    this.#ended ??= cause;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}
