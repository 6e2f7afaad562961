// `sealane claims`, `compare` and `tables` through the built command line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Claims, ClaimsReport, Comparison } from "../../schemas/index.js";
import { oneDocument, reasonOf, type Surroundings, sealane } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(180_000);

const dir = t.testdir({ other: {} });
await finishedRun(dir);
await finishedRun(join(dir, "other"), { ceiling_tokens: 120 });
const inDir: Surroundings = { cwd: dir };
const run = (...args: string[]) => sealane(args, inDir);
const EXAMPLE = repositoryFile("fixtures/claims/every-kind.json");

t.test("claims check: exit code, text and JSON", async (t) => {
  const good = await run("claims", "check", EXAMPLE);
  t.match(good, { code: 0, stderr: "" });
  const claims = JSON.parse(readFileSync(EXAMPLE, "utf8")) as Claims;
  const [first] = claims.claims;
  first!.printed.percent = "87.4";
  writeFileSync(join(dir, "changed.json"), JSON.stringify(claims));
  const bad = await run("claims", "check", "changed.json", "--json");
  t.equal(bad.code, 1);
  const report = oneDocument(bad) as unknown as ClaimsReport;
  t.match(report, { schema: "sealane-claims-report/1", contradicted: 1, not_checkable: 0, exit_code: 1 });
  t.match(report.claims[0]?.figures[0], { field: "percent", printed: "87.4", recomputed: "87.5", confirmed: false });
  const said = await run("claims", "check", "changed.json");
  t.equal(said.code, 1);
  for (const word of ["87.4", "87.5", "contradicted", first!.id]) t.match(said.stdout, word);
  t.notMatch(said.stdout, "clopper-pearson", "what is confirmed is only counted");
  t.match((await run("claims", "check", "changed.json", "--all")).stdout, "clopper-pearson");
});

t.test("the template of a lane is checked against the lane, and not without it", async (t) => {
  const template = await run("claims", "template", "lane");
  t.match(template, { code: 0, stderr: "" });
  writeFileSync(join(dir, "template.json"), template.stdout);
  t.match(await run("claims", "check", "template.json", "--lane", "lane"), { code: 0, stderr: "" });
  const without = await run("claims", "check", "template.json", "--json");
  t.equal(without.code, 6);
  t.equal((oneDocument(without) as unknown as ClaimsReport).claims[0]?.reason, "lane-missing");
  const compact = await run("claims", "template", "lane", "--json");
  t.strictSame(oneDocument(compact), JSON.parse(template.stdout));
});

t.test("claims: what is refused", async (t) => {
  t.equal(reasonOf(await run("claims", "check", "none.json", "--json")), "E_MISSING");
  t.equal(reasonOf(await run("claims", "check", "trust.json", "--json")), "E_SCHEMA");
  t.equal(reasonOf(await run("claims", "check", EXAMPLE, "--lane", "nowhere", "--json")), "E_MISSING");
  t.equal(reasonOf(await run("claims", "check", EXAMPLE, "--lane", "lane", "--lane", "lane", "--json")), "E_USAGE");
  t.equal(reasonOf(await run("claims", "template", "lane", "--lane", "lane", "--json")), "E_USAGE");
  t.equal(reasonOf(await run("claims", "guess", EXAMPLE, "--json")), "E_USAGE");
});

t.test("compare: two lanes of one population", async (t) => {
  const ended = await run("compare", "lane", "other/run", "--margin", "3", "--seed", "7", "--draws", "500", "--json");
  t.equal(ended.code, 0, ended.stdout);
  const comparison = oneDocument(ended) as unknown as Comparison;
  t.match(comparison, { schema: "sealane-comparison/1", endpoint: "token-f1", questions: 36, clusters: 3 });
  t.match(comparison.intervals[0], { id: "cluster-bootstrap", seed: "7", draws: 500 });
  const text = await run("compare", "lane", "other/run", "--margin", "3", "--seed", "7", "--draws", "500");
  t.match(text, { code: 0, stderr: "" });
  t.ok(text.stdout.replaceAll("\n", " ").includes(comparison.caption));
});

t.test("tables in every format, and what is refused", async (t) => {
  for (const [format, start] of [
    ["text", "token-f1, mean score"],
    ["md", "token-f1, mean score"],
    ["csv", "table,caption,row,column,value"],
    ["latex", "\\begin{table}"],
  ] as const) {
    const ended = await run("tables", "lane", "other/run", "--format", format);
    t.match(ended, { code: 0, stderr: "" }, format);
    t.ok(ended.stdout.startsWith(start), format);
  }
  const json = await run("tables", "lane", "--format", "json");
  t.strictSame(oneDocument(json), oneDocument(await run("tables", "lane", "--json")));
  t.equal(reasonOf(await run("tables", "lane", "--json", "--format", "csv")), "E_USAGE");
  t.equal(reasonOf(await run("tables", "lane", "--json", "--by", "mood")), "E_USAGE");
  t.notMatch((await run("tables", "lane", "--by", "none")).stdout, /\nmulti-hop +\d+ +\d+\.\d\d\n/);
});

t.test("compare: what is refused", async (t) => {
  const refused = async (...args: string[]) => reasonOf(await run("compare", ...args, "--json"));
  t.equal(await refused("lane", "lane", "--endpoint", "none"), "E_UNKNOWN");
  t.equal(await refused("lane", "lane", "--seed", "x"), "E_USAGE");
  t.equal(await refused("lane", "lane", "--seed", "-1"), "E_USAGE");
  t.equal(await refused("lane", "lane", "--draws", "0"), "E_USAGE");
  t.equal(await refused("lane", "lane", "--draws", "1.5"), "E_USAGE");
  t.equal(await refused("lane", "lane", "--margin", "0"), "E_USAGE");
  t.equal(await refused("lane", "lane", "--margin", "100"), "E_USAGE");
  const population = join(dir, "other/run/population.jsonl");
  writeFileSync(population, readFileSync(population, "utf8").replace('"question":"', '"question":"Well, '));
  const other = await run("compare", "lane", "other/run", "--json");
  t.equal(reasonOf(other), "E_PAIRING");
  t.equal(other.code, 7, "another population is another experiment");
});
