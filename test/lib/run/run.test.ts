import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { preparationProtocol } from "../../../lib/evidence/prepare.js";
import { FolderSource } from "../../../lib/io/folder-source.js";
import { openInput } from "../../../lib/io/input.js";
import { tokenF1 } from "../../../lib/judge/endpoint.js";
import { sealRun } from "../../../lib/lane/seal.js";
import { newKeyPair, readSigningKey } from "../../../lib/manifest/keys.js";
import { trustOf } from "../../../lib/manifest/trust.js";
import { NotSentError, type RawReply } from "../../../lib/reader/types.js";
import { EVIDENCE_FILE, RunFolder } from "../../../lib/run/folder.js";
import { gradeRun } from "../../../lib/run/grade-run.js";
import { prepareRun } from "../../../lib/run/prepare-run.js";
import { resolveCalls } from "../../../lib/run/resolve-run.js";
import { SqliteCallStore } from "../../../lib/run/sqlite.js";
import type {
  AmendmentRecord,
  AnswerRecord,
  GradeRecord,
  PopulationRecord,
  ReceiptRecord,
  RequestRecord,
} from "../../../schemas/index.js";
import { gatherLane } from "../../../verifiers/evidence.js";
import { verifyLane } from "../../../verifiers/verify.js";
import { chatResponse } from "../../support/ollama-server.js";
import {
  codeOf,
  goodReply,
  HARBOUR_FILE,
  HARBOUR_QUESTIONS,
  harbour,
  linesOf,
  NEVER,
  prepareHarbour,
  readerProtocolOf,
  recordsIn,
  replayWith,
  reply,
  ScriptedReader,
  steppingClock,
} from "../../support/runs.js";
import { repositoryFile } from "../../support/shared.js";
import { pathsTouched } from "../../support/watched-files.js";

const PREPARED = join(t.testdir(), "prepared");
await prepareHarbour(PREPARED);
const IDS = recordsIn<PopulationRecord>(PREPARED, "population.jsonl").map((record) => record.question_id);

let copies = 0;
/** A prepared run of its own. */
function preparedRun(): RunFolder {
  copies += 1;
  const folder = join(t.testdirName, `run-${copies}`);
  cpSync(PREPARED, folder, { recursive: true });
  return new RunFolder(folder);
}

/** A reader that does what is named for the question numbers given (from one), and answers the others. */
function readerFor(run: RunFolder, behaviours: Record<number, () => RawReply>): ScriptedReader {
  const questions = recordsIn<PopulationRecord>(run.folder, "population.jsonl").map((record) => record.question);
  return new ScriptedReader((body) => {
    const content = (JSON.parse(body) as { messages: { content: string }[] }).messages[1]?.content ?? "";
    const number = questions.findIndex((question) => content.endsWith(`\nQUESTION:\n${question}`)) + 1;
    return (behaviours[number] ?? (() => goodReply(body)))();
  });
}

const drop = (): never => {
  throw new Error("socket hang up");
};

const OUTCOME = ["receipts/reader.jsonl", "answers.jsonl", "amendments.jsonl"];
const digests = (run: RunFolder, paths: readonly string[]): string[] =>
  paths.map((path) => sha256Hex(readFileSync(run.path(path))));

