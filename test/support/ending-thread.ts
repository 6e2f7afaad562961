// A thread that takes the place of the one that examines bodies and ends, in the way it is told, at its second batch.
import { parentPort, workerData } from "node:worker_threads";

export type Ending = "throws" | "exits with 0" | "answers too little" | "says what is wrong";

const { ending } = workerData as { ending: Ending };
let batches = 0;

parentPort!.on("message", ({ lines }: { lines: unknown[] }) => {
  batches += 1;
  if (batches === 2) {
    if (ending === "throws") throw new Error("the thread is broken");
    if (ending === "exits with 0") process.exit(0);
    if (ending === "says what is wrong") {
      parentPort!.postMessage({ failed: { code: "E_VERSION", message: "another table", expected: "a", next: "b" } });
      return;
    }
  }
  // Undefined lines are for the other thread to judge; it would find them good.
  const short = ending === "answers too little" && batches === 2 ? 1 : 0;
  parentPort!.postMessage({ lines: Array.from({ length: lines.length - short }) });
});
