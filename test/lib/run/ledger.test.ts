import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import {
  amendmentsOf,
  type Call,
  type CallState,
  type CallStore,
  DECISIONS,
  type Decision,
  type DecisionRow,
  type Standing,
  standingOf,
  standings,
} from "../../../lib/run/ledger.js";

type Row = Omit<Call, "response">;

const TIME = "2026-01-01T00:00:00.000Z";

function call(attempt: number, state: CallState, questionId = "q"): Row {
  const ended = state === "dispatched" ? null : TIME;
  return { questionId, attempt, requestSha256: "0", state, started: TIME, ended, httpStatus: null, error: null };
}

function decided(attempt: number, decision: Decision, questionId = "q"): DecisionRow {
  return { questionId, attempt, decision, time: TIME, reason: "because" };
}

const brief = (standing: Standing): string => {
  if (standing.kind === "pending") return `pending ${standing.attempt}`;
  const about = `${standing.kind} ${standing.call.attempt}`;
  return standing.kind === "final" && standing.failure ? `${about} failure` : about;
};

interface Reached {
  readonly calls: Row[];
  readonly decisions: DecisionRow[];
  /** What the events so far come to, told by the events, not by the rows. */
  readonly now: string;
}

/**
 * Every history of one question with at most so many calls, told forwards: a question is asked when it is its turn; a
 * call that never left gives it its turn again; one that broke off waits; a decision gives it its turn or ends it.
 */
function* reachable(
  callsMax: number,
  from: Reached = { calls: [], decisions: [], now: "pending 1" },
): Generator<Reached> {
  yield from;
  const { calls, decisions, now } = from;
  const last = calls.length;
  if (now.startsWith("pending") && last < callsMax) {
    const attempt = last + 1;
    const ends: [CallState, string][] = [
      ["completed", `final ${attempt}`],
      ["interrupted", `undecided ${attempt}`],
      ["not-sent", `pending ${attempt + 1}`],
      ["dispatched", `undecided ${attempt}`],
    ];
    for (const [state, then] of ends) {
      yield* reachable(callsMax, { calls: [...calls, call(attempt, state)], decisions, now: then });
    }
  }
  // A call in flight when its process ended is marked before anything is decided.
  if (now.startsWith("undecided") && calls[last - 1]?.state === "interrupted") {
    for (const [decision, then] of [
      ["retry-once", `pending ${last + 1}`],
      ["count-as-failure", `final ${last} failure`],
    ] as const) {
      yield* reachable(callsMax, { calls, decisions: [...decisions, decided(last, decision)], now: then });
    }
  }
}

t.test("every history of up to four calls stands as its events say", async (t) => {
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  let histories = 0;
  for (const { calls, decisions, now } of reachable(4)) {
    histories += 1;
    const found = brief(standingOf(calls, decisions));
    seen.set(found, (seen.get(found) ?? 0) + 1);
    if (found !== now) {
      const told = calls.map(
        ({ state, attempt }) => state + (decisions.find((row) => row.attempt === attempt)?.decision ?? ""),
      );
      wrong.push(`${told.join(", ")}: ${found}, not ${now}`);
    }
  }
  t.strictSame(wrong, []);
  t.equal(histories, 91, "none was left out: h(0) = 1, h(n) = 5 + 2 h(n - 1)");
  t.equal(seen.get("pending 5"), 16, "four calls that never left or may be made again, each way");
});

t.test("the table, in words", async (t) => {
  const cases: [string, Row[], DecisionRow[], string][] = [
    ["nothing yet", [], [], "pending 1"],
    ["answered", [call(1, "completed")], [], "final 1"],
    ["in flight", [call(1, "dispatched")], [], "undecided 1"],
    ["broken off", [call(1, "interrupted")], [], "undecided 1"],
    ["never left", [call(1, "not-sent")], [], "pending 2"],
    ["never left, twice", [call(1, "not-sent"), call(2, "not-sent")], [], "pending 3"],
    ["to be retried", [call(1, "interrupted")], [decided(1, "retry-once")], "pending 2"],
    ["a failure", [call(1, "interrupted")], [decided(1, "count-as-failure")], "final 1 failure"],
    ["retried, in vain", [call(1, "interrupted"), call(2, "interrupted")], [decided(1, "retry-once")], "undecided 2"],
    ["retried, answered", [call(1, "interrupted"), call(2, "completed")], [decided(1, "retry-once")], "final 2"],
    ["retried, never left", [call(1, "interrupted"), call(2, "not-sent")], [decided(1, "retry-once")], "pending 3"],
    ["never left, then broken off", [call(1, "not-sent"), call(2, "interrupted")], [], "undecided 2"],
    [
      "the decision is about another attempt",
      [call(1, "interrupted"), call(2, "interrupted")],
      [decided(1, "count-as-failure")],
      "undecided 2",
    ],
    [
      "retried twice, then a failure",
      [call(1, "interrupted"), call(2, "interrupted")],
      [decided(1, "retry-once"), decided(2, "count-as-failure")],
      "final 2 failure",
    ],
    [
      "an answer is final, whatever was decided",
      [call(1, "completed")],
      [decided(1, "retry-once"), decided(1, "count-as-failure")],
      "final 1",
    ],
  ];
  for (const [title, calls, decisions, wanted] of cases) t.equal(brief(standingOf(calls, decisions)), wanted, title);
});

