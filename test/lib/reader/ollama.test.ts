import { execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Socket } from "node:net";
import { promisify } from "node:util";
import t from "tap";
import { LIMITS } from "../../../lib/bytes/limits.js";
import { readerOf, readerProtocol } from "../../../lib/reader/index.js";
import { readReply } from "../../../lib/reader/reply.js";
import { requestBody } from "../../../lib/reader/request.js";
import { NotSentError, type RawReply, type Reader } from "../../../lib/reader/types.js";
import {
  answerTo,
  type Behaviour,
  chatResponse,
  MODEL,
  MODEL_DIGEST,
  OllamaServer,
  tag,
} from "../../support/ollama-server.js";
import { repositoryFile } from "../../support/shared.js";

const NEVER = new AbortController().signal;
const KIND = readerOf("ollama");
const ASKED = { question: 'Whose "boat" is it? \0 $& 🛶', questionDate: "2 March 2024" };
const PROTOCOL = readerProtocol(KIND, { name: MODEL, digest: MODEL_DIGEST }, { options: {} });
const BODY = requestBody(PROTOCOL, ASKED, "(1.1) Zoë: mine\n");

const server = await OllamaServer.start();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.chats.length = 0;
  server.script = () => "ok";
});

const open = (deadlineMs = 5000, url = server.url): Reader => KIND.open({ url, deadlineMs });

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const gone = await OllamaServer.start();
  const { port } = gone;
  await gone.close();
  return port;
}

/** What a call ends with: an error, or a failure of the test. */
async function failure(work: Promise<unknown>): Promise<Error> {
  try {
    return new Error(`nothing was thrown: ${JSON.stringify(await work)}`);
  } catch (error) {
    return error as Error;
  }
}

t.test("the bytes that arrive are the request's, and only they", async (t) => {
  const reply = await open().send(BODY, NEVER);
  t.equal(server.chats.length, 1);
  const [call] = server.chats;
  t.ok(call?.body.equals(Buffer.from(BODY)), "byte for byte");
  t.equal(call?.headers["content-length"], String(Buffer.byteLength(BODY)), "of a known length");
  t.equal(call?.headers["content-type"], "application/json");
  t.equal(call?.headers["accept-encoding"], undefined, "nothing is asked for that would need decoding");
  t.equal(call?.headers.authorization, undefined);
  t.equal(reply.httpStatus, 200);
  t.match(readReply(reply.httpStatus, reply.body), {
    status: "answered",
    answer: answerTo(BODY),
    model: MODEL,
    promptTokens: 321,
    completionTokens: 12,
  });
});

t.test("a long request arrives whole", async (t) => {
  const body = requestBody(PROTOCOL, ASKED, "(1.1) Zoë: \u0001 “mine”\n".repeat(100_000));
  t.ok(Buffer.byteLength(body) > 2_500_000);
  await open().send(body, NEVER);
  t.ok(server.chats[0]?.body.equals(Buffer.from(body)));
});

t.test("response bytes come back untouched, whatever they are", async (t) => {
  const bodies: Buffer[] = [
    Buffer.from(JSON.stringify(chatResponse("Zoë 🛶"))),
    Buffer.from(`\ufeff  ${JSON.stringify(chatResponse("x"), null, 2)}\r\n\0`),
    Buffer.from([0xff, 0xfe, 0x00, 0xc0, 0x80, 0x0a, 0x22]),
    Buffer.alloc(0),
    Buffer.from("<html>"),
    Buffer.from('{"b":1,"a":1.0,"a":"\\u0041"}'),
  ];
  for (const [number, body] of bodies.entries()) {
    for (const status of [200, 201, 404, 500]) {
      server.script = () => ({ status, body });
      const reply = await open().send(BODY, NEVER);
      t.equal(reply.httpStatus, status);
      t.ok(body.equals(reply.body), `body ${number}, HTTP ${status}`);
    }
  }
});

t.test("what each behaviour of a server ends as", async (t) => {
  const expected: [Behaviour, string][] = [
    ["ok", "answered"],
    ["empty", "empty"],
    ["output-limit", "output-limit"],
    ["thinking-only", "empty"],
    ["error-500", "breach"],
    ["error-404", "breach"],
    ["error-200", "breach"],
    ["half-json", "breach"],
    ["not-json", "breach"],
    ["invalid-utf8", "breach"],
    ["not-done", "breach"],
    ["drop-before", "thrown"],
    ["drop-during", "thrown"],
    ["huge", "thrown"],
    [{ delayMs: 50, reply: "ok" }, "answered"],
    [{ status: 307, body: "", headers: { location: "/api/tags" } }, "breach"],
    [{ status: 301, body: "", headers: { location: `${server.url}/api/tags` } }, "breach"],
    [{ status: 204, body: "" }, "breach"],
  ];
  const tagsBefore = server.tagsAsked;
  for (const [behaviour, outcome] of expected) {
    server.chats.length = 0;
    server.script = () => behaviour;
    let found: string;
    try {
      const { httpStatus, body } = await open().send(BODY, NEVER);
      const reply = readReply(httpStatus, body);
      found = "breach" in reply ? "breach" : reply.status;
      if (outcome === "empty") t.match(reply, { answer: "" }, "thinking is no answer");
    } catch (error) {
      found = error instanceof NotSentError ? "not sent" : "thrown";
    }
    t.equal(found, outcome, JSON.stringify(behaviour));
    t.equal(server.chats.length, 1, "asked once, whatever came of it");
  }
  t.equal(server.tagsAsked, tagsBefore, "no redirect is followed");
});

