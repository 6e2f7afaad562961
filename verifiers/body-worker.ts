// The thread that examines request bodies. It says what well-formed ones come to and leaves all others to the thread that judges.
import { parentPort, workerData } from "node:worker_threads";
import { SealaneError } from "../lib/finding.js";
import { scanBody } from "../lib/records/documents.js";
import { type BodyRules, bodyExaminerOf } from "./body.js";
import type { BatchMessage, BatchReply, ScannedLine } from "./body-thread.js";

const port = parentPort!;
const examiner = bodyExaminerOf(workerData as BodyRules);

port.on("message", ({ memory, capacity, lines }: BatchMessage) => {
  try {
    const scanned = lines.map(({ start, end, asked }): ScannedLine | undefined => {
      const line = Buffer.from(memory, start, end - start);
      const found = scanBody(line, Buffer.from(memory, capacity + start, end - start));
      if (!found) return undefined;
      const into = Buffer.from(memory, 2 * capacity + start, end - start);
      const { evidence, ...rest } = examiner.examine(asked, found.body, into);
      return {
        ...rest,
        questionId: found.question_id,
        bodyBytes: found.body.length,
        evidenceBytes: evidence?.length,
      };
    });
    port.postMessage({ scanned } satisfies BatchReply);
  } catch (error) {
    // Such as a tokenizer that is not the pinned one; anything else that is thrown is a bug, and ends the thread.
    if (!(error instanceof SealaneError)) throw error;
    const { code, message, expected, found, next } = error;
    port.postMessage({ failed: { code, message, expected, found, next } } satisfies BatchReply);
  }
});