t.test("whatever rows there are, an answer once had is never asked for again", async (t) => {
  const states: CallState[] = ["dispatched", "completed", "interrupted", "not-sent"];
  const decisions: (Decision | undefined)[] = [undefined, ...DECISIONS];
  let rows: { calls: Row[]; decisions: DecisionRow[] }[] = [{ calls: [], decisions: [] }];
  const wrong: string[] = [];
  let looked = 0;
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    rows = rows.flatMap((before) =>
      states.flatMap((state) =>
        decisions.map((decision) => ({
          calls: [...before.calls, call(attempt, state)],
          decisions: decision ? [...before.decisions, decided(attempt, decision)] : before.decisions,
        })),
      ),
    );
    for (const row of rows) {
      looked += 1;
      const standing = standingOf(row.calls, row.decisions);
      const answered = row.calls.find(({ state }) => state === "completed");
      const told = brief(standing);
      const states = row.calls.map(({ state }) => state).join(", ");
      if (answered && told !== `final ${answered.attempt}`) wrong.push(`${states}: ${told}`);
      if (!answered && standing.kind === "final" && !standing.failure) wrong.push(`${states}: ${told}`);
      if (standing.kind === "pending" && standing.attempt !== row.calls.length + 1) wrong.push(`${states}: ${told}`);
      if (standing.kind !== "pending" && standing.call.state === "not-sent") wrong.push(`${states}: ${told}`);
      const backwards = standingOf(row.calls, row.decisions.toReversed());
      if (brief(backwards) !== told) wrong.push(`${states}: the order of decisions matters`);
    }
  }
  t.strictSame(wrong, []);
  t.equal(looked, 12 + 12 ** 2 + 12 ** 3 + 12 ** 4);
});

t.test("each question stands by its own rows", async (t) => {
  const rows = [
    call(1, "completed", "a"),
    call(1, "interrupted", "b"),
    call(1, "interrupted", "c"),
    call(2, "not-sent", "c"),
  ];
  const store = {
    calls: () => rows,
    decisions: () => [decided(1, "retry-once", "c"), decided(1, "count-as-failure", "a")],
  } as unknown as CallStore;
  const standing = standings(store);
  t.strictSame(
    ["a", "b", "c", "d"].map((id) => brief(standing(id))),
    ["final 1", "undecided 1", "pending 3", "pending 1"],
  );
});

t.test("decisions become amendments, each naming the one before", async (t) => {
  const digestOf = (record: object): string => sha256Hex(canonicalJson(record));
  const decisions = [decided(1, "retry-once", "b"), decided(2, "count-as-failure", "b"), decided(1, "retry-once", "a")];
  const amendments = amendmentsOf(decisions, digestOf);
  t.strictSame(
    amendments.map(({ number, decision, question_id, reason, time }) => [number, question_id, decision, reason, time]),
    [
      [1, "b", "retry-once", "because", TIME],
      [2, "b", "count-as-failure", "because", TIME],
      [3, "a", "retry-once", "because", TIME],
    ],
    "in the order in which they were made",
  );
  t.strictSame(
    amendments.map((record) => record.previous_sha256),
    [null, digestOf(amendments[0]!), digestOf(amendments[1]!)],
  );
  t.strictSame(amendmentsOf(decisions.slice(0, 2), digestOf), amendments.slice(0, 2), "the chain only grows");
  t.strictSame(amendmentsOf([], digestOf), []);
});

t.test("the attempt that a receipt names leaves out calls that never left", async (t) => {
  let final = 0;
  for (const { calls, decisions } of reachable(4)) {
    const standing = standingOf(calls, decisions);
    if (standing.kind !== "final") continue;
    final += 1;
    const before = calls.filter(({ attempt, state }) => attempt <= standing.call.attempt && state !== "not-sent");
    t.equal(standing.sent, before.length);
    const retries = decisions.filter(({ decision }) => decision === "retry-once").length;
    t.equal(standing.sent, retries + 1, "one more than the decisions to call again");
  }
  t.ok(final > 10);
});
