import fc from "fast-check";
import t from "tap";
import { SealaneError } from "../../../lib/finding.js";
import { NotSentError, type RawReply } from "../../../lib/reader/types.js";
import type { Call, CallStore, Decision } from "../../../lib/run/ledger.js";
import { standings } from "../../../lib/run/ledger.js";
import { type Outgoing, runSchedule, type ScheduleOptions } from "../../../lib/run/schedule.js";
import { SqliteCallStore } from "../../../lib/run/sqlite.js";
import { chatResponse } from "../../support/ollama-server.js";
import { goodReply, quietly, reply, ScriptedReader, steppingClock } from "../../support/runs.js";

const TIME = "2026-02-01T00:00:00.000Z";
const outgoingOf = (count: number): Outgoing[] =>
  Array.from({ length: count }, (_, index) => ({ questionId: `q${index + 1}`, body: `body ${index + 1}` }));

const dropped = (): never => {
  throw new Error("socket hang up");
};
const refused = (): never => {
  throw new NotSentError("ECONNREFUSED");
};

function memoryStore(): SqliteCallStore {
  const store = new SqliteCallStore(":memory:");
  t.teardown(() => store.close());
  return store;
}

/** Bodies that bring what is named here, else an answer. */
function readerOf(behaviours: Record<string, (body: string) => RawReply>): ScriptedReader {
  return new ScriptedReader((body) => (behaviours[body.slice("body ".length)] ?? goodReply)(body));
}

const run = (store: CallStore, reader: ScriptedReader, count: number, options: Partial<ScheduleOptions> = {}) =>
  runSchedule(count, outgoingOf(count), store, reader, quietly(options));

const decide = (store: CallStore, questionId: string, attempt: number, decision: Decision): void =>
  store.decide({ questionId, attempt, decision, time: TIME, reason: "why" });

const statesOf = (store: CallStore): string[] =>
  store.calls().map(({ questionId, attempt, state }) => `${questionId}/${attempt} ${state}`);

/** A store whose process dies at the call that `dies` picks: what was in flight stays so. */
class DyingStore implements CallStore {
  readonly #store: CallStore;
  readonly #dies: () => boolean;

  constructor(store: CallStore, dies: () => boolean) {
    this.#store = store;
    this.#dies = dies;
  }

