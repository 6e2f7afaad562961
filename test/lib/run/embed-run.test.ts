import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { historiesOf } from "../../../lib/dataset/histories.js";
import type { Dataset } from "../../../lib/dataset/index.js";
import { modelEmbedderOf } from "../../../lib/embedding/index.js";
import type { Encoder } from "../../../lib/embedding/types.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import { textsToEmbed } from "../../../lib/evidence/texts.js";
import { type Embedded, type EmbedOptions, type EmbedRequest, embedDataset } from "../../../lib/run/embed-run.js";
import { VectorCache } from "../../../lib/run/vector-cache.js";
import { VectorStore } from "../../../lib/run/vector-store.js";
import {
  EMBED_DIGEST,
  EMBED_MODEL,
  type EmbedCall,
  EmbeddingServer,
  vectorFor,
} from "../../support/embedding-server.js";
import { codeOf, harbour, NEVER, steppingClock } from "../../support/runs.js";

const server = await EmbeddingServer.start();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.calls.length = 0;
  server.script = () => "ok";
  server.digest = EMBED_DIGEST;
  server.loaded = { size: 600, size_vram: 0 };
});

const DATASET = harbour();
const TEXTS = new Set(
  [...textsToEmbed(DATASET)].map(
    ({ kind, text }) => (kind === "document" ? "search_document: " : "search_query: ") + text,
  ),
);

function encoder(model = EMBED_MODEL): Encoder {
  return modelEmbedderOf("ollama").open({
    url: server.url,
    model,
    key: undefined,
    deadlineMs: 5000,
    runtime: undefined,
  });
}

function embed(
  out: string,
  request: Partial<EmbedRequest> = {},
  options: Partial<EmbedOptions> = {},
  dataset: Dataset = DATASET,
): Promise<Embedded> {
  return embedDataset(
    dataset,
    encoder(),
    {
      embedder: "ollama",
      parameters: { truncate: false },
      documentPrefix: "search_document: ",
      queryPrefix: "search_query: ",
      dimensions: 768,
      batch: 16,
      out,
      ...request,
    },
    { clock: steppingClock(), stop: NEVER, abort: NEVER, onProgress: () => {}, ...options },
  );
}

t.test("every text of the dataset is asked for once, with its prefix, and can be found again", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  const progress: [number, number][] = [];
  const { header, sha256, made } = await embed(out, {}, { onProgress: (...at) => progress.push(at) });
  const sent = server.calls.flatMap((call) => call.texts);
  t.equal(sent.length, TEXTS.size);
  t.strictSame(new Set(sent), TEXTS);
  t.ok(server.calls.every((call) => call.texts.length <= 16));
  t.equal(made, TEXTS.size);
  t.strictSame(progress.at(-1), [TEXTS.size, TEXTS.size]);
  t.equal(sha256, sha256Hex(readFileSync(out)));
  t.strictSame(header.embedding, {
    id: "ollama",
    model: EMBED_MODEL,
    digest: EMBED_DIGEST,
    dimensions: 768,
    document_prefix: "search_document: ",
    query_prefix: "search_query: ",
    vectors_sha256: null,
    parameters: { truncate: false },
  });
  t.strictSame(header.compute, [
    { software: "ollama 0.12.3", device: "cpu", started: "2026-01-01T00:00:01.000Z", vectors: TEXTS.size },
  ]);
  const store = new VectorStore(out);
  t.teardown(() => store.close());
  const { question } = DATASET.asked[0]!;
  t.strictSame([...store.vector("query", question)], vectorFor(`search_query: ${question}`));
  t.strictSame(readdirSync(join(out, "..")), ["v.vectors"], "nothing is left beside it");
});

t.test("a text that stands twice is asked for once", async (t) => {
  const [first] = DATASET.asked;
  const dataset = { ...DATASET, asked: [...DATASET.asked, { ...first!, questionId: "again" }] };
  const { made } = await embed(join(t.testdir(), "v.vectors"), { batch: 999 }, {}, dataset);
  t.equal(made, TEXTS.size);
  t.equal(server.calls[0]?.texts.length, TEXTS.size);
});

t.test("what was made before it broke off is not asked for again", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  server.script = ({ number }) => (number <= 3 ? "ok" : { status: 500, body: "{}" });
  t.equal(await codeOf(() => embed(out)), "E_EMBEDDER");
  t.notOk(existsSync(out));
  const first = server.calls.slice(0, 3).flatMap((call) => call.texts);
  server.calls.length = 0;
  server.script = () => "ok";
  server.loaded = { size: 600, size_vram: 600 };
  const { header, made } = await embed(out, { batch: 10 });
  const second = server.calls.flatMap((call) => call.texts);
  t.strictSame(new Set([...first, ...second]), TEXTS);
  t.equal(first.length + second.length, TEXTS.size);
  t.equal(made, second.length);
  t.strictSame(
    header.compute.map(({ device, vectors }) => [device, vectors]),
    [
      ["cpu", first.length],
      ["gpu", second.length],
    ],
    "it is on record which were made where",
  );
  new VectorStore(out).close();
});

t.test("stopping ends after the batch in flight, breaking off in the middle of it", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  const stop = new AbortController();
  server.script = ({ number }) => {
    if (number === 2) stop.abort();
    return "ok";
  };
  t.equal(await codeOf(() => embed(out, {}, { stop: stop.signal })), "E_CANCELLED");
  t.equal(server.calls.length, 2);
  const cache = new VectorCache(`${out}.partial`);
  t.equal([...cache.vectors()].length, 32);
  cache.close();
  const abort = new AbortController();
  server.script = () => {
    abort.abort();
    return "stall";
  };
  t.equal(await codeOf(() => embed(out, {}, { abort: abort.signal })), "E_CANCELLED");
  server.script = () => "ok";
  server.calls.length = 0;
  t.equal((await embed(out)).made, TEXTS.size - 32);
});