t.test("a response is read up to the bound, not beyond", async (t) => {
  const reply = (bytes: number): Buffer => Buffer.alloc(bytes, " ");
  server.script = () => ({ status: 200, body: reply(LIMITS.responseBytesMax) });
  t.equal((await open(20_000).send(BODY, NEVER)).body.length, LIMITS.responseBytesMax);
  server.script = () => ({ status: 200, body: reply(LIMITS.responseBytesMax + 1) });
  const error = await failure(open(20_000).send(BODY, NEVER));
  t.notOk(error instanceof NotSentError);
  t.match(error.message, String(LIMITS.responseBytesMax));
});

t.test("identify: the digest that the server has for the name", async (t) => {
  const reader = open();
  t.strictSame(await reader.identify(MODEL), { name: MODEL, digest: MODEL_DIGEST });
  t.strictSame(await reader.identify("llama3.2"), { name: "llama3.2", digest: "4".repeat(64) }, "latest is implied");
  t.strictSame(await reader.identify("llama3.2:latest"), { name: "llama3.2:latest", digest: "4".repeat(64) });
  t.equal(server.chats.length, 0, "no model is called for it");
});

t.test("identify: a model that is not there", async (t) => {
  for (const name of ["qwen3.8", "qwen3.8:14b", "QWEN3.8:27B", "llama3", "", ":", "qwen3.8:27b "]) {
    await t.rejects(open().identify(name), { code: "E_READER", exitCode: 69, expected: name }, JSON.stringify(name));
  }
});

t.test("identify: what a server may answer to the list of its models", async (t) => {
  const before = server.tags;
  t.teardown(() => {
    server.tags = before;
  });
  const answers: [string, number, string, string | null | undefined][] = [
    [
      "a digest with its algorithm",
      200,
      JSON.stringify({ models: [tag(MODEL, `sha256:${MODEL_DIGEST}`)] }),
      MODEL_DIGEST,
    ],
    ["no digest", 200, JSON.stringify({ models: [{ name: MODEL }] }), null],
    ["a digest of another form", 200, JSON.stringify({ models: [tag(MODEL, "sha512:00")] }), null],
    ["a digest that is a number", 200, JSON.stringify({ models: [{ name: MODEL, digest: 7 }] }), null],
    ["entries that are none", 200, JSON.stringify({ models: [null, 1, {}, tag(MODEL, MODEL_DIGEST)] }), MODEL_DIGEST],
    ["no models", 200, JSON.stringify({ models: [] }), undefined],
    ["models null", 200, JSON.stringify({ models: null }), undefined],
    ["models as an object", 200, JSON.stringify({ models: {} }), undefined],
    ["an empty object", 200, "{}", undefined],
    ["null", 200, "null", undefined],
    ["no JSON", 200, "<html>", undefined],
    ["half of it", 200, before.body.slice(0, 50), undefined],
    ["nothing", 200, "", undefined],
    ["an error", 500, JSON.stringify({ error: "x" }), undefined],
    ["an error with a good list", 503, before.body, undefined],
    ["no such page", 404, "404 page not found", undefined],
  ];
  for (const [title, status, body, digest] of answers) {
    server.tags = { status, body };
    if (digest === undefined) await t.rejects(open().identify(MODEL), { code: "E_READER" }, title);
    else t.strictSame(await open().identify(MODEL), { name: MODEL, digest }, title);
  }
});

t.test("a server that is not there: nothing left, so nothing was asked", async (t) => {
  const port = await closedPort();
  for (const url of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `127.0.0.1:${port}`]) {
    t.ok((await failure(open(5000, url).send(BODY, NEVER))) instanceof NotSentError, url);
    await t.rejects(open(5000, url).identify(MODEL), { code: "E_READER", exitCode: 69 });
  }
  t.ok((await failure(open(5000, "http://name.invalid:1").send(BODY, NEVER))) instanceof Error);
});

t.test("a URL that is none is a server that is not there", async (t) => {
  for (const url of ["http://", "ftp://127.0.0.1", "http://127.0.0.1:99999", "::"]) {
    await t.rejects(open(5000, url).identify(MODEL), { code: "E_READER" }, url);
  }
});

t.test("a URL with a path, a slash at its end, or no scheme", async (t) => {
  for (const url of [`${server.url}/`, `127.0.0.1:${server.port}`]) {
    t.strictSame(await open(5000, url).identify(MODEL), { name: MODEL, digest: MODEL_DIGEST }, url);
  }
  await t.rejects(open(5000, `${server.url}/elsewhere`).identify(MODEL), { code: "E_READER" });
});