  bind(protocolSha256: string): void {
    this.#store.bind(protocolSha256);
  }
  dispatch(call: Parameters<CallStore["dispatch"]>[0]): void {
    this.#store.dispatch(call);
  }
  finish(call: Parameters<CallStore["finish"]>[0]): void {
    if (this.#dies()) throw new SealaneError("E_IO", "no space is left on the device");
    this.#store.finish(call);
  }
  decide(row: Parameters<CallStore["decide"]>[0]): void {
    this.#store.decide(row);
  }
  interruptDispatched(): number {
    return this.#store.interruptDispatched();
  }
  calls(): Omit<Call, "response">[] {
    return this.#store.calls();
  }
  response(questionId: string, attempt: number): Uint8Array | null {
    return this.#store.response(questionId, attempt);
  }
  decisions() {
    return this.#store.decisions();
  }
  close(): void {}
}

t.test("every question is asked once, in order, and noted before it is sent", async (t) => {
  const store = memoryStore();
  const inFlight: string[][] = [];
  const progress: [number, number][] = [];
  const reader = new ScriptedReader((body) => {
    inFlight.push(statesOf(store).filter((state) => state.endsWith("dispatched")));
    return goodReply(body);
  });
  const outcome = await run(store, reader, 3, { onProgress: (done, total) => progress.push([done, total]) });
  t.strictSame(outcome, { completed: 3, undecided: 0, stopped: false });
  t.strictSame(reader.sent, ["body 1", "body 2", "body 3"]);
  t.strictSame(inFlight, [["q1/1 dispatched"], ["q2/1 dispatched"], ["q3/1 dispatched"]], "one call at a time");
  t.strictSame(progress, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  t.strictSame(statesOf(store), ["q1/1 completed", "q2/1 completed", "q3/1 completed"]);
  t.strictSame(await run(store, reader, 3), { completed: 0, undecided: 0, stopped: false }, "again: nothing to do");
  t.equal(reader.sent.length, 3);
});

t.test("results that are no answers are results: nothing is asked again for them", async (t) => {
  const store = memoryStore();
  const reader = readerOf({
    1: () => reply(chatResponse("")),
    2: () => reply(chatResponse("cut", { done_reason: "length" })),
    3: () => reply(chatResponse("", { thinking: "Petrel" })),
    4: () => reply(chatResponse("Error: out of memory")),
  });
  t.strictSame(await run(store, reader, 4), { completed: 4, undecided: 0, stopped: false });
  t.strictSame(await run(store, reader, 4), { completed: 0, undecided: 0, stopped: false });
  t.equal(reader.sent.length, 4);
});

t.test("stopped after any number of calls and run again, each question is asked once", async (t) => {
  for (let stopAfter = 0; stopAfter <= 5; stopAfter += 1) {
    const store = memoryStore();
    const reader = new ScriptedReader();
    const stop = new AbortController();
    if (stopAfter === 0) stop.abort();
    const onProgress = (done: number): void => {
      if (done === stopAfter) stop.abort();
    };
    const first = await run(store, reader, 5, { stop: stop.signal, onProgress });
    t.strictSame(first, { completed: stopAfter, undecided: 0, stopped: stopAfter < 5 });
    const second = await run(store, reader, 5);
    t.strictSame(second, { completed: 5 - stopAfter, undecided: 0, stopped: false });
    t.strictSame(
      reader.sent,
      outgoingOf(5).map(({ body }) => body),
      `stopped after ${stopAfter}`,
    );
  }
});

t.test("a process that dies with a call in flight leaves it to be decided about", async (t) => {
  for (let dying = 1; dying <= 4; dying += 1) {
    const store = memoryStore();
    const reader = new ScriptedReader();
    const dead = new DyingStore(store, () => reader.sent.length === dying);
    await t.rejects(run(dead, reader, 4), { code: "E_IO" }, "what the ledger could not take stops the run");
    t.equal(reader.sent.length, dying, "at once: nothing is sent that could not be noted");
    t.equal(statesOf(store).at(-1), `q${dying}/1 dispatched`);
    t.strictSame(await run(store, reader, 4), { completed: 4 - dying, undecided: 1, stopped: false });
    t.strictSame(await run(store, reader, 4), { completed: 0, undecided: 1, stopped: false }, "it waits, and waits");
    t.equal(reader.sent.length, 4, "no question was asked twice");
    decide(store, `q${dying}`, 1, "retry-once");
    t.strictSame(await run(store, reader, 4), { completed: 1, undecided: 0, stopped: false });
    t.strictSame(reader.sent.slice(4), [`body ${dying}`]);
  }
});

t.test("a call that broke off waits for a decision, and is made again once for each", async (t) => {
  const store = memoryStore();
  const reader = readerOf({ 2: dropped });
  t.strictSame(await run(store, reader, 3), { completed: 2, undecided: 1, stopped: false });
  t.strictSame(await run(store, reader, 3), { completed: 0, undecided: 1, stopped: false });
  t.equal(reader.sent.length, 3);
  decide(store, "q2", 1, "retry-once");
  t.strictSame(
    await run(store, reader, 3),
    { completed: 0, undecided: 1, stopped: false },
    "retried, and dropped again",
  );
  t.equal(reader.sent.length, 4);
  t.strictSame(await run(store, reader, 3), { completed: 0, undecided: 1, stopped: false }, "once means once");
  t.equal(reader.sent.length, 4);
  decide(store, "q2", 2, "count-as-failure");
  t.strictSame(await run(store, reader, 3), { completed: 0, undecided: 0, stopped: false });
  t.equal(reader.sent.length, 4, "a failure is not asked again");
  t.match(standings(store)("q2"), { kind: "final", failure: true, call: { attempt: 2 } });
});

t.test("what breaks the contract is kept with its bytes, and waits as well", async (t) => {
  const store = memoryStore();
  const bytes = Buffer.from([0xff, 0x00, 0x7b]);
  const reader = readerOf({ 1: () => ({ httpStatus: 502, body: bytes }), 3: () => reply({ error: "overloaded" }) });
  t.strictSame(await run(store, reader, 4), { completed: 2, undecided: 2, stopped: false });
  const [first, , third] = store.calls();
  t.match(first, { state: "interrupted", httpStatus: 502, error: /./ });
  t.ok(bytes.equals(store.response("q1", 1)!));
  t.match(third, { state: "interrupted", httpStatus: 200, error: /overloaded/ });
});

t.test("three faults in a row are not the questions' fault", async (t) => {
  const store = memoryStore();
  const reader = readerOf({ 2: dropped, 3: dropped, 4: dropped });
  await t.rejects(run(store, reader, 6), { code: "E_READER", exitCode: 69, at: "q4" });
  t.equal(reader.sent.length, 4, "no further question is spent on it");
  t.strictSame(statesOf(store), ["q1/1 completed", "q2/1 interrupted", "q3/1 interrupted", "q4/1 interrupted"]);
  t.strictSame(await run(store, reader, 6), { completed: 2, undecided: 3, stopped: false }, "the rest, when mended");
  t.equal(reader.sent.length, 6);
});

t.test("faults of every kind count, answers in between start the count again", async (t) => {
  const breach = (): RawReply => reply({}, 500);
  const mixed = readerOf({ 1: breach, 2: dropped, 3: () => reply({ error: "x" }) });
  await t.rejects(run(memoryStore(), mixed, 5), { code: "E_READER" });
  t.equal(mixed.sent.length, 3);
  const broken = readerOf({ 1: dropped, 2: breach, 4: dropped, 5: breach, 7: dropped });
  t.strictSame(await run(memoryStore(), broken, 7), { completed: 2, undecided: 5, stopped: false });
  const store = memoryStore();
  const spread = readerOf({ 1: dropped, 2: dropped, 5: dropped, 6: dropped });
  await run(store, spread, 4);
  t.strictSame(
    await run(store, spread, 7),
    { completed: 1, undecided: 4, stopped: false },
    "only calls made now count",
  );
});

t.test("a call that never left stops the run, and is made again without asking anyone", async (t) => {
  const store = memoryStore();
  const reader = readerOf({ 2: refused });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await t.rejects(run(store, reader, 3), { code: "E_READER", exitCode: 69, at: "q2" });
    t.equal(statesOf(store).at(-1), `q2/${attempt} not-sent`);
  }
  reader.answer = goodReply;
  t.strictSame(await run(store, reader, 3), { completed: 2, undecided: 0, stopped: false });
  t.match(standings(store)("q2"), { kind: "final", failure: false, call: { attempt: 6 } });
  t.strictSame(store.decisions(), []);
});

t.test("abort breaks off the call in flight, and no other is begun", async (t) => {
  const store = memoryStore();
  const [stop, abort] = [new AbortController(), new AbortController()];
  const reader = new ScriptedReader((body, number, signal) => {
    if (number < 2) return goodReply(body);
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      stop.abort();
      abort.abort();
    });
  });
  const outcome = await run(store, reader, 4, { stop: stop.signal, abort: abort.signal });
  t.strictSame(outcome, { completed: 1, undecided: 1, stopped: true });
  t.strictSame(statesOf(store), ["q1/1 completed", "q2/1 interrupted"]);
});

