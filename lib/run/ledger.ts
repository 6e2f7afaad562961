// The rules of a call. A call is recorded as dispatched before a byte is sent, and as completed with its raw response
// after; the first valid response is final. What broke off waits for a recorded decision; nothing is re-rolled in silence.
import type { AmendmentRecord } from "../../schemas/index.js";

/**
 * dispatched: sent, and nothing known of it since; completed: a valid response is held; interrupted: it may have been
 * answered, but no valid response is held; not-sent: it never left, which repeats nothing when tried again.
 */
export type CallState = "dispatched" | "completed" | "interrupted" | "not-sent";

export interface Call {
  readonly questionId: string;
  /** Counted from one, for each question. */
  readonly attempt: number;
  readonly requestSha256: string;
  readonly state: CallState;
  readonly started: string;
  readonly ended: string | null;
  readonly httpStatus: number | null;
  readonly response: Uint8Array | null;
  readonly error: string | null;
}

export const DECISIONS = ["retry-once", "count-as-failure"] as const;
export type Decision = (typeof DECISIONS)[number];

export interface DecisionRow {
  readonly questionId: string;
  /** The attempt decided about. */
  readonly attempt: number;
  readonly decision: Decision;
  readonly time: string;
  readonly reason: string;
}

/** Where calls and decisions are kept. Each method is durable when it returns. */
export interface CallStore {
  /** Ties the store to one reader protocol; throws E_RUN_MIX when it is tied to another. */
  bind(protocolSha256: string): void;
  dispatch(call: Pick<Call, "questionId" | "attempt" | "requestSha256" | "started">): void;
  finish(call: Pick<Call, "questionId" | "attempt" | "state" | "ended" | "httpStatus" | "response" | "error">): void;
  decide(row: DecisionRow): void;
  /** Calls whose process ended before they did become interrupted; returns how many. */
  interruptDispatched(): number;
  /** All calls, in order of question id and attempt, without their responses. */
  calls(): Omit<Call, "response">[];
  response(questionId: string, attempt: number): Uint8Array | null;
  decisions(): DecisionRow[];
  close(): void;
}

/** What is to be done about one question. */
export type Standing =
  | { readonly kind: "pending"; readonly attempt: number }
  | { readonly kind: "undecided"; readonly call: Omit<Call, "response"> }
  | {
      readonly kind: "final";
      readonly call: Omit<Call, "response">;
      readonly failure: boolean;
      /** Which of the calls that left it is, counted from one: the attempt that its receipt names. */
      readonly sent: number;
    };

/**
 * Folds the rows of one question. The rule never looks at what a response says: a completed call is final, an
 * interrupted one waits until a decision about that very attempt is recorded.
 */
export function standingOf(calls: readonly Omit<Call, "response">[], decisions: readonly DecisionRow[]): Standing {
  // A call that never left repeats nothing, so it is none of the attempts that decisions account for.
  const sent = calls.filter((call) => call.state !== "not-sent");
  const completed = sent.findIndex((call) => call.state === "completed");
  if (completed >= 0) return { kind: "final", call: sent[completed]!, failure: false, sent: completed + 1 };
  const last = sent.at(-1);
  if (!last) return { kind: "pending", attempt: calls.length + 1 };
  const decision = decisions.find((row) => row.attempt === last.attempt)?.decision;
  if (decision === "retry-once") return { kind: "pending", attempt: calls.length + 1 };
  if (decision === undefined) return { kind: "undecided", call: last };
  return { kind: "final", call: last, failure: true, sent: sent.length };
}

function byQuestion<T extends { readonly questionId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.questionId);
    if (group) group.push(row);
    else groups.set(row.questionId, [row]);
  }
  return groups;
}

/** Every question's standing, by id; a question without rows is pending. */
export function standings(store: CallStore): (questionId: string) => Standing {
  const calls = byQuestion(store.calls());
  const decisions = byQuestion(store.decisions());
  return (questionId) => standingOf(calls.get(questionId) ?? [], decisions.get(questionId) ?? []);
}

/** Decisions as a lane's amendments, each chained to the one before by `digestOf`. */
export function amendmentsOf(
  decisions: readonly DecisionRow[],
  digestOf: (record: AmendmentRecord) => string,
): AmendmentRecord[] {
  let previous: string | null = null;
  return decisions.map((row, index) => {
    const record: AmendmentRecord = {
      number: index + 1,
      previous_sha256: previous,
      time: row.time,
      reason: row.reason,
      decision: row.decision,
      question_id: row.questionId,
    };
    previous = digestOf(record);
    return record;
  });
}
