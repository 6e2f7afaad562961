// Killed, stopped or cut off at any point and run again: nothing is lost, and no answer is asked for twice.
import type { ChildProcess } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { AmendmentRecord, AnswerRecord, PopulationRecord, ReceiptRecord } from "../../schemas/index.js";
import { type Ended, fewAtATime, oneDocument, reasonOf, sealane, sealaneBatch, startSealane } from "../support/cli.js";
import { answerTo, MODEL, OllamaServer, type Script } from "../support/ollama-server.js";
import { HARBOUR_QUESTIONS, prepareHarbour, recordsIn } from "../support/runs.js";

t.setTimeout(120_000);
const dir = t.testdir();
await prepareHarbour(join(dir, "prepared"));
const IDS = recordsIn<PopulationRecord>(join(dir, "prepared"), "population.jsonl").map((record) => record.question_id);

/** A run of its own with a server of its own. */
async function begin(
  t: Test,
  name: string,
  script: Script,
): Promise<{ run: string; server: OllamaServer; replay: string[] }> {
  cpSync(join(dir, "prepared"), join(dir, name), { recursive: true });
  const server = await OllamaServer.start(script);
  t.teardown(() => server.close());
  const replay = ["replay", name, "--reader", "ollama", "--url", server.url, "--model", MODEL, "--json"];
  return { run: join(dir, name), server, replay };
}

const inDir = { cwd: dir };
const go = (args: readonly string[]): Promise<Ended> => sealane(args, inDir);

/** What was answered, without what differs from one time to another. */
const answersOf = (run: string): (string | undefined)[][] =>
  recordsIn<AnswerRecord>(run, "answers.jsonl").map(({ question_id, status, answer }) => [question_id, status, answer]);

/** How often each request came to the server, in the order of the first. */
function timesAsked(server: OllamaServer): number[] {
  const times = new Map<string, number>();
  for (const { body } of server.chats) times.set(body.toString(), (times.get(body.toString()) ?? 0) + 1);
  return [...times.values()];
}

const onceEach = (twice: readonly number[] = []): number[] =>
  Array.from({ length: HARBOUR_QUESTIONS }, (_, index) => (twice.includes(index) ? 2 : 1));

const hanging = (number: number): { script: Script; release: () => void } => {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { script: (call) => (call.number === number ? { until, reply: "ok" } : "ok"), release };
};

/** Resolves when the child says that it has heard a signal: a blank line, unlike progress. */
function hearing(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      if (/^\n/m.test(chunk.toString())) resolve();
    });
  });
}

t.test("undisturbed", async (t) => {
  const { run, server, replay } = await begin(t, "undisturbed", () => "ok");
  const ended = await go(replay);
  t.equal(ended.code, 0);
  t.match(oneDocument(ended), { calls_made: HARBOUR_QUESTIONS, statuses: { answered: HARBOUR_QUESTIONS } });
  t.strictSame(timesAsked(server), onceEach());
  t.strictSame(
    answersOf(run),
    server.chats.map(({ body }, index) => [IDS[index], "answered", answerTo(body)]),
  );
  t.strictSame(
    server.chats.map(({ body }) => body.toString()),
    recordsIn<{ body: string }>(run, "bodies/requests.jsonl").map(({ body }) => body),
    "the bytes on the wire are those kept",
  );
  const written = ["answers.jsonl", "receipts/reader.jsonl", "amendments.jsonl"].map((path) =>
    readFileSync(join(run, path)),
  );
  const again = await go(replay);
  t.match(oneDocument(again), { calls_made: 0, statuses: { answered: HARBOUR_QUESTIONS }, exit_code: 0 });
  t.equal(server.chats.length, HARBOUR_QUESTIONS, "a finished replay calls nobody");
  t.strictSame(
    ["answers.jsonl", "receipts/reader.jsonl", "amendments.jsonl"].map((path) => readFileSync(join(run, path))),
    written,
  );
});

