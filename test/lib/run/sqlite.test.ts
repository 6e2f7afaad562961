import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import t from "tap";
import type { CallState } from "../../../lib/run/ledger.js";
import { SqliteCallStore } from "../../../lib/run/sqlite.js";
import { codeOf } from "../../support/runs.js";
import { repositoryFile } from "../../support/shared.js";

const STARTED = "2026-01-01T00:00:00.000Z";
const ENDED = "2026-01-01T00:00:01.000Z";
const REQUEST = "a".repeat(64);

const dispatch = (store: SqliteCallStore, questionId: string, attempt = 1): void =>
  store.dispatch({ questionId, attempt, requestSha256: REQUEST, started: STARTED });

function finish(
  store: SqliteCallStore,
  questionId: string,
  state: CallState,
  { attempt = 1, response = null as Uint8Array | null, error = null as string | null } = {},
): void {
  store.finish({ questionId, attempt, state, ended: ENDED, httpStatus: response ? 200 : null, response, error });
}

const decide = (store: SqliteCallStore, questionId: string, attempt: number, decision = "retry-once"): void =>
  store.decide({ questionId, attempt, decision: decision as "retry-once", time: ENDED, reason: "why" });

t.test("what is written is read back, also by the next process", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  const response = Buffer.from([0x00, 0xff, 0x22, 0x0a, 0xc3, 0x28]);
  const first = new SqliteCallStore(file);
  dispatch(first, "b");
  finish(first, "b", "interrupted", { response, error: 'line\nfeed, NUL \0, "quote", 🛶' });
  decide(first, "b", 1);
  dispatch(first, "a");
  finish(first, "a", "completed", { response: Buffer.alloc(0) });
  dispatch(first, "b", 2);
  first.close();
  t.strictSame(existsSync(`${file}-wal`), false, "one file is left");
  const second = new SqliteCallStore(file);
  t.teardown(() => second.close());
  t.strictSame(second.calls(), [
    {
      questionId: "a",
      attempt: 1,
      requestSha256: REQUEST,
      state: "completed",
      started: STARTED,
      ended: ENDED,
      httpStatus: 200,
      error: null,
    },
    {
      questionId: "b",
      attempt: 1,
      requestSha256: REQUEST,
      state: "interrupted",
      started: STARTED,
      ended: ENDED,
      httpStatus: 200,
      error: 'line\nfeed, NUL \0, "quote", 🛶',
    },
    {
      questionId: "b",
      attempt: 2,
      requestSha256: REQUEST,
      state: "dispatched",
      started: STARTED,
      ended: null,
      httpStatus: null,
      error: null,
    },
  ]);
  t.ok(response.equals(second.response("b", 1)!), "a response is kept byte for byte");
  t.equal(second.response("a", 1)?.length, 0, "an empty one too");
  t.equal(second.response("b", 2), null);
  t.equal(second.response("c", 1), null);
  t.strictSame(second.decisions(), [
    { questionId: "b", attempt: 1, decision: "retry-once", time: ENDED, reason: "why" },
  ]);
});

t.test("the schema itself refuses what must not be", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  const store = new SqliteCallStore(file);
  dispatch(store, "q");
  finish(store, "q", "completed", { response: Buffer.from("first") });
  dispatch(store, "q", 2);
  t.throws(() => finish(store, "q", "completed", { attempt: 2, response: Buffer.from("second") }), { code: "E_IO" });
  t.strictSame(
    store.calls().map(({ attempt, state }) => [attempt, state]),
    [
      [1, "completed"],
      [2, "dispatched"],
    ],
    "a question has one completed call",
  );
  t.equal(Buffer.from(store.response("q", 1)!).toString(), "first");
  t.throws(() => dispatch(store, "q", 1), { code: "E_IO" }, "an attempt is made once");
  t.throws(() => finish(store, "q", "interrupted"), Error, "a call that ended does not end again");
  t.throws(() => finish(store, "nobody", "completed"), Error, "nor one that never began");
  t.throws(() => finish(store, "q", "lost" as CallState, { attempt: 2 }), { code: "E_IO" }, "states are a closed list");
  finish(store, "q", "interrupted", { attempt: 2 });
  t.throws(() => decide(store, "q", 3), { code: "E_IO" }, "a decision is about a call");
  t.throws(() => decide(store, "q", 2, "accept"), { code: "E_IO" }, "decisions are a closed list");
  decide(store, "q", 2, "count-as-failure");
  t.throws(() => decide(store, "q", 2), { code: "E_IO" }, "and is made once");
  t.equal(store.decisions().length, 1);
  store.close();
  const raw = new Database(file);
  t.teardown(() => raw.close());
  for (const statement of [
    "UPDATE calls SET state = 'completed' WHERE attempt = 2",
    "INSERT INTO calls (question_id, attempt, request_sha256, state, started) VALUES ('q', 3, '', 'completed', '')",
    "INSERT INTO calls (question_id, attempt, request_sha256, state, started) VALUES ('r', 'one', '', 'completed', '')",
    "INSERT INTO calls (question_id, attempt, request_sha256, state) VALUES ('r', 1, '', 'completed')",
    "INSERT INTO binding VALUES (NULL)",
  ]) {
    t.throws(() => raw.exec(statement), { code: /^SQLITE_CONSTRAINT/ }, statement);
  }
});