t.test("vectors that are none end it, and nothing is kept of their batch", async (t) => {
  const bad: [string, (vectors: number[][]) => unknown[]][] = [
    ["one too few", (vectors) => vectors.slice(1)],
    ["one too many", (vectors) => [...vectors, vectors[0]]],
    ["too short", (vectors) => vectors.map((vector) => vector.slice(1))],
    ["zeros", (vectors) => [vectors[0]!.map(() => 0), ...vectors.slice(1)]],
    ["below the smallest float32", (vectors) => [vectors[0]!.map(() => 1e-60), ...vectors.slice(1)]],
    ["above the largest float32", (vectors) => [[1e39, ...vectors[0]!.slice(1)], ...vectors.slice(1)]],
    ["null", (vectors) => [...vectors.slice(1), null]],
    ["a text", (vectors) => [["0.5", ...vectors[0]!.slice(1)], ...vectors.slice(1)]],
    ["a hole", (vectors) => [[null, ...vectors[0]!.slice(1)], ...vectors.slice(1)]],
  ];
  for (const [why, change] of bad) {
    for (const at of [1, 2]) {
      const out = join(t.testdir(), "v.vectors");
      server.calls.length = 0;
      server.script = ({ number }: EmbedCall) => (number === at ? change : "ok");
      t.equal(await codeOf(() => embed(out)), "E_VECTOR", why);
      t.equal(existsSync(`${out}.partial`), at > 1, "an empty beginning does not stay");
    }
  }
});

t.test("another model is not mixed in", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  server.script = ({ number }) => (number <= 2 ? "ok" : "drop");
  t.equal(await codeOf(() => embed(out)), "E_EMBEDDER");
  server.script = () => "ok";
  server.digest = "0b".repeat(32);
  t.equal(await codeOf(() => embed(out)), "E_RUN_MIX");
  server.digest = EMBED_DIGEST;
  t.equal(await codeOf(() => embed(out, { queryPrefix: "query: " })), "E_RUN_MIX");
  t.equal(await codeOf(() => embed(out, { dimensions: 512 })), "E_RUN_MIX");
  server.script = ({ number }) => {
    if (number === 5) server.digest = "0b".repeat(32);
    return "ok";
  };
  t.equal(await codeOf(() => embed(out)), "E_EMBEDDER", "replaced while it was in use");
  t.notOk(existsSync(out));
  server.digest = EMBED_DIGEST;
  server.script = () => "ok";
  t.equal((await embed(out)).made, TEXTS.size - 32, "what the session with the doubt made is made again");
});

t.test("a length that nobody knows is that of the first vector", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  server.script = ({ number }) => (number === 3 ? "drop" : (vectors) => vectors.map((vector) => vector.slice(0, 12)));
  t.equal(await codeOf(() => embed(out, { dimensions: undefined })), "E_EMBEDDER");
  server.digest = "0b".repeat(32);
  server.calls.length = 0;
  t.equal(await codeOf(() => embed(out, { dimensions: undefined })), "E_RUN_MIX");
  t.equal(server.calls.length, 0, "another model is refused before it is asked anything");
  server.digest = EMBED_DIGEST;
  server.script = () => (vectors) => vectors.map((vector) => vector.slice(0, 12));
  t.equal((await embed(out, { dimensions: undefined })).header.embedding.dimensions, 12);
});

t.test("what is refused before anything is asked", async (t) => {
  const folder = t.testdir({ "there.vectors": "" });
  t.equal(await codeOf(() => embed(join(folder, "there.vectors"))), "E_EXISTS");
  const empty = { ...DATASET, asked: [] };
  t.equal(await codeOf(() => embed(join(folder, "v"), {}, {}, empty)), "E_POPULATION");
  const held = new VectorCache(join(folder, "held.partial"));
  t.equal(await codeOf(() => embed(join(folder, "held"))), "E_RUN_BUSY");
  held.close();
  writeFileSync(join(folder, "other.partial"), "no database at all, but long enough to be taken for one".repeat(99));
  t.equal(await codeOf(() => embed(join(folder, "other"))), "E_RUN_CHANGED");
  t.equal(server.calls.length, 0);
});

t.test("preparation with vectors of another dataset stops at the first text that has none", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  await embed(out);
  const store = new VectorStore(out);
  t.teardown(() => store.close());
  const plain = preparationProtocol(DATASET, { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 300 });
  const protocol = { ...plain, embedding: store.identity };
  t.equal([...preparePackets(DATASET, protocol, store)].length, DATASET.asked.length);
  const [history, ...others] = DATASET.histories;
  const [session, ...sessions] = history!.sessions;
  const turns = session!.turns.map((turn, n) => (n === 0 ? { ...turn, text: `${turn.text} And more.` } : turn));
  const other = {
    ...DATASET,
    histories: historiesOf([{ ...history!, sessions: [{ ...session!, turns }, ...sessions] }, ...others]),
  };
  t.throws(() => [...preparePackets(other, protocol, store)], { code: "E_VECTOR" });
  t.throws(() => [...preparePackets(DATASET, protocol)], { code: "E_VECTOR" });
});