t.test("an answer that comes after all is kept, although it was to be broken off", async (t) => {
  const store = memoryStore();
  const [stop, abort] = [new AbortController(), new AbortController()];
  const reader = new ScriptedReader((body) => {
    stop.abort();
    abort.abort();
    return goodReply(body);
  });
  const outcome = await run(store, reader, 4, { stop: stop.signal, abort: abort.signal });
  t.strictSame(outcome, { completed: 1, undecided: 0, stopped: true });
});

t.test("a reader that never waits for anything still lets a signal through", async (t) => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 1);
  const reader = new ScriptedReader((body) => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return goodReply(body);
  });
  const outcome = await run(memoryStore(), reader, 2000, { stop: stop.signal });
  t.ok(outcome.stopped, "it was stopped");
  t.ok(reader.sent.length < 1000, "long before it was through");
});

t.test("times are the clock's, digests those of the bytes sent", async (t) => {
  const store = memoryStore();
  await run(store, new ScriptedReader(), 1, { clock: steppingClock() });
  t.match(store.calls()[0], {
    started: "2026-01-01T00:00:01.000Z",
    ended: "2026-01-01T00:00:02.000Z",
    requestSha256: "e92b667eb438d66f429e37c1aab76513c1953666b7cb7997f739bfa786723cfd",
  });
});