t.test("killed at any point", async (t) => {
  // The first call, the last, and one in between; each then goes on to its end.
  await fewAtATime([1, 23, HARBOUR_QUESTIONS], async (number) => {
    const { script } = hanging(number);
    const { run, server, replay } = await begin(t, `killed-${number}`, script);
    const { child, ended } = startSealane(replay, inDir);
    await server.arrived(number);
    child.kill("SIGKILL");
    t.equal((await ended).signal, "SIGKILL");
    t.equal(server.chats.length, number);
    t.notOk(existsSync(join(run, "answers.jsonl")));
    const id = IDS[number - 1]!;

    const failing = number === 23;
    const decision = failing ? "--count-as-failure" : "--retry-once";
    const name = `killed-${number}`;
    const [again, still, graded, resolved, last] = await sealaneBatch(
      [
        replay,
        replay,
        ["grade", name, "--endpoint", "token-f1", "--json"],
        ["resolve", name, id, decision, "--reason", "killed", "--json"],
        replay,
      ],
      dir,
    );
    t.equal(again?.code, 6, `killed at call ${number}: the call in flight waits for a decision`);
    t.match(oneDocument(again!), {
      calls_made: HARBOUR_QUESTIONS - number,
      undecided: 1,
      stopped: false,
      statuses: null,
      exit_code: 6,
    });
    t.equal(still?.code, 6, "and goes on waiting");
    t.match(oneDocument(still!), { calls_made: 0, undecided: 1 });
    t.strictSame([graded?.code, reasonOf(graded!)], [64, "E_RUN_STAGE"]);
    t.match(oneDocument(resolved!), {
      schema: "sealane-resolved/1",
      decision: decision.slice(2),
      calls: [{ question_id: id, attempt: 1 }],
    });
    t.equal(last?.code, 0);
    t.match(oneDocument(last!), { calls_made: failing ? 0 : 1, undecided: 0 });
    t.strictSame(timesAsked(server), onceEach(failing ? [] : [number - 1]), "no other call was made twice");
    const undisturbed = answersOf(join(dir, "undisturbed"));
    if (failing) undisturbed[number - 1] = [id, "interrupted", undefined];
    t.strictSame(answersOf(run), undisturbed);
    t.match(recordsIn<AmendmentRecord>(run, "amendments.jsonl"), [
      { number: 1, previous_sha256: null, question_id: id, decision: decision.slice(2), reason: "killed" },
    ]);
  });
});

t.test("stopped by Ctrl-C: the call in flight is waited for", async (t) => {
  const { script, release } = hanging(11);
  const { run, server, replay } = await begin(t, "stopped", script);
  const { child, ended } = startSealane(replay, inDir);
  await server.arrived(11);
  const heard = hearing(child);
  child.kill("SIGINT");
  await heard;
  release();
  const stopped = await ended;
  t.equal(stopped.code, 130);
  t.match(oneDocument(stopped), { calls_made: 11, undecided: 0, stopped: true, statuses: null, exit_code: 130 });
  t.equal(server.chats.length, 11, "no further call was begun");
  const again = await go(replay);
  t.equal(again.code, 0);
  t.match(oneDocument(again), { calls_made: HARBOUR_QUESTIONS - 11, statuses: { answered: HARBOUR_QUESTIONS } });
  t.strictSame(timesAsked(server), onceEach());
  t.strictSame(answersOf(run), answersOf(join(dir, "undisturbed")));
  t.equal(readFileSync(join(run, "amendments.jsonl"), "utf8"), "", "nothing had to be decided");
});

t.test("stopped by SIGTERM likewise, without --json, in words on stderr", async (t) => {
  const { script, release } = hanging(3);
  const { server, replay } = await begin(t, "terminated", script);
  const { child, ended } = startSealane(replay.slice(0, -1), inDir);
  await server.arrived(3);
  const heard = hearing(child);
  child.kill("SIGTERM");
  await heard;
  release();
  const stopped = await ended;
  t.strictSame([stopped.code, stopped.stdout], [130, ""]);
  t.equal(reasonOf(stopped), "E_CANCELLED");
  t.equal(server.chats.length, 3);
});

