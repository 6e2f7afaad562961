// The true path through llama.cpp. It needs the package, which is not installed with sealane: name its folder in SEALANE_TEST_LLAMA.
import { existsSync } from "node:fs";
import t from "tap";
import { modelEmbedderOf } from "../../../lib/embedding/index.js";
import type { Encoder } from "../../../lib/embedding/types.js";
import { shared } from "../../support/shared.js";

const NEVER = new AbortController().signal;
const model = shared("data/models/tiny-nomic.gguf");
const runtime = process.env.SEALANE_TEST_LLAMA;
const skip = model.skip || (runtime && existsSync(runtime) ? false : "no node-llama-cpp named in SEALANE_TEST_LLAMA");

function open(path: string, folder: string | undefined): Encoder {
  return modelEmbedderOf("llama-cpp").open({
    url: "file:",
    model: path,
    key: undefined,
    deadlineMs: 60_000,
    runtime: folder,
  });
}

t.test("a GGUF file makes the same vectors in two contexts", { skip }, async (t) => {
  const texts = ["search_query: Whose boat?", "search_document: Zoë\nThe boat 🛶", "search_query: Whose boat?"];
  const [first, second] = await Promise.all(
    [1, 2].map(async () => {
      const encoder = open(model.path, runtime);
      const vectors = (await encoder.embed(texts, NEVER)) as number[][];
      const compute = await encoder.compute();
      await encoder.close();
      return { vectors, compute };
    }),
  );
  t.strictSame(first, second);
  t.strictSame(first?.vectors[0], first?.vectors[2]);
  t.notSame(first?.vectors[0], first?.vectors[1]);
  for (const vector of first?.vectors ?? []) t.equal(vector.length, 768);
  t.match(first?.compute, { software: /node-llama-cpp 3\.21\.1, llama\.cpp /, device: "cpu, 1 thread" });
});

t.test("a text longer than the context is refused, not cut", { skip }, async (t) => {
  const encoder = open(model.path, runtime);
  await t.rejects(encoder.embed(["boat ".repeat(9000)], NEVER), { code: "E_EMBEDDER" });
  await encoder.close();
});

t.test("stopping between two texts", { skip }, async (t) => {
  const encoder = open(model.path, runtime);
  await t.rejects(encoder.embed(["boat"], AbortSignal.abort()), { code: "E_CANCELLED" });
  await encoder.close();
});

t.test("the model is its file", { skip: model.skip }, async (t) => {
  const { digest, model: name } = await open(model.path, undefined).identify();
  t.equal(name, "tiny-nomic.gguf");
  t.equal(digest, "a4c63a187539338ff504863656d88057a0e93a51809d41ff5fe64ad5120be510");
});

t.test("without the package, or without a model, it says so", async (t) => {
  const file = `${t.testdir({ "x.gguf": "GGUF\u0003\0\0\0" })}/x.gguf`;
  await t.rejects(open(file, "/nowhere").embed(["boat"], NEVER), { code: "E_EMBEDDER", next: /npm install/ });
  await t.rejects(open(`${file}.gone`, undefined).identify(), { code: "E_MISSING" });
  await open(file, undefined).close();
});

t.test("a file that is no model", async (t) => {
  const folder = t.testdir({
    "text.gguf": "GGUF but not really",
    "empty.gguf": "",
    "other.bin": "\u007fELF\u0003\0\0\0",
  });
  for (const name of ["text.gguf", "empty.gguf", "other.bin"]) {
    await t.rejects(open(`${folder}/${name}`, folder).embed(["boat"], NEVER), {
      code: "E_EMBEDDER",
      next: /GGUF format/,
    });
  }
});