function edit(run: RunFolder, path: string, change: (text: string) => string): void {
  const text = readFileSync(run.path(path), "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`${path}: nothing was changed`);
  writeFileSync(run.path(path), changed);
}

t.test("prepare writes the same bytes each time", async (t) => {
  const again = await prepareHarbour(join(t.testdir(), "again"));
  const files = (folder: string): string[] =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((path) => /\.jsonl?$/.test(path))
      .sort()
      .map((path) => `${path} ${sha256Hex(readFileSync(join(folder, path)))}`);
  t.strictSame(files(again.folder), files(PREPARED));
  t.strictSame(
    again.run.files.map((file) => file.path),
    [
      "bodies/evidence.jsonl",
      "evaluator/references.jsonl",
      "packets.jsonl",
      "population.jsonl",
      "protocols/preparation.json",
      "turns.jsonl",
    ],
  );
  for (const { path, size, sha256 } of again.run.files) {
    const bytes = readFileSync(again.path(path));
    t.strictSame([bytes.length, sha256Hex(bytes)], [size, sha256], path);
  }
});

t.test("prepare: no word of a reference is on the reader's side", async (t) => {
  const answer = "Petrel of the references alone";
  const dataset = harbour();
  const references = dataset.references.map((reference) => ({ ...reference, reference: answer }));
  const out = join(t.testdir(), "run");
  const protocol = preparationProtocol(dataset, { arm: "full", tokenizer: "o200k_base", ceilingTokens: 300 });
  const options = { clock: steppingClock(), stop: NEVER, onProgress: () => {} };
  await prepareRun({ ...dataset, references }, protocol, out, options);
  const holding = (readdirSync(out, { recursive: true }) as string[]).filter(
    (path) => /\.jsonl?$/.test(path) && readFileSync(join(out, path), "utf8").includes(answer),
  );
  t.strictSame(holding, ["evaluator/references.jsonl"]);
});

t.test("prepare: what is there stays, what failed leaves nothing", async (t) => {
  const dataset = harbour();
  const protocol = preparationProtocol(dataset, { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 300 });
  const dir = t.testdir({ file: "x", full: { "run.json": "{}" }, empty: {} });
  const options = { clock: steppingClock(), stop: NEVER, onProgress: () => {} };
  const prepare = (out: string, changes = {}) =>
    codeOf(() => prepareRun(dataset, protocol, out, { ...options, ...changes }));
  t.equal(await prepare(join(dir, "full")), "E_EXISTS");
  t.equal(await prepare(join(dir, "empty")), "E_EXISTS");
  t.equal(await prepare(join(dir, "file")), "E_EXISTS");
  t.equal(await prepare(join(dir, "file/run")), "E_IO");
  t.equal(await prepare(join(dir, "file/deep/run")), "E_IO");
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 3) stop.abort();
    const until = performance.now() + 20;
    while (performance.now() < until);
  };
  t.equal(await prepare(join(dir, "stopped"), { stop: stop.signal, onProgress }), "E_CANCELLED");
  const broken = { ...protocol, admission: "other" };
  t.equal(await codeOf(() => prepareRun(dataset, broken, join(dir, "broken"), options)), "E_VERSION");
  t.strictSame(readdirSync(dir).sort(), ["empty", "file", "full"]);
  t.equal(readFileSync(join(dir, "full/run.json"), "utf8"), "{}");
});

t.test("the reader's side works without the evaluator's, and never looks for it", async (t) => {
  const [run, whole] = [preparedRun(), preparedRun()];
  rmSync(run.path("evaluator"), { recursive: true });
  const reader = new ScriptedReader();
  t.match(await replayWith(run, reader), { completed: HARBOUR_QUESTIONS, statuses: { answered: HARBOUR_QUESTIONS } });
  t.equal(await codeOf(() => gradeRun(run, tokenF1)), "E_RUN_STAGE");
  t.notOk(existsSync(run.path("evaluator")), "grading did not begin");
  const touched = await pathsTouched(() => replayWith(new RunFolder(whole.folder), new ScriptedReader()));
  t.ok(touched.includes(whole.path("population.jsonl")), "the paths are seen");
  t.strictSame(
    touched.filter((path) => path.includes("evaluator")),
    [],
    "neither opened nor listed",
  );
  t.strictSame(digests(whole, OUTCOME), digests(run, OUTCOME), "the same comes of it");
});

t.test("what is sent is what is noted", async (t) => {
  const run = preparedRun();
  const reader = new ScriptedReader();
  await replayWith(run, reader);
  const requests = recordsIn<RequestRecord>(run.folder, "requests.jsonl");
  const bodies = recordsIn<{ question_id: string; body: string }>(run.folder, "bodies/requests.jsonl");
  const receipts = recordsIn<ReceiptRecord>(run.folder, "receipts/reader.jsonl");
  const answers = recordsIn<AnswerRecord>(run.folder, "answers.jsonl");
  for (const records of [requests, bodies, receipts, answers]) {
    t.strictSame(
      records.map((record) => record.question_id),
      IDS,
    );
  }
  t.strictSame(
    bodies.map((record) => record.body),
    reader.sent,
  );
  t.strictSame(
    requests.map((record) => [record.body_sha256, record.body_bytes]),
    reader.sent.map((body) => [sha256Hex(body), Buffer.byteLength(body)]),
  );
  t.strictSame(
    receipts.map((record) => record.request_sha256),
    requests.map((record) => record.body_sha256),
  );
  t.strictSame(
    receipts.map((record) => record.response),
    reader.sent.map((body) => ({ encoding: "utf8", data: Buffer.from(goodReply(body).body).toString() })),
  );
  t.strictSame(
    answers.map((record) => record.receipt_sha256),
    receipts.map((record) => sha256Hex(canonicalJson(record))),
  );
});

