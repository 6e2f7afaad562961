import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { DEFAULT_EMBEDDING } from "../../lib/embedding/index.js";
import { ARMS } from "../../lib/evidence/arms/index.js";
import type { Manifest, PreparationProtocol } from "../../schemas/index.js";
import { sealane, startSealane } from "../support/cli.js";
import { EmbeddingServer } from "../support/embedding-server.js";
import { finishedRun } from "../support/finished.js";
import { HARBOUR_FILE } from "../support/runs.js";

const server = await EmbeddingServer.start();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.calls.length = 0;
  server.script = () => "ok";
});

const DATASET = ["--dataset", HARBOUR_FILE, "--adapter", "own"];
const embed = (out: string, ...more: string[]): string[] => [
  "embed",
  ...DATASET,
  ...["--embedder", "ollama", "--url", server.url, "--out", out, "--json"],
  ...more,
];
const prepare = (out: string, arm: string, ...more: string[]): string[] => [
  "prepare",
  ...DATASET,
  ...["--arm", arm, "--ceiling", "300", "--out", out, "--json"],
  ...more,
];

t.test("vectors of a dataset, then packets made with them and with nothing else", async (t) => {
  const folder = t.testdir();
  const out = join(folder, "v.vectors");
  const made = await sealane(embed(out));
  t.equal(made.code, 0, made.stderr);
  const said = JSON.parse(made.stdout) as { sha256: string; count: number; embedding: { digest: string } };
  t.equal(said.sha256, sha256Hex(readFileSync(out)));
  t.equal((await sealane(embed(out))).code, 64, "nothing is overwritten");
  const unused = await sealane(prepare(join(folder, "unused"), "bm25", "--vectors", out));
  t.match(JSON.parse(unused.stdout), { error: { code: "E_USAGE" } });
  const arm = ARMS.find(({ needs }) => needs?.includes("semantic"));
  if (!arm) return void t.pass("no arm needs meaning");
  server.calls.length = 0;
  const prepared = await sealane(prepare(join(folder, "run"), arm.id, "--vectors", out));
  t.equal(prepared.code, 0, prepared.stderr);
  t.equal(server.calls.length, 0);
  const protocol = JSON.parse(
    readFileSync(join(folder, "run/protocols/preparation.json"), "utf8"),
  ) as PreparationProtocol;
  t.match(protocol.embedding, { id: "ollama", digest: said.embedding.digest, vectors_sha256: said.sha256 });
  const plain = await sealane(prepare(join(folder, "lsa"), arm.id));
  t.equal(plain.code, 0, plain.stderr);
  const lsa = JSON.parse(readFileSync(join(folder, "lsa/protocols/preparation.json"), "utf8")) as PreparationProtocol;
  t.strictSame(lsa.embedding, DEFAULT_EMBEDDING);
});

t.test("Ctrl-C keeps what is made, and the same command goes on", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  const { child, ended } = startSealane(embed(out, "--batch", "10"));
  const noticed = new Promise((resolve) => {
    child.stderr?.on("data", (text: Buffer) => text.includes("Stopping") && resolve(undefined));
  });
  server.script = ({ number }) => {
    if (number < 3) return "ok";
    if (number > 3) return { status: 500, body: "asked after it was stopped" };
    child.kill("SIGINT");
    return { until: noticed };
  };
  const stopped = await ended;
  t.equal(stopped.code, 130, stopped.stderr);
  t.match(JSON.parse(stopped.stdout), { error: { code: "E_CANCELLED" } });
  t.equal(server.calls.length, 3);
  t.notOk(existsSync(out));
  server.script = () => "ok";
  const { code, stdout } = await sealane(embed(out, "--batch", "10"));
  t.equal(code, 0);
  const { count, made } = JSON.parse(stdout) as { count: number; made: number };
  t.equal(count - made, 30);
});

t.test("a key is read from the variable that the user names, and from no other", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  const args = [
    "embed",
    ...DATASET,
    ...["--embedder", "openai", "--url", `${server.url}/v1`, "--model", "m", "--out", out, "--json"],
  ];
  const missing = await sealane([...args, "--key-env", "EMBED_KEY"], { env: { OPENAI_API_KEY: "sk-other" } });
  t.equal(missing.code, 64);
  t.equal(server.calls.length, 0);
  const { code, stdout, stderr } = await sealane([...args, "--key-env", "EMBED_KEY"], {
    env: { EMBED_KEY: "sk-mine" },
  });
  t.equal(code, 0, stderr);
  t.ok(server.calls.every(({ headers }) => headers.authorization === "Bearer sk-mine"));
  t.notMatch(stdout + stderr + readFileSync(out).toString("latin1"), "sk-mine");
});

t.test("what cannot be meant is refused", async (t) => {
  const out = join(t.testdir(), "v.vectors");
  const refusals: [string[], string][] = [
    [embed(out, "--batch", "0"), "E_USAGE"],
    [embed(out, "--batch", "1.5"), "E_USAGE"],
    [embed(out, "--deadline", "0"), "E_USAGE"],
    [["embed", ...DATASET, "--embedder", "lsa", "--out", out, "--json"], "E_UNKNOWN"],
    [["embed", ...DATASET, "--embedder", "openai", "--out", out, "--json"], "E_USAGE"],
    [["embed", ...DATASET, "--embedder", "ollama", "--url", "nowhere", "--out", out, "--json"], "E_USAGE"],
    [embed(out, "--model", "none"), "E_EMBEDDER"],
    [prepare(join(out, "run"), "bm25", "--vectors", out), "E_MISSING"],
  ];
  for (const [args, code] of refusals) {
    const { stdout } = await sealane(args);
    t.match(JSON.parse(stdout), { error: { code } }, args.slice(-3).join(" "));
  }
});

t.test("a lane says what its embedding was, and verifies", async (t) => {
  const folder = t.testdir();
  await finishedRun(folder, { embedding: DEFAULT_EMBEDDING });
  const manifest = JSON.parse(readFileSync(join(folder, "lane/manifest.json"), "utf8")) as Manifest;
  t.strictSame(manifest.embedding, DEFAULT_EMBEDDING);
  const trust = join(folder, "trust.json");
  const { code, stdout } = await sealane(["verify", join(folder, "lane"), "--trust", trust, "--dataset", HARBOUR_FILE]);
  t.equal(code, 0, stdout);
});
