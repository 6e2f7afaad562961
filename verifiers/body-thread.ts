// A second thread that examines request bodies while this one reads and judges. What a batch comes to is told in the order in
// which batches were sent, or not at all: a thread that fails or ends rejects every batch it has not answered for.
import { Worker } from "node:worker_threads";
import { type ReasonCode, SealaneError } from "../lib/finding.js";
import type { BodyRules, ExaminedBody } from "./body.js";
import type { BatchMessage, DigestedLine } from "./body-batch.js";

/** What a line came to, but for the bytes. */
export type CountedLine = DigestedLine & Pick<ExaminedBody, "evidenceTokens">;

export type BatchReply =
  /** Undefined for a line that is not plainly a body's record. */
  | { readonly lines: readonly (CountedLine | undefined)[] }
  | {
      readonly failed: {
        readonly code: ReasonCode;
        readonly message: string;
        readonly expected: string | undefined;
        readonly found: string | undefined;
        readonly next: string;
      };
    };

/** What the thread is given when it starts. */
export interface ThreadData {
  readonly rules: BodyRules;
  /** How many batches it has answered for; seen at once, where a message is seen only when this thread comes to rest. */
  readonly answered: Int32Array<SharedArrayBuffer>;
}

interface Waiting {
  readonly lines: number;
  readonly resolve: (lines: readonly (CountedLine | undefined)[]) => void;
  readonly reject: (cause: unknown) => void;
}

export class BodyThread {
  readonly #worker: Worker;
  readonly #answered: Int32Array<SharedArrayBuffer>;
  readonly #waiting: Waiting[] = [];
  #sent = 0;
  #failure: unknown;

  /** @param worker runs body-worker.ts, and was given `answered` */
  constructor(worker: Worker, answered = new Int32Array(new SharedArrayBuffer(4))) {
    this.#worker = worker;
    this.#answered = answered;
    this.#worker.on("message", (reply: BatchReply) => this.#told(reply));
    this.#worker.on("error", (cause) => this.#failed(cause));
    this.#worker.on("messageerror", (cause) => this.#failed(cause));
    this.#worker.on("exit", (code) => this.#failed(new Error(`the thread that examines bodies ended with ${code}`)));
  }

  static start(rules: BodyRules): BodyThread {
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadData = { rules, answered };
    // Flags of this process, such as those of a profiler, are not for the thread.
    const options = { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 } };
    return new BodyThread(new Worker(new URL("./body-worker.js", import.meta.url), options), answered);
  }

  /** Batches that the thread has not come to the end of. */
  get pending(): number {
    return this.#sent - Atomics.load(this.#answered, 0);
  }

  /** What each line of a batch comes to. Rejects with what the thread threw, or when it ended without an answer. */
  async examine(batch: BatchMessage): Promise<readonly (CountedLine | undefined)[]> {
    if (this.#failure !== undefined) throw this.#failure;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines: batch.lines.length, resolve, reject });
      this.#worker.postMessage(batch);
      this.#sent += 1;
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #told(reply: BatchReply): void {
    if ("failed" in reply) {
      const { code, message, expected, found, next } = reply.failed;
      const more = { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }), next };
      this.#failed(new SealaneError(code, message, more));
      return;
    }
    const asked = this.#waiting.shift();
    if (asked?.lines === reply.lines.length) asked.resolve(reply.lines);
    else asked?.reject(new Error("the thread that examines bodies answered for another batch"));
  }

  #failed(cause: unknown): void {
    this.#failure ??= cause;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