t.test("a finished replay is finished", async (t) => {
  const run = preparedRun();
  const reader = new ScriptedReader();
  await replayWith(run, reader);
  const paths = [...OUTCOME, "requests.jsonl", "bodies/requests.jsonl", "protocols/reader.json", "run.json"];
  const before = digests(run, paths);
  for (let again = 0; again < 3; again += 1) {
    const summary = await replayWith(new RunFolder(run.folder), reader, undefined, { clock: steppingClock() });
    t.match(summary, { completed: 0, undecided: 0, stopped: false, questions: 36, statuses: { answered: 36 } });
    t.strictSame(digests(run, paths), before);
  }
  t.equal(reader.sent.length, HARBOUR_QUESTIONS);
  for (const path of OUTCOME) rmSync(run.path(path));
  await replayWith(run, reader);
  t.strictSame(digests(run, paths), before, "what was lost comes back out of the ledger, to the byte");
  t.equal(reader.sent.length, HARBOUR_QUESTIONS);
  t.strictSame(
    (readdirSync(run.folder, { recursive: true }) as string[]).filter((path) => /partial|-wal|-shm/.test(path)),
    [],
    "nothing is left lying about",
  );
});

t.test("a file that prepare wrote, edited or gone", async (t) => {
  const flip = (text: string): string => text.replace(/[a-z]/, (letter) => (letter === "a" ? "b" : "a"));
  const changes: [string, (run: RunFolder, path: string) => void][] = [
    ["one letter is another", (run, path) => edit(run, path, flip)],
    ["a line feed more", (run, path) => appendFileSync(run.path(path), "\n")],
    ["cut short", (run, path) => edit(run, path, (text) => text.slice(0, -1))],
    ["emptied", (run, path) => edit(run, path, () => "")],
    ["gone", (run, path) => rmSync(run.path(path))],
  ];
  for (const path of ["population.jsonl", "packets.jsonl", "protocols/preparation.json", EVIDENCE_FILE]) {
    for (const [title, change] of changes) {
      const run = preparedRun();
      change(run, path);
      const reader = new ScriptedReader();
      t.equal(await codeOf(() => replayWith(run, reader)), "E_RUN_CHANGED", `${path}: ${title}`);
      t.equal(reader.sent.length, 0, "nothing is sent");
    }
  }
  for (const path of ["population.jsonl", "evaluator/references.jsonl"]) {
    const run = preparedRun();
    await replayWith(run, new ScriptedReader());
    edit(run, path, flip);
    t.equal(await codeOf(() => gradeRun(run, tokenF1)), "E_RUN_CHANGED", `${path} before grading`);
    t.notOk(run.has("evaluator/token-f1/grades.jsonl"));
  }
});

t.test("a file that replay wrote, edited or gone", async (t) => {
  const shortened = preparedRun();
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 5) stop.abort();
  };
  const reader = new ScriptedReader();
  await replayWith(shortened, reader, undefined, { stop: stop.signal, onProgress });
  edit(shortened, "bodies/requests.jsonl", (text) => `${text.split("\n").slice(0, 20).join("\n")}\n`);
  t.equal(await codeOf(() => replayWith(shortened, reader)), "E_RUN_CHANGED", "requests are missing at the end");
  t.notOk(shortened.has("answers.jsonl"));
  const lost = preparedRun();
  await replayWith(lost, reader);
  const sent = reader.sent.length;
  rmSync(lost.path("ledger.sqlite"));
  t.equal(await codeOf(() => replayWith(lost, reader)), "E_RUN_CHANGED", "a lost ledger is no reason to ask again");
  t.equal(reader.sent.length, sent);
  t.notOk(lost.has("ledger.sqlite"));
  const answers = preparedRun();
  await replayWith(answers, reader);
  edit(answers, "answers.jsonl", (text) => text.slice(text.indexOf("\n") + 1));
  t.equal(await codeOf(() => gradeRun(answers, tokenF1)), "E_RUN_CHANGED", "answers that do not follow the population");
});