t.test("a clock set back during a call does not make it end before it started", async (t) => {
  const store = memoryStore();
  const times = ["2026-01-01T00:00:09.000Z", "2026-01-01T00:00:01.000Z"];
  await run(store, new ScriptedReader(), 1, { clock: { now: () => times.shift() ?? "2026-01-01T00:00:00.000Z" } });
  t.match(store.calls()[0], { started: "2026-01-01T00:00:09.000Z", ended: "2026-01-01T00:00:09.000Z" });
});

t.test("whatever happens, in whatever order, no answer is asked for twice", async (t) => {
  const QUESTIONS = 5;
  type Event = "ok" | "empty" | "breach" | "drop" | "not-sent" | "die" | "stop";
  const events = fc.array(
    fc.constantFrom<Event>("ok", "ok", "ok", "empty", "breach", "drop", "not-sent", "die", "stop"),
    { maxLength: 40 },
  );
  const decisions = fc.array(fc.constantFrom<Decision | "wait">("retry-once", "count-as-failure", "wait"), {
    maxLength: 40,
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(events, decisions, async (script, choices) => {
      const store = new SqliteCallStore(":memory:");
      try {
        const asked = new Map<string, number>();
        const answered = new Map<string, number>();
        let dying = false;
        let stop = new AbortController();
        const reader = new ScriptedReader((body) => {
          asked.set(body, (asked.get(body) ?? 0) + 1);
          const event = script.shift() ?? "ok";
          if (event === "not-sent") return refused();
          if (event === "drop") return dropped();
          if (event === "breach") return reply({}, 503);
          if (event === "die") dying = true;
          if (event === "stop") stop.abort();
          if (!dying) answered.set(body, (answered.get(body) ?? 0) + 1);
          return event === "empty" ? reply(chatResponse("")) : goodReply(body);
        });
        for (let turn = 0; turn < 60; turn += 1) {
          dying = false;
          stop = new AbortController();
          const mortal = new DyingStore(store, () => dying);
          await run(mortal, reader, QUESTIONS, { stop: stop.signal }).catch((error: unknown) => {
            if (!(error instanceof SealaneError)) throw error;
          });
          const standing = standings(store);
          const open = outgoingOf(QUESTIONS).filter(({ questionId }) => standing(questionId).kind !== "final");
          if (open.length === 0 && store.calls().every(({ state }) => state !== "dispatched")) break;
          store.interruptDispatched();
          for (const { questionId } of open) {
            const now = standings(store)(questionId);
            const choice = now.kind === "undecided" ? (choices.shift() ?? "retry-once") : "wait";
            if (now.kind === "undecided" && choice !== "wait") decide(store, questionId, now.call.attempt, choice);
          }
        }
        runs += 1;
        const standing = standings(store);
        for (const { questionId, body } of outgoingOf(QUESTIONS)) {
          const now = standing(questionId);
          const calls = store.calls().filter((call) => call.questionId === questionId);
          const retries = store
            .decisions()
            .filter((row) => row.questionId === questionId && row.decision === "retry-once");
          const left = calls.filter((call) => call.state !== "not-sent");
          if (now.kind !== "final") return false;
          if ((answered.get(body) ?? 0) > 1) return false;
          if (now.failure !== ((answered.get(body) ?? 0) === 0)) return false;
          if (calls.length !== asked.get(body)) return false;
          if (left.length > 1 + retries.length) return false;
          if (calls.some((call, index) => call.attempt !== index + 1)) return false;
        }
        return true;
      } finally {
        store.close();
      }
    }),
    { numRuns: 200, seed: 20260906 },
  );
  t.equal(runs, 200);
});
