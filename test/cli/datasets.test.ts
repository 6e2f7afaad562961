// Datasets that are streamed or a folder, and a tokenizer that is a file, through the built command line.
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import type { Report } from "../../schemas/index.js";
import { oneDocument, reasonOf, sealane } from "../support/cli.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(120_000);
const dir = t.testdir();
const LANTERNS = repositoryFile("fixtures/datasets/lanterns-longmemeval.json");
const ORCHARD = repositoryFile("fixtures/datasets/orchard-beam");
const TINY = repositoryFile("fixtures/tokenizers/tiny.json");

const run = (...args: string[]) => sealane([...args, "--json"], { cwd: dir });
const json = async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
  const ended = await run(...args);
  if (ended.code !== 0) throw new Error(`${args.join(" ")}: exit ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  return oneDocument(ended) as T;
};
const prepare = (adapter: string, dataset: string, out: string, ...more: string[]): string[] => [
  ...["prepare", "--adapter", adapter, "--dataset", dataset, "--arm", "bm25", "--ceiling", "200", "--out", out],
  ...more,
];

t.test("a folder and a tokenizer.json, from the dataset to the verdict", async (t) => {
  t.match(await json(...prepare("beam", ORCHARD, "run", "--tokenizer", TINY)), {
    population: { questions: 15, included: 13, histories: 3, sessions: 5, turns: 16 },
  });
  const protocol = JSON.parse(readFileSync(join(dir, "run/protocols/preparation.json"), "utf8"));
  t.match(protocol.tokenizer, { id: "hf-tokenizer-json", sha256: sha256Hex(readFileSync(TINY)) });
  await json("replay", "run", "--reader", "extractive");
  await json("grade", "run", "--endpoint", "token-f1");
  await json("keys", "new", "--out", "author.pem");
  await json("trust", "init", "--key", "author.pem", "--owner", "author", "--out", "trust.json");
  await json("seal", "run", "--id", "orchard", "--key", "author.pem", "--out", "lane");
  const verify = ["verify", "lane", "--trust", "trust.json"];
  const outcomes = ({ checks }: Report) =>
    Object.fromEntries(
      checks
        .filter(({ id }) => ["dataset", "tokens", "packets"].includes(id))
        .map((check) => [check.id, check.outcome]),
    );
  const whole = await json<Report>(...verify, "--dataset", ORCHARD, "--tokenizer", TINY);
  t.strictSame(outcomes(whole), { dataset: "passed", packets: "passed", tokens: "passed" });
  t.equal(whole.verdict.integrity, "verified");
  t.strictSame(outcomes(await json<Report>(...verify)), { dataset: "not-run", packets: "passed", tokens: "not-run" });
  t.equal(reasonOf(await run(...verify, "--tokenizer", "none.json")), "E_MISSING");
  t.equal(reasonOf(await run(...verify, "--tokenizer", LANTERNS)), "E_SCHEMA");
  t.equal(reasonOf(await run(...verify, "--dataset", LANTERNS)), "E_IO");
});

t.test("a file behind a link, and what is refused", async (t) => {
  symlinkSync(LANTERNS, join(dir, "link.json"));
  mkdirSync(join(dir, "empty"));
  const { dataset_sha256 } = await json(...prepare("longmemeval", "link.json", "lanterns", "--other-dataset"));
  t.equal(dataset_sha256, sha256Hex(readFileSync(LANTERNS)));
  const refused: [string[], string][] = [
    [prepare("longmemeval", LANTERNS, "new"), "E_DATASET"],
    [prepare("longmemeval", ORCHARD, "new", "--other-dataset"), "E_IO"],
    [prepare("beam", LANTERNS, "new"), "E_IO"],
    [prepare("beam", "empty", "new"), "E_MISSING"],
    [prepare("beam", "/dev/null", "new"), "E_IO"],
    [prepare("beam", ORCHARD, "new", "--tokenizer", "none.json"), "E_MISSING"],
    [prepare("beam", ORCHARD, "new", "--tokenizer", "o300k"), "E_UNKNOWN"],
    [prepare("beam", ORCHARD, "new", "--tokenizer", LANTERNS), "E_SCHEMA"],
  ];
  for (const [args, code] of refused) t.equal(reasonOf(await run(...args)), code, args.slice(1, 5).join(" "));
});
