// Who is called when. Knows no reader by name and no question's text: ids and request bytes in, rows in the ledger out.
import { sha256Hex } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import type { Clock } from "../io/clock.js";
import { turns } from "../io/pause.js";
import { readReply } from "../reader/reply.js";
import { NotSentError, type RawReply, type Reader } from "../reader/types.js";
import { type CallStore, type Standing, standings } from "./ledger.js";

export interface Outgoing {
  readonly questionId: string;
  readonly body: string;
}

export interface ScheduleOptions {
  readonly clock: Clock;
  /** Aborted: no new call is dispatched, and the call in flight is waited for. */
  readonly stop: AbortSignal;
  /** Aborted: the call in flight is broken off, and is then interrupted. */
  readonly abort: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** After so many calls in a row without a valid response, the fault is not the question's: the run stops. */
const FAULTS_IN_A_ROW_MAX = 3;

export interface ScheduleOutcome {
  readonly completed: number;
  readonly undecided: number;
  readonly stopped: boolean;
}

/**
 * Sends what has no final answer yet, one call at a time, in order. Calls that were in flight when an earlier process
 * ended are marked interrupted first. Throws E_READER when the server cannot be reached or keeps breaking the contract;
 * everything done so far is kept.
 */
export async function runSchedule(
  total: number,
  outgoing: Iterable<Outgoing>,
  store: CallStore,
  reader: Reader,
  options: ScheduleOptions,
): Promise<ScheduleOutcome> {
  store.interruptDispatched();
  // A reader in this process never waits for anything: without turns, no signal would be heard until it is through.
  const turn = turns(new AbortController().signal);
  const standingNow = standings(store);
  let completed = 0;
  let undecided = 0;
  let done = 0;
  let faultsInARow = 0;
  for (const { questionId, body } of outgoing) {
    await turn();
    const standing: Standing = standingNow(questionId);
    if (standing.kind === "pending") {
      if (options.stop.aborted) return { completed, undecided, stopped: true };
      const fault = await oneCall({ questionId, body }, standing.attempt, store, reader, options);
      if (fault === undefined) {
        completed += 1;
        faultsInARow = 0;
      } else {
        undecided += 1;
        faultsInARow += 1;
        if (options.abort.aborted) return { completed, undecided, stopped: true };
        if (faultsInARow >= FAULTS_IN_A_ROW_MAX) {
          throw new SealaneError("E_READER", `${faultsInARow} calls in a row brought no valid response: ${fault}`, {
            at: questionId,
            next: "Mend the server, decide about these calls with `sealane resolve`, then run the same command again.",
          });
        }
      }
    } else if (standing.kind === "undecided") {
      undecided += 1;
    }
    done += 1;
    options.onProgress(done, total);
  }
  return { completed, undecided, stopped: false };
}

/** Makes one call; returns why it brought no valid response, or undefined when it did. */
async function oneCall(
  { questionId, body }: Outgoing,
  attempt: number,
  store: CallStore,
  reader: Reader,
  { clock, abort }: ScheduleOptions,
): Promise<string | undefined> {
  const started = clock.now();
  store.dispatch({ questionId, attempt, requestSha256: sha256Hex(body), started });
  // A clock that was set back during the call must not make it end before it started.
  const ended = (): string => [started, clock.now()].sort().at(-1) ?? started;
  let raw: RawReply;
  try {
    raw = await reader.send(body, abort);
  } catch (cause) {
    const error = (cause as Error).message;
    const neverLeft = cause instanceof NotSentError;
    const state = neverLeft ? "not-sent" : "interrupted";
    store.finish({ questionId, attempt, state, ended: ended(), httpStatus: null, response: null, error });
    if (neverLeft)
      throw new SealaneError("E_READER", `the reader could not be reached: ${error}`, { at: questionId, cause });
    return error;
  }
  const { httpStatus, body: response } = raw;
  const reply = readReply(httpStatus, response);
  const breach = "breach" in reply ? reply.breach : null;
  const state = breach === null ? "completed" : "interrupted";
  store.finish({ questionId, attempt, state, ended: ended(), httpStatus, response, error: breach });
  return breach ?? undefined;
}
