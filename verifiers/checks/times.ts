import { isInstant } from "../../lib/bytes/time.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { ReceiptRecord } from "../../schemas/index.js";
import type { Check } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";

/**
 * The times that a lane gives are moments, and causes come before effects: a call's start before its end, what a decision is
 * about before the decision, a retry after the decision to retry, all of it before the sealing. No clock is asked: what a lane
 * says of its own date is held against the lane alone.
 */
export const times: Check = {
  id: "times",
  how: "the times of calls, decisions and sealing against each other; no clock is asked",
  title: "Times are moments, and in an order that can be",
  emits: ["E_TIME"],
  needs: () => [LANE_FILES.receipts, LANE_FILES.amendments],
  start({ manifest, amendments }) {
    const notes = new Notes();
    const decisions = decisionTimes(amendments, notes);
    const sealed = manifest.ok ? manifest.value.sealed : undefined;
    const calls = new CallOrder();
    return {
      row({ receipt }) {
        if (!receipt) return;
        notes.examined();
        const { value, line } = receipt;
        const at = `${LANE_FILES.receipts}:${line}`;
        const { question_id: questionId, started, ended = started } = value;
        const before = (earlier: string | undefined, later: string | undefined, message: string): void =>
          notes.expect(earlier === undefined || later === undefined || earlier <= later, () => ({
            code: "E_TIME",
            at,
            questionId,
            expected: `not before ${earlier}`,
            found: String(later),
            message,
          }));
        if (![started, ended].every(isInstant)) {
          const found = `${started}, ${ended}`;
          notes.add({ code: "E_TIME", at, questionId, found, message: "the call's time is no moment in UTC" });
          return;
        }
        before(started, ended, "the call ended before it started");
        before(ended, sealed, "the lane was sealed before the call ended");
        const { retry, failure } = decisions.get(questionId) ?? {};
        before(retry, started, "the call was made before the decision to make it again");
        before(ended, failure, "the call was counted as a failure before it ended");
        calls.add(value);
      },
      finish() {
        if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
        notes.examined();
        notes.expect(isInstant(manifest.value.sealed), () => ({
          code: "E_TIME",
          at: `${LANE_FILES.manifest}#/sealed`,
          found: manifest.value.sealed,
          message: "the time of sealing is no moment in UTC",
        }));
        for (const { value, line } of amendments) {
          notes.expect(value.time <= manifest.value.sealed, () => ({
            code: "E_TIME",
            at: `${LANE_FILES.amendments}:${line}`,
            expected: `not after ${manifest.value.sealed}`,
            found: value.time,
            message: "the lane was sealed before this was decided",
          }));
        }
        if (calls.overlapping > 0) {
          notes.limit(
            `${calls.overlapping} calls began before the one before them in the population had ended: made side by side, after an interruption, under a clock that was set back, or in another run.`,
          );
        }
        return notes.outcome({ code: "E_TIME", at: LANE_FILES.receipts });
      },
    };
  },
};

/** The last decision to call again, and the decision to count as a failure, of each question they are about. */
function decisionTimes(
  amendments: LaneEvidence["amendments"],
  notes: Notes,
): ReadonlyMap<string, { retry?: string; failure?: string }> {
  const decisions = new Map<string, { retry?: string; failure?: string }>();
  let previous: string | undefined;
  for (const { value, line } of amendments) {
    const { time, question_id: questionId, decision } = value;
    const at = `${LANE_FILES.amendments}:${line}`;
    notes.examined();
    if (!isInstant(time)) {
      notes.add({ code: "E_TIME", at, found: time, message: "the decision's time is no moment in UTC" });
      continue;
    }
    notes.expect(previous === undefined || previous <= time, () => ({
      code: "E_TIME",
      at,
      expected: `not before ${previous}`,
      found: time,
      message: "this was decided before the decision it follows",
    }));
    previous = time;
    if (questionId === undefined) continue;
    const known = decisions.get(questionId) ?? {};
    decisions.set(questionId, decision === "retry-once" ? { ...known, retry: time } : { ...known, failure: time });
  }
  return decisions;
}

/** Counts calls that began before an earlier question's call had ended. */
class CallOrder {
  overlapping = 0;
  #latestEnd = "";

  add({ started, ended = started }: Pick<ReceiptRecord, "started" | "ended">): void {
    if (started < this.#latestEnd) this.overlapping += 1;
    if (ended > this.#latestEnd) this.#latestEnd = ended;
  }
}
