import t from "tap";
import { modelEmbedderOf } from "../../../lib/embedding/index.js";
import type { EncoderSettings } from "../../../lib/embedding/types.js";
import { EMBED_DIGEST, EMBED_MODEL, EmbeddingServer, vectorFor } from "../../support/embedding-server.js";

const NEVER = new AbortController().signal;
const TEXTS = ["search_document: Zoë\nThe boat 🛶", "search_document: שלום\u0000\\"];

const server = await EmbeddingServer.start();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.calls.length = 0;
  server.script = () => "ok";
  server.digest = EMBED_DIGEST;
  server.loaded = { size: 600, size_vram: 0 };
});

const settings = (changes: Partial<EncoderSettings> = {}): EncoderSettings => ({
  url: server.url,
  model: EMBED_MODEL,
  key: undefined,
  deadlineMs: 5000,
  runtime: undefined,
  ...changes,
});
const ollama = (changes: Partial<EncoderSettings> = {}) => modelEmbedderOf("ollama").open(settings(changes));
const openai = (changes: Partial<EncoderSettings> = {}) =>
  modelEmbedderOf("openai").open(settings({ url: `${server.url}/v1`, ...changes }));

t.test("ollama: the bytes of a request, and vectors in order", async (t) => {
  const vectors = await ollama().embed(TEXTS, NEVER);
  t.strictSame(
    vectors,
    TEXTS.map((text) => vectorFor(text)),
  );
  const [call] = server.calls;
  t.equal(call?.path, "/api/embed");
  t.equal(call?.body.toString("utf8"), JSON.stringify({ model: EMBED_MODEL, input: TEXTS, truncate: false }));
  t.equal(call?.headers["content-type"], "application/json");
});

t.test("ollama: the model is the one that the server has, by digest", async (t) => {
  t.strictSame(await ollama().identify(), { model: EMBED_MODEL, digest: EMBED_DIGEST });
  server.digest = `sha256:${"0b".repeat(32)}`;
  t.strictSame(await ollama().identify(), { model: EMBED_MODEL, digest: "0b".repeat(32) });
  server.digest = "latest";
  t.strictSame(await ollama().identify(), { model: EMBED_MODEL, digest: null });
  await t.rejects(ollama({ model: "llama3.2:8b" }).identify(), {
    code: "E_EMBEDDER",
    found: /nomic-embed-text:latest/,
  });
});

t.test("ollama: where it was computed, as far as the server tells", async (t) => {
  const devices: [typeof server.loaded, string][] = [
    [{ size: 600, size_vram: 0 }, "cpu"],
    [{ size: 600, size_vram: 600 }, "gpu"],
    [{ size: 600, size_vram: 300 }, "cpu and gpu"],
    [null, "not told"],
  ];
  for (const [loaded, device] of devices) {
    server.loaded = loaded;
    t.strictSame(await ollama().compute(), { software: "ollama 0.12.3", device });
  }
});

t.test("openai: the bytes of a request, and vectors by their index", async (t) => {
  const encoder = openai({ key: "sk-test", model: "embed-3" });
  t.strictSame(
    await encoder.embed(TEXTS, NEVER),
    TEXTS.map((text) => vectorFor(text)),
  );
  const [call] = server.calls;
  t.equal(call?.path, "/v1/embeddings");
  t.strictSame(JSON.parse(call?.body.toString("utf8") ?? ""), {
    model: "embed-3",
    input: TEXTS,
    encoding_format: "float",
  });
  t.equal(call?.headers.authorization, "Bearer sk-test");
  t.strictSame(await encoder.identify(), { model: "embed-3", digest: null });
  t.match(await encoder.compute(), { software: /embed-3/, device: "not told" });
  t.notMatch((await encoder.compute()).software, /sk-test/);
});

t.test("openai: nothing leaves of what the environment and the client would add", async (t) => {
  const before = { ...process.env };
  t.teardown(() => {
    process.env = before;
  });
  process.env.OPENAI_ORG_ID = "org-private";
  process.env.OPENAI_PROJECT_ID = "project-private";
  process.env.OPENAI_API_KEY = "sk-private";
  process.env.OPENAI_CUSTOM_HEADERS = "x-private: yes";
  process.env.OPENAI_BASE_URL = "http://127.0.0.1:1/";
  await openai().embed(TEXTS, NEVER);
  const headers = server.calls[0]?.headers ?? {};
  t.strictSame(Object.keys(headers).sort(), ["accept", "connection", "content-length", "content-type", "host"]);
  t.notMatch(JSON.stringify(headers), /private/);
});

t.test("openai: what may pass is tried again, what will not is not", async (t) => {
  server.script = ({ number }) => (number === 1 ? { status: 503, body: '{"error":{"message":"busy"}}' } : "ok");
  t.strictSame(
    await openai().embed(TEXTS, NEVER),
    TEXTS.map((text) => vectorFor(text)),
  );
  t.equal(server.calls.length, 2);
  server.calls.length = 0;
  server.script = () => ({ status: 401, body: '{"error":{"message":"no such key"}}' });
  await t.rejects(openai().embed(TEXTS, NEVER), { code: "E_EMBEDDER", message: /no such key/ });
  t.equal(server.calls.length, 1);
});

t.test("a server that fails, is gone or says nonsense", async (t) => {
  const gone = await EmbeddingServer.start();
  const { url } = gone;
  await gone.close();
  await t.rejects(ollama({ url }).identify(), { code: "E_EMBEDDER" });
  await t.rejects(ollama({ url }).embed(TEXTS, NEVER), { code: "E_EMBEDDER" });
  for (const body of ["", "<html>", "[1", "null", '"text"']) {
    server.script = () => ({ status: 200, body });
    await t.rejects(ollama().embed(TEXTS, NEVER), { code: "E_EMBEDDER" }, `ollama ${body}`);
  }
  server.script = () => ({ status: 400, body: '{"error":"input length exceeds maximum context length"}' });
  await t.rejects(ollama().embed(TEXTS, NEVER), { code: "E_EMBEDDER", message: /exceeds/ });
  server.script = () => "drop";
  await t.rejects(ollama().embed(TEXTS, NEVER), { code: "E_EMBEDDER" });
  server.script = () => "stall";
  await t.rejects(ollama({ deadlineMs: 100 }).embed(TEXTS, NEVER), { code: "E_EMBEDDER" });
});

t.test("breaking off", async (t) => {
  for (const open of [ollama, openai]) {
    const stop = new AbortController();
    server.script = () => {
      stop.abort();
      return "stall";
    };
    await t.rejects(open().embed(TEXTS, stop.signal), { code: "E_CANCELLED" });
  }
});

t.test("vectors that are none come out as they came, for the caller to judge", async (t) => {
  server.script = () => (vectors) => vectors.slice(1);
  t.equal((await ollama().embed(TEXTS, NEVER)).length, 1);
  t.strictSame((await openai().embed(TEXTS, NEVER))[1], undefined);
});
