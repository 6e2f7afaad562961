// A lane of harbour in which everything happens to calls that can: empty answers, thinking, the output limit, failures, retries.
import { tokenF1 } from "../../lib/judge/endpoint.js";
import type { RunFolder } from "../../lib/run/folder.js";
import { gradeRun } from "../../lib/run/grade-run.js";
import { replayRun } from "../../lib/run/replay-run.js";
import { resolveCalls } from "../../lib/run/resolve-run.js";
import { type LaneFiles, sealedFrom } from "./lane.js";
import { answerTo, chatResponse } from "./ollama-server.js";
import { NEVER, prepareHarbour, readerProtocolOf, reply, ScriptedReader, steppingClock } from "./runs.js";

/** What thinking says where it says anything. */
export const THINKING = "The kitten was called Tack, I am fairly sure of it.";

/** Of each call, the response of a server that gives its time to the nanosecond. */
function scripted(body: string, number: number): ReturnType<typeof reply> {
  const created_at = `2026-01-01T00:00:${String(number % 60).padStart(2, "0")}.${String(100_000_000 + number)}Z`;
  switch (number) {
    case 5:
    case 12:
      throw new Error("socket hang up");
    case 8:
      return reply(chatResponse("", { created_at, thinking: THINKING }));
    case 9:
      return reply(chatResponse("and so on and on", { created_at, done_reason: "length" }));
    case 15:
      return reply({ error: "out of memory" }, 500);
    default:
      return reply(chatResponse(number % 2 === 0 ? answerTo(body) : "2 March 2024", { created_at, thinking: "Hm." }));
  }
}

/** Question 5 is answered when it is called again, 12 and 15 are counted as failures, 8 is empty, 9 cut off. */
async function run(folder: string): Promise<RunFolder> {
  const made = await prepareHarbour(folder);
  const clock = steppingClock();
  const options = { clock, stop: NEVER, abort: NEVER, onProgress: () => {} };
  const reader = new ScriptedReader(scripted);
  const protocol = readerProtocolOf();
  await replayRun(made, protocol, reader, options);
  resolveCalls(made, ["boatyard-05"], "retry-once", "the server was restarted", clock);
  resolveCalls(made, ["boatyard-12", "kitchen-03"], "count-as-failure", "as the protocol says", clock);
  await replayRun(made, protocol, reader, options);
  gradeRun(made, tokenF1);
  return made;
}

let made: Promise<LaneFiles> | undefined;

/** A fresh copy of its files. */
export async function callsLane(): Promise<LaneFiles> {
  made ??= sealedFrom(run);
  return new Map([...(await made)].map(([path, bytes]) => [path, Buffer.from(bytes)]));
}