t.test("one run, one reader protocol", async (t) => {
  const run = preparedRun();
  const reader = readerFor(run, { 4: drop });
  await replayWith(run, reader);
  const before = digests(run, ["requests.jsonl", "protocols/reader.json"]);
  const protocol = readerProtocolOf();
  for (const [title, other] of [
    ["another option", readerProtocolOf({ seed: 7 })],
    ["an option more", readerProtocolOf({ mirostat: 1 })],
    ["another model", { ...protocol, model: { ...protocol.model, name: "other" } }],
    ["the same name, other weights", { ...protocol, model: { ...protocol.model, digest: "5".repeat(64) } }],
    ["weights that are not told", { ...protocol, model: { ...protocol.model, digest: null } }],
    ["another level of thinking", { ...protocol, think: "low" }],
    ["another reader", { ...protocol, reader: "extractive" }],
    ["another instruction", { ...protocol, system: `${protocol.system}\n` }],
  ] as const) {
    t.equal(await codeOf(() => replayWith(run, reader, other)), "E_RUN_MIX", title);
  }
  t.strictSame(digests(run, ["requests.jsonl", "protocols/reader.json"]), before);
  t.equal(reader.sent.length, HARBOUR_QUESTIONS);
  rmSync(run.path("protocols/reader.json"));
  t.equal(
    await codeOf(() => replayWith(run, reader, readerProtocolOf({ seed: 7 }))),
    "E_RUN_MIX",
    "the ledger knows too",
  );
});

t.test("a run.json that is none, or of another version", async (t) => {
  const open = (change: (text: string) => string): Promise<unknown> =>
    codeOf(() => {
      const run = preparedRun();
      edit(run, "run.json", change);
      new RunFolder(run.folder);
    });
  t.equal(await open((text) => text.replace("sealane-run/1", "sealane-run/2")), "E_VERSION");
  t.equal(await open((text) => text.replace("sealane-run/1", "sealane-lane/1")), "E_SCHEMA");
  t.equal(await open((text) => `${text}\n`), "E_JSON_CANON");
  t.equal(await open((text) => text.slice(1)), "E_JSON");
  t.equal(await open(() => ""), "E_JSON");
  t.equal(await open((text) => text.replace('"evaluator/references.jsonl"', '"../references.jsonl"')), "E_PATH");
  const dir = t.testdir({ file: "" });
  for (const path of ["", "nowhere", "file"]) t.equal(await codeOf(() => new RunFolder(join(dir, path))), "E_MISSING");
});

