// The thread that examines request bodies. It says what well-formed ones come to and leaves all others to the thread that judges.
import { parentPort, workerData } from "node:worker_threads";
import { SealaneError } from "../lib/finding.js";
import { bodyExaminerOf } from "./body.js";
import { BatchMemory, type BatchMessage } from "./body-batch.js";
import type { BatchReply, CountedLine, ThreadData } from "./body-thread.js";

const port = parentPort!;
const { rules, answered } = workerData as ThreadData;
const examiner = bodyExaminerOf(rules);

function counted({ memory: shared, lines, digested }: BatchMessage): BatchReply {
  const memory = new BatchMemory(shared);
  return {
    lines: lines.map((line, index): CountedLine | undefined => {
      const found = digested ? digested[index] : memory.digest(line, examiner);
      return found && { ...found, evidenceTokens: examiner.count(memory.evidence(line, found)) };
    }),
  };
}

port.on("message", (message: BatchMessage) => {
  let reply: BatchReply;
  try {
    reply = counted(message);
  } catch (error) {
    // Such as a tokenizer that is not the pinned one; anything else that is thrown is a bug, and ends the thread.
    if (!(error instanceof SealaneError)) throw error;
    const { code, message: text, expected, found, next } = error;
    reply = { failed: { code, message: text, expected, found, next } };
  }
  port.postMessage(reply);
  Atomics.add(answered, 0, 1);
});