t.test("Ctrl-C twice: the call in flight is broken off, and waits", async (t) => {
  const { script } = hanging(5);
  const { run, server, replay } = await begin(t, "broken-off", script);
  const { child, ended } = startSealane(replay, inDir);
  await server.arrived(5);
  const heard = hearing(child);
  child.kill("SIGINT");
  await heard;
  child.kill("SIGINT");
  const broken = await ended;
  t.equal(broken.code, 130);
  t.match(oneDocument(broken), { calls_made: 4, undecided: 1, stopped: true });
  const resolve = ["resolve", "broken-off", "--all", "--count-as-failure", "--reason", "impatience"];
  const then = await sealaneBatch([replay, resolve, replay], dir);
  t.strictSame(
    then.map(({ code }) => code),
    [6, 0, 0],
  );
  t.strictSame(timesAsked(server), onceEach());
  const [receipt] = recordsIn<ReceiptRecord>(run, "receipts/reader.jsonl").slice(4);
  t.match(receipt, { question_id: IDS[4], attempt: 1, status: "interrupted" });
});

t.test("the deadline of one call", async (t) => {
  const { server, replay } = await begin(t, "slow", (call) =>
    call.number === 2 ? { delayMs: 60_000, reply: "ok" } : "ok",
  );
  const ended = await go([...replay, "--deadline", "2.5"]);
  t.equal(ended.code, 6);
  t.match(oneDocument(ended), { calls_made: HARBOUR_QUESTIONS - 1, undecided: 1 });
  t.equal(server.chats.length, HARBOUR_QUESTIONS);
});

t.test("a server that breaks down on the way", async (t) => {
  const { server, replay } = await begin(t, "breaks-down", (call) => (call.number > 4 ? "drop-before" : "ok"));
  const ended = await go(replay);
  t.equal(ended.code, 69);
  t.equal(reasonOf(ended), "E_READER");
  t.equal(server.chats.length, 7, "three calls without an answer, and no more");
  server.script = () => "ok";
  const mended = await go(replay);
  t.equal(mended.code, 6);
  t.match(oneDocument(mended), { calls_made: HARBOUR_QUESTIONS - 7, undecided: 3 });
});

t.test("two at once: the second is turned away", async (t) => {
  const { script, release } = hanging(2);
  const { server, replay } = await begin(t, "twice", script);
  const { ended } = startSealane(replay, inDir);
  await server.arrived(2);
  const second = await go(replay);
  t.equal(second.code, 64);
  t.equal(reasonOf(second), "E_RUN_BUSY");
  const decision = await go(["resolve", "twice", "--all", "--retry-once", "--reason", "x", "--json"]);
  t.equal(reasonOf(decision), "E_RUN_BUSY", "nor is anything decided about a call in flight");
  release();
  t.equal((await ended).code, 0);
  t.strictSame(timesAsked(server), onceEach());
});

t.test("the sampling options given are the ones sent", async (t) => {
  const { server, replay } = await begin(t, "options", () => "ok");
  const set = ["--option", "seed=7", "--option", "temperature=0", "--option=top_p=5e-1", "--think", "false"];
  const [first, other] = (await sealaneBatch([[...replay, ...set], replay], dir)) as [Ended, Ended];
  t.equal(first.code, 0);
  const request = JSON.parse(server.chats[0]?.body.toString() ?? "{}") as { options: object; think: unknown };
  t.strictSame(request.options, {
    min_p: 0,
    num_ctx: 128000,
    num_predict: 16384,
    presence_penalty: 0,
    repeat_penalty: 1,
    seed: 7,
    temperature: 0,
    top_k: 20,
    top_p: 0.5,
  });
  t.equal(request.think, false);
  t.equal(other.code, 7, "the same command without them is another experiment");
  t.equal(reasonOf(other), "E_RUN_MIX");
});