t.test("another process works on the run", async (t) => {
  const run = preparedRun();
  mkdirSync(run.path("protocols"), { recursive: true });
  const child = spawn(
    process.execPath,
    [repositoryFile("build/test/support/hold-ledger.js"), run.path("ledger.sqlite")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.teardown(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const reader = new ScriptedReader();
  t.equal(await codeOf(() => replayWith(run, reader)), "E_RUN_BUSY");
  t.equal(await codeOf(() => resolveCalls(run, undefined, "retry-once", "x", steppingClock())), "E_RUN_BUSY");
  t.equal(reader.sent.length, 0);
});

t.test("a server that cannot be reached: nothing is lost, nothing waits", async (t) => {
  const run = preparedRun();
  const reader = new ScriptedReader((body, number) => {
    if (number === 6) throw new NotSentError("ECONNREFUSED");
    return goodReply(body);
  });
  t.equal(await codeOf(() => replayWith(run, reader)), "E_READER");
  t.notOk(run.has("answers.jsonl"));
  t.match(await replayWith(run, reader), { completed: 31, undecided: 0, statuses: { answered: 36 } });
  t.equal(reader.sent.length, 37);
  const receipts = recordsIn<ReceiptRecord>(run.folder, "receipts/reader.jsonl");
  t.strictSame(
    receipts.map((receipt) => receipt.attempt),
    receipts.map((_, index) => (index === 5 ? 2 : 1)),
  );
  t.equal(readFileSync(run.path("amendments.jsonl"), "utf8"), "", "no decision was needed");
});

t.test("decisions about calls", async (t) => {
  const run = preparedRun();
  const clock = steppingClock();
  t.equal(await codeOf(() => resolveCalls(run, undefined, "retry-once", "x", clock)), "E_RUN_STAGE", "before replay");
  const [second, fifth, tenth] = [IDS[1]!, IDS[4]!, IDS[9]!];
  const reader = readerFor(run, { 2: drop, 5: () => reply({}, 500), 10: drop });
  t.match(await replayWith(run, reader), { completed: 33, undecided: 3, statuses: undefined });
  t.notOk(run.has("answers.jsonl"), "no answers before every question has its own");
  t.equal(await codeOf(() => gradeRun(run, tokenF1)), "E_RUN_STAGE");
  for (const id of ["nobody", IDS[0]!, ""]) {
    t.equal(await codeOf(() => resolveCalls(run, [second, id], "retry-once", "x", clock)), "E_UNKNOWN", id);
  }
  t.equal((await replayWith(run, reader)).undecided, 3, "a refused decision decides nothing");
  const resolved = (ids: string[] | undefined, decision: "retry-once" | "count-as-failure"): [string, number][] =>
    resolveCalls(run, ids, decision, "the reason", clock).map((call) => [call.questionId, call.attempt]);
  t.strictSame(resolved([second, second], "retry-once"), [[second, 1]], "named twice, decided once");
  t.equal(await codeOf(() => resolved([second], "count-as-failure")), "E_UNKNOWN", "decided is decided");
  t.match(await replayWith(run, reader), { completed: 0, undecided: 3 });
  t.strictSame(resolved(undefined, "count-as-failure"), [
    [second, 2],
    [fifth, 1],
    [tenth, 1],
  ]);
  t.strictSame(resolved(undefined, "count-as-failure"), [], "none waits");
  t.match(await replayWith(run, reader), {
    completed: 0,
    undecided: 0,
    statuses: { answered: 33, interrupted: 2, failed: 1 },
  });
  t.equal(reader.sent.length, HARBOUR_QUESTIONS + 1);
  const amendments = recordsIn<AmendmentRecord>(run.folder, "amendments.jsonl");
  t.strictSame(
    amendments.map(({ number, question_id, decision, reason }) => [number, question_id, decision, reason]),
    [
      [1, second, "retry-once", "the reason"],
      [2, second, "count-as-failure", "the reason"],
      [3, fifth, "count-as-failure", "the reason"],
      [4, tenth, "count-as-failure", "the reason"],
    ],
  );
  t.strictSame(
    amendments.map((record) => record.previous_sha256),
    [null, ...amendments.slice(0, 3).map((record) => sha256Hex(canonicalJson(record)))],
  );
});

t.test("a call of a process that died can be decided about at once", async (t) => {
  const run = preparedRun();
  const store = new SqliteCallStore(run.path("ledger.sqlite"));
  store.dispatch({ questionId: IDS[2]!, attempt: 1, requestSha256: "0".repeat(64), started: steppingClock().now() });
  store.close();
  const [call, ...others] = resolveCalls(run, undefined, "retry-once", "power cut", steppingClock());
  t.match(call, { questionId: IDS[2], attempt: 1, error: /./ });
  t.equal(others.length, 0);
  t.match(await replayWith(run, new ScriptedReader()), { completed: HARBOUR_QUESTIONS, undecided: 0 });
  t.equal(recordsIn<ReceiptRecord>(run.folder, "receipts/reader.jsonl")[2]?.attempt, 2);
});

t.test("calls of every end stand in the denominator, and the lane verifies", async (t) => {
  const run = preparedRun();
  const notUtf8 = Buffer.from('{"error":"caf\xe9"}', "latin1");
  const reader = readerFor(run, {
    1: () => reply(chatResponse("Petrel")),
    2: () => reply(chatResponse("")),
    3: () => reply(chatResponse(" \n ")),
    4: () => reply(chatResponse("Petrel", { done_reason: "length" })),
    5: () => reply(chatResponse("", { thinking: "Petrel" })),
    6: drop,
    7: () => reply({ error: "x" }, 500),
    9: () => ({ httpStatus: 200, body: notUtf8 }),
    10: () => ({ httpStatus: 200, body: Buffer.from('{"model":"m","done":true,"message":{"content":"\\ud800"}}') }),
    11: () => ({ httpStatus: 200, body: Buffer.from('{"model":"\\ud800","done":true,"message":{"content":"x"}}') }),
    13: () => ({ httpStatus: 200, body: Buffer.from('{"error":{"toString":1,"valueOf":1,"x":"\\ud800"}}') }),
    14: () => ({ httpStatus: 200, body: Buffer.from('{"error":"\\ud800 \\u0000"}') }),
    16: () => reply(chatResponse("No information available.", { prompt_eval_count: -0, eval_count: 1e300 })),
  });
  t.match(await replayWith(run, reader), { undecided: 6 });
  resolveCalls(run, undefined, "count-as-failure", "the server was broken", steppingClock());
  const { statuses } = await replayWith(run, reader);
  t.strictSame(statuses, { answered: 26, empty: 3, "output-limit": 1, interrupted: 1, failed: 5 });
  const summary = gradeRun(run, tokenF1);
  t.equal(summary.questions, HARBOUR_QUESTIONS);
  t.equal(summary.failureZeros, 10);
  const grades = recordsIn<GradeRecord>(run.folder, "evaluator/token-f1/grades.jsonl");
  const answers = recordsIn<AnswerRecord>(run.folder, "answers.jsonl");
  const receipts = recordsIn<ReceiptRecord>(run.folder, "receipts/reader.jsonl");
  t.strictSame([grades.length, answers.length, receipts.length], [36, 36, 36]);
  const total = grades.reduce((sum, grade) => sum + grade.score, 0);
  t.ok(Math.abs(summary.scoreMean - total / HARBOUR_QUESTIONS) < 1e-12, "the mean is over the whole population");
  const at = <T>(records: T[], numbers: number[]): T[] => numbers.map((number) => records[number - 1]!);
  t.match(grades[0], { score: 1, basis: "rule" });
  for (const grade of at(grades, [2, 3, 4, 5, 6, 7, 9, 10, 13, 14])) {
    t.match(grade, { score: 0, basis: "failure-zero" }, grade.question_id);
  }
  t.strictSame(
    at(answers, [2, 3, 4, 5]).map(({ status, answer }) => [status, answer]),
    [
      ["empty", ""],
      ["empty", " \n "],
      ["output-limit", "Petrel"],
      ["empty", ""],
    ],
  );
  for (const answer of at(answers, [6, 7, 9, 10, 13, 14])) {
    t.strictSame([answer.answer, answer.answer_sha256], [undefined, undefined], `${answer.question_id}: no answer`);
  }
  t.strictSame(
    at(receipts, [6, 7, 9]).map((receipt) => [receipt.status, receipt.http_status, receipt.response?.encoding]),
    [
      ["interrupted", undefined, undefined],
      ["failed", 500, "utf8"],
      ["failed", 200, "base64"],
    ],
  );
  t.ok(notUtf8.equals(Buffer.from(receipts[8]?.response?.data ?? "", "base64")), "the raw bytes are kept");
  t.match(receipts[4]?.response?.data, "Petrel", "thinking is in the raw response");
  t.notOk("reported" in (receipts[10]?.model ?? {}), "a model name that is no text is not reported");
  const amendments = recordsIn<AmendmentRecord>(run.folder, "amendments.jsonl");
  t.equal(amendments.length, 6);

  const { privatePem } = newKeyPair();
  const key = readSigningKey(privatePem, "key");
  const out = join(t.testdir(), "lane");
  await sealRun(run, {
    laneId: "of-every-kind",
    laneVersion: 1,
    previousManifestSha256: null,
    sealed: "2026-01-02T00:00:00.000Z",
    key,
    out,
    stop: NEVER,
    onProgress: () => {},
  });
  const given = openInput(HARBOUR_FILE);
  const report = verifyLane(gatherLane(new FolderSource(out), given), { trust: trustOf(key, "t", "*") });
  t.strictSame(
    report.checks.filter((check) => check.outcome === "failed" || check.outcome === "not-run"),
    [],
  );
  t.equal(report.exit_code, 0);
});

t.test("grading again gives the same bytes; answers graded before they changed are not sealed", async (t) => {
  const run = preparedRun();
  await replayWith(run, new ScriptedReader());
  const paths = ["evaluator/token-f1/grades.jsonl", "protocols/token-f1.json"];
  gradeRun(run, tokenF1);
  const before = digests(run, paths);
  gradeRun(run, tokenF1);
  t.strictSame(digests(run, paths), before);
  const answers = recordsIn<AnswerRecord>(run.folder, "answers.jsonl");
  writeFileSync(
    run.path("answers.jsonl"),
    linesOf(answers.map((answer) => ({ ...answer, answer: "Petrel", answer_sha256: sha256Hex("Petrel") }))),
  );
  const request = {
    laneId: "x",
    laneVersion: 1,
    previousManifestSha256: null,
    sealed: "2026-01-02T00:00:00.000Z",
    key: readSigningKey(newKeyPair().privatePem, "key"),
    out: join(t.testdir(), "lane"),
    stop: NEVER,
    onProgress: () => {},
  };
  t.equal(await codeOf(() => sealRun(run, request)), "E_RUN_CHANGED");
  t.notOk(existsSync(request.out));
});