t.test("a ledger is bound to one reader protocol", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  const [mine, other] = ["1".repeat(64), "2".repeat(64)];
  const store = new SqliteCallStore(file);
  store.bind(mine);
  store.bind(mine);
  t.throws(() => store.bind(other), { code: "E_RUN_MIX", exitCode: 7, expected: mine, found: other });
  store.close();
  const later = new SqliteCallStore(file);
  t.throws(() => later.bind(other), { code: "E_RUN_MIX" });
  later.bind(mine);
  later.close();
});

t.test("calls in flight when their process ended become interrupted, once", async (t) => {
  const store = new SqliteCallStore(":memory:");
  t.teardown(() => store.close());
  for (const state of ["completed", "interrupted", "not-sent"] as const) {
    dispatch(store, state);
    finish(store, state, state);
  }
  dispatch(store, "x");
  dispatch(store, "y");
  t.equal(store.interruptDispatched(), 2);
  t.equal(store.interruptDispatched(), 0);
  t.strictSame(
    store.calls().map(({ questionId, state }) => [questionId, state]),
    [
      ["completed", "completed"],
      ["interrupted", "interrupted"],
      ["not-sent", "not-sent"],
      ["x", "interrupted"],
      ["y", "interrupted"],
    ],
  );
});

t.test("one process at a time", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  const child = spawn(process.execPath, [repositoryFile("build/test/support/hold-ledger.js"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    t.equal(await codeOf(() => new SqliteCallStore(file)), "E_RUN_BUSY");
  }
  child.kill("SIGKILL");
  await once(child, "close");
  const store = new SqliteCallStore(file);
  t.teardown(() => store.close());
  t.strictSame(
    store.calls().map(({ questionId, state }) => [questionId, state]),
    [
      ["answered", "completed"],
      ["in-flight", "dispatched"],
    ],
    "what a killed process wrote is there",
  );
  t.equal(Buffer.from(store.response("answered", 1)!).toString(), "held");
  t.throws(() => store.bind("2".repeat(64)), { code: "E_RUN_MIX" });
  t.equal(await codeOf(() => new SqliteCallStore(file)), "E_RUN_BUSY", "nor twice in one process");
});

t.test("a ledger of another version", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  for (const version of [2, -1]) {
    const raw = new Database(file);
    raw.pragma(`user_version = ${version}`);
    raw.close();
    t.throws(() => new SqliteCallStore(file), {
      code: "E_VERSION",
      exitCode: 4,
      expected: "1",
      found: String(version),
    });
    const again = new Database(file, { timeout: 0 });
    t.equal(again.pragma("user_version", { simple: true }), version, "is left as it was, and let go");
    t.strictSame(again.prepare("SELECT name FROM sqlite_schema").all(), []);
    again.close();
  }
});

t.test("a file that is no ledger", async (t) => {
  const dir = t.testdir();
  const file = join(dir, "ledger.sqlite");
  for (const [title, bytes] of [
    ["words", Buffer.from("these are not the bytes of a database, however long they are made".repeat(100))],
    ["zeros", Buffer.alloc(8192)],
  ] as const) {
    writeFileSync(file, bytes);
    t.throws(() => new SqliteCallStore(file), { code: "E_RUN_CHANGED", exitCode: 1 }, title);
    t.ok(bytes.equals(readFileSync(file)), `${title}: it is left as it was`);
  }
});

t.test("a ledger of which a part is lost", async (t) => {
  const file = join(t.testdir(), "ledger.sqlite");
  const store = new SqliteCallStore(file);
  for (let number = 0; number < 200; number += 1) {
    dispatch(store, `q${number}`);
    finish(store, `q${number}`, "completed", { response: Buffer.alloc(500, 0x61) });
  }
  store.close();
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
  t.equal(
    await codeOf(() => {
      const half = new SqliteCallStore(file);
      try {
        half.calls();
      } finally {
        half.close();
      }
    }),
    "E_RUN_CHANGED",
  );
});

t.test("a place where no ledger can be", async (t) => {
  t.throws(() => new SqliteCallStore(t.testdir()), { code: "E_IO", exitCode: 74 });
});
