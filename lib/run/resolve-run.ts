import { SealaneError } from "../finding.js";
import type { Clock } from "../io/clock.js";
import { LANE_FILES } from "../records/documents.js";
import { LEDGER_FILE, type RunFolder } from "./folder.js";
import { forwardClock } from "./forward-clock.js";
import { type Decision, standings } from "./ledger.js";
import { SqliteCallStore } from "./sqlite.js";

export interface UndecidedCall {
  readonly questionId: string;
  readonly attempt: number;
  readonly started: string;
  readonly error: string | null;
}

function undecidedOf(run: RunFolder, store: SqliteCallStore): UndecidedCall[] {
  const standing = standings(store);
  const waiting: UndecidedCall[] = [];
  for (const { question_id } of run.records("population-record", LANE_FILES.population)) {
    const now = standing(question_id);
    if (now.kind === "undecided") {
      waiting.push({
        questionId: question_id,
        attempt: now.call.attempt,
        started: now.call.started,
        error: now.call.error,
      });
    }
  }
  return waiting;
}

/**
 * Records one decision about interrupted calls: about those named, or about all that wait. Returns what was decided
 * about. Throws E_UNKNOWN when a named question has no call that waits.
 */
export function resolveCalls(
  run: RunFolder,
  questionIds: readonly string[] | undefined,
  decision: Decision,
  reason: string,
  clock: Clock,
): UndecidedCall[] {
  run.require([LEDGER_FILE], `sealane replay ${run.folder}`);
  const store = new SqliteCallStore(run.path(LEDGER_FILE));
  try {
    store.interruptDispatched();
    const waiting = undecidedOf(run, store);
    for (const id of questionIds ?? []) {
      if (!waiting.some((call) => call.questionId === id)) {
        throw new SealaneError("E_UNKNOWN", `no interrupted call of question ${id} waits for a decision`, {
          expected: waiting.map((call) => call.questionId).join(", ") || "none waits",
          found: id,
        });
      }
    }
    const chosen = questionIds ? waiting.filter((call) => questionIds.includes(call.questionId)) : waiting;
    const forward = forwardClock(clock, store);
    for (const { questionId, attempt } of chosen)
      store.decide({ questionId, attempt, decision, reason, time: forward.now() });
    return chosen;
  } finally {
    store.close();
  }
}