t.test("the deadline covers the whole exchange", async (t) => {
  for (const behaviour of [{ delayMs: 30_000, reply: "ok" }, "stall-during"] as Behaviour[]) {
    server.script = () => behaviour;
    const started = performance.now();
    const error = await failure(open(150).send(BODY, NEVER));
    t.notOk(error instanceof NotSentError, "the server may have answered");
    t.match(error.message, "0.15 s", "it is the deadline that is told of, not what it looks like from below");
    t.ok(performance.now() - started < 5000, "and is kept");
  }
  server.script = () => ({ delayMs: 300, reply: "ok" });
  t.equal((await open(20_000).send(BODY, NEVER)).httpStatus, 200, "a slow answer within it is waited for");
});

t.test("a server that takes the connection and never answers", async (t) => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
  const { port } = mute.address() as { port: number };
  await t.rejects(open(150, `http://127.0.0.1:${port}`).identify(MODEL), { code: "E_READER" });
  t.notOk((await failure(open(150, `http://127.0.0.1:${port}`).send(BODY, NEVER))) instanceof NotSentError);
});

t.test("abort breaks off the call in flight, at any point of it", async (t) => {
  for (const behaviour of [{ delayMs: 30_000, reply: "ok" }, "stall-during"] as Behaviour[]) {
    server.chats.length = 0;
    server.script = () => behaviour;
    const abort = new AbortController();
    const call = failure(open(60_000).send(BODY, abort.signal));
    await server.arrived(1);
    if (behaviour === "stall-during") await new Promise((resolve) => setTimeout(resolve, 50));
    abort.abort();
    const error = await call;
    t.notOk(error instanceof NotSentError);
    t.notMatch(error.message, /nothing was thrown|dropped/);
    t.equal(server.chats.length, 1);
  }
});

t.test("a failure after the connection was made is not one before it, whatever it is called", async (t) => {
  server.script = () => ({ delayMs: 30_000, reply: "ok" });
  const breakOff = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => {
      server.arrived(1).then(() => socket.destroy(Object.assign(new Error("gone"), { code: "EHOSTUNREACH" })));
    });
  };
  subscribe("net.client.socket", breakOff);
  t.teardown(() => unsubscribe("net.client.socket", breakOff));
  const error = await failure(open(20_000).send(BODY, NEVER));
  t.equal((error as NodeJS.ErrnoException).code, "EHOSTUNREACH");
  t.notOk(error instanceof NotSentError, "the request may have been answered");
  t.equal(server.chats.length, 1);
});

t.test("a request that the client would write in another way does not leave", async (t) => {
  for (const body of [
    JSON.stringify({ stream: false, model: "m", messages: [] }, null, 1),
    '{"messages":[],"model":"m","options":{"2":1,"10":1},"stream":false} ',
    '{"messages":[],"model":"m","options":{"seed":1.0},"stream":false}',
    '{"messages":[],"model":"m"}',
  ]) {
    t.ok((await failure(open().send(body, NEVER))) instanceof NotSentError);
  }
  t.equal(server.chats.length, 0);
});

t.test("the client prints nothing, whatever the server does", async (t) => {
  const behaviours: Behaviour[] = [
    "ok",
    "error-500",
    "error-404",
    "error-200",
    "half-json",
    "not-json",
    "drop-before",
    "drop-during",
    "invalid-utf8",
    "not-done",
    { status: 500, body: "not JSON", headers: { "content-type": "application/json" } },
    { status: 500, body: "plain words", headers: { "content-type": "text/plain" } },
  ];
  server.script = ({ number }) => behaviours[number - 1] ?? "ok";
  const before = server.tags;
  t.teardown(() => {
    server.tags = before;
  });
  const program = repositoryFile("build/test/support/call-reader.js");
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, [program, server.url, String(behaviours.length), BODY]);
  t.equal(server.chats.length, behaviours.length);
  t.equal(stdout, "");
  t.equal(stderr, "");
  server.tags = { status: 500, body: "plain words" };
  t.strictSame(await run(process.execPath, [program, server.url, "1", BODY]), { stdout: "", stderr: "" });
});

t.test("two calls of one reader do not touch each other", async (t) => {
  server.script = ({ number }) => ({ delayMs: number === 1 ? 100 : 1, reply: "ok" });
  const reader = open();
  const other = requestBody(PROTOCOL, { ...ASKED, question: "Another?" }, "(1.1) Zoë: mine\n");
  const replies: RawReply[] = await Promise.all([reader.send(BODY, NEVER), reader.send(other, NEVER)]);
  t.strictSame(
    replies.map(({ httpStatus, body }) => readReply(httpStatus, body)),
    [BODY, other].map((body) => readReply(200, Buffer.from(JSON.stringify(chatResponse(answerTo(body)))))),
  );
});
