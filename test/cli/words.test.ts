// What people and programs see of verification: --only, --format, why and explain, through the built command line.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { REASONS } from "../../lib/finding.js";
import { isDocument, type Report, type Why } from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { type Ended, oneDocument, reasonOf, sealane, sealaneBatch } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { HARBOUR_FILE } from "../support/runs.js";
import { noTerminal, onTerminal } from "../support/terminal.js";

t.setTimeout(120_000);
const dir = t.testdir();
await finishedRun(dir);
const at = (path: string): string => join(dir, path);
const TRUST = ["--trust", "trust.json"];
const TEMPORAL = ["--number", "token-f1/temporal", "--dataset", HARBOUR_FILE, "--json"];
const PROOF = ["--proof", "proof", "--manifest", "lane/manifest.json", ...TRUST];

cpSync(at("lane"), at("cheat"), { recursive: true });
writeFileSync(
  at("cheat/results.json"),
  readFileSync(at("lane/results.json"), "utf8").replace(/"score_mean":0\.\d+/g, '"score_mean":0.5'),
);
const made = await sealaneBatch(
  [
    ...["lane.tar", "lane.tar.gz", "lane.zip"].map((name) => ["pack", "lane", name]),
    ["prove", "lane", "--question", "choir-01", "--out", "proof"],
    ["verify", "lane", ...TRUST, "--only", "signatures", "--json"],
  ],
  dir,
);
const damaged = readFileSync(at("lane.tar"));
damaged[100] = damaged[100]! ^ 1;
writeFileSync(at("damaged.tar"), damaged);
writeFileSync(at("some.json"), made.at(-1)!.stdout);

/** Every command of this file, run in one process, for starting one takes longer than what it does. */
const COMMANDS = {
  some: ["verify", "lane", ...TRUST, "--only", "grades", "--only", "results", "--state", "some-seen.json", "--json"],
  "some, as text": ["verify", "lane", ...TRUST, "--only", "grades"],
  all: ["verify", "lane", ...TRUST, "--state", "seen.json", "--json"],
  "cheat files": ["verify", "cheat", ...TRUST, "--only", "files", "--json"],
  "cheat answers": ["verify", "cheat", ...TRUST, "--only", "answers", "--json"],
  "cheat results": ["verify", "cheat", ...TRUST, "--only", "results", "--json"],
  vsa: "export lane --as vsa --report some.json --key author.pem --time 2026-01-02T15:04:05Z -o vsa.json".split(" "),
  json: ["verify", "lane", ...TRUST, "--json"],
  "format json": ["verify", "lane", ...TRUST, "--format", "json"],
  "both json": ["verify", "lane", ...TRUST, "--json", "--format", "json"],
  text: ["verify", "lane", ...TRUST],
  "format text": ["verify", "lane", ...TRUST, "--format", "text"],
  "format json failed": ["verify", "nowhere", "--format", "json"],
  sarif: ["verify", "lane", ...TRUST, "--format", "sarif"],
  "sarif zip": ["verify", "lane.zip", ...TRUST, "--format", "sarif"],
  "sarif damaged": ["verify", "damaged.tar", ...TRUST, "--format=sarif"],
  "sarif proof": ["verify", "--question", "choir-02", ...PROOF, "--format", "sarif"],
  why: ["why", "lane", ...TEMPORAL],
  "why lane.tar": ["why", "lane.tar", ...TEMPORAL],
  "why lane.tar.gz": ["why", "lane.tar.gz", ...TEMPORAL],
  "why lane.zip": ["why", "lane.zip", ...TEMPORAL],
  "why cheat": ["why", "cheat", "--json"],
  "why against cheat": ["why", "lane", "--against", "cheat", "--json"],
  "why against itself": ["why", "lane", "--against", "lane.zip", "--json"],
  explain: ["explain"],
  "explain json": ["explain", "--json"],
  "explain code": ["explain", "E_GRADE", "--json"],
  "explain check": ["explain", "packets", "--json"],
} as const satisfies Record<string, readonly string[]>;
const results = await sealaneBatch(Object.values(COMMANDS), dir);
const said = (name: keyof typeof COMMANDS): Ended => results[Object.keys(COMMANDS).indexOf(name)]!;

t.test("--only: 0 for what holds, and neither verdict nor state calls it verified", async (t) => {
  const ended = said("some");
  const report = oneDocument(ended) as unknown as Report;
  t.equal(ended.code, 0);
  t.ok(isDocument("report", report));
  t.equal(report.verdict.integrity, "partial");
  t.strictSame(
    report.checks.filter((check) => check.outcome !== "not-asked").map((check) => check.id),
    ["grades", "results"],
  );
  t.notOk(existsSync(at("some-seen.json")), "nothing is remembered of a lane that was not verified");
  const text = said("some, as text");
  t.match(text.stdout, /^INTEGRITY {2}PARTIAL/m);
  t.match(text.stdout, "not asked for");
  t.equal(said("all").code, 0);
  t.ok(existsSync(at("seen.json")));
});

t.test("--only: a fault elsewhere is not seen, one that was asked for is", async (t) => {
  t.equal(said("cheat files").code, 1);
  t.equal(said("cheat answers").code, 0);
  t.equal(said("cheat results").code, 6, "whose file is not the one sealed");
});

t.test("a report on some checks makes no passed VSA", async (t) => {
  t.equal(said("vsa").code, 0);
  const { payload } = JSON.parse(readFileSync(at("vsa.json"), "utf8")) as { payload: string };
  t.match(JSON.parse(Buffer.from(payload, "base64").toString()), { predicate: { verificationResult: "FAILED" } });
});

t.test("--json is --format json", async (t) => {
  const [json, format, both] = [said("json"), said("format json"), said("both json")];
  t.equal(format.stdout, json.stdout);
  t.equal(both.stdout, json.stdout);
  t.equal(said("format text").stdout, said("text").stdout);
  const failed = said("format json failed");
  t.strictSame([failed.code, reasonOf(failed)], [64, "E_MISSING"], "failures included");
});

t.test("--format sarif: for a lane, a proof, and a container that cannot be opened", async (t) => {
  const sarif = (ended: Ended) =>
    oneDocument(ended) as {
      version: string;
      runs: [{ results: { ruleId: string }[]; invocations: [{ exitCode: number }] }];
    };
  const good = said("sarif");
  t.match(sarif(good), { version: "2.1.0", runs: [{ results: [], invocations: [{ exitCode: 0 }] }] });
  const again = said("sarif zip");
  t.equal(again.stdout, good.stdout, "the same bytes for the same lane, wherever it lies");
  const bad = said("sarif damaged");
  t.match(sarif(bad), { runs: [{ results: [{ ruleId: "E_TAR_BYTES" }], invocations: [{ exitCode: 1 }] }] });
  t.equal(bad.code, 1);
  const proof = said("sarif proof");
  t.equal(proof.code, 1);
  t.match(sarif(proof), { runs: [{ results: [{ ruleId: "E_INCLUSION" }] }] });
});

t.test("a number is followed down in folders and archives alike", async (t) => {
  const folder = said("why");
  t.equal(folder.code, 0);
  const why = oneDocument(folder) as unknown as Why;
  t.ok(isDocument("why", why));
  t.strictSame(
    why.walk.layers.map(({ outcome }) => outcome),
    why.walk.layers.map(() => "holds"),
  );
  for (const archive of ["lane.tar", "lane.tar.gz", "lane.zip"] as const) {
    const packed = said(`why ${archive}`);
    t.equal(packed.stdout, folder.stdout, archive);
  }
});

t.test("a number that the rows do not give", async (t) => {
  const ended = said("why cheat");
  const why = oneDocument(ended) as unknown as Why;
  t.equal(ended.code, 1);
  t.equal(why.exit_code, 1);
  t.equal(why.walk.published?.score_mean, 0.5);
  t.notSame(why.walk.recounted, why.walk.published);
  t.equal(why.walk.first_failing, "files", "whose declared totals are not the ones sealed");
  const against = oneDocument(said("why against cheat")) as unknown as Why;
  t.ok(isDocument("why", against));
  t.match(against, {
    exit_code: 1,
    walk: { exit_code: 0 },
    against: { walk: { exit_code: 1 }, causes: [], same_score: 36 },
  });
  t.equal(said("why against itself").code, 0);
});

t.test("what why and explain cannot answer", async (t) => {
  const cases: [number, string, ...string[]][] = [
    [64, "E_UNKNOWN", "why", "lane", "--number", "token-f1/nonsense"],
    [64, "E_MISSING", "why", "nowhere"],
    [64, "E_MISSING", "why", "lane", "--against", "nowhere"],
    [64, "E_USAGE", "why"],
    [64, "E_USAGE", "why", "lane", "--number", "token-f1", "--number", "token-f1/temporal"],
    [1, "E_TAR_BYTES", "why", "damaged.tar"],
    [4, "E_FORMAT", "why", "author.pem"],
    [64, "E_UNKNOWN", "explain", "nonsense"],
    [64, "E_USAGE", "explain", "E_GRADE", "E_USAGE"],
    [64, "E_UNKNOWN", "verify", "lane", "--only", "nonsense"],
    [64, "E_USAGE", "verify", "lane", "--only"],
    [64, "E_USAGE", "verify", "lane", "--format", "xml"],
    [64, "E_USAGE", "verify", "lane", "--format", "sarif"],
    [64, "E_USAGE", "verify", "lane", "--format", "sarif", "--format", "text"],
    [64, "E_USAGE", "verify", "--only", "grades", "--proof", "x", "--question", "y", "--manifest", "z"],
  ];
  const ended = await sealaneBatch(
    cases.map(([, , ...args]) => [...args, "--json"]),
    dir,
  );
  for (const [index, [exit, code, ...args]] of cases.entries())
    t.strictSame([ended[index]!.code, reasonOf(ended[index]!)], [exit, code], args.join(" "));
});

t.test("explain lists every code and explains codes and checks", async (t) => {
  const listed = said("explain");
  for (const code of Object.keys(REASONS)) t.match(listed.stdout, new RegExp(`^  ${code} `, "m"), code);
  t.match(oneDocument(said("explain code")), {
    schema: "sealane-explanation/1",
    code: "E_GRADE",
    exit_code: 1,
    check: { id: "grades" },
  });
  t.match(oneDocument(said("explain check")), { id: "packets", codes: ["E_SPAN"] });
  const groups = oneDocument(said("explain json")).groups as { codes: string[] }[];
  t.strictSame(groups.flatMap(({ codes }) => codes).sort(), Object.keys(REASONS).sort());
});

t.test("all of it fits on 80 columns and ends with one line feed", async (t) => {
  const commands = [
    ["explain"],
    ...[...Object.keys(REASONS), ...CHECKS.map(({ id }) => id)].map((name) => ["explain", name]),
    ["why", "lane"],
    ["why", "cheat"],
    ["why", "lane", "--against", "cheat", "--dataset", HARBOUR_FILE],
    ["verify", "cheat"],
    ["verify", "lane", "--only", "grades"],
  ];
  const ended = await sealaneBatch(commands, dir);
  for (const [index, { stdout, stderr }] of ended.entries()) {
    const command = commands[index]!.join(" ");
    t.equal(stderr, "", command);
    t.strictSame(
      stdout.split("\n").filter((line) => [...line].length > 80),
      [],
      command,
    );
    t.ok(stdout.endsWith("\n") && !stdout.endsWith("\n\n"), command);
    t.notMatch(stdout, /\u001b/, command);
  }
});

t.test("on a terminal it is in colour, and never against NO_COLOR", { skip: noTerminal }, async (t) => {
  const { code, screen } = await onTerminal(["why", "cheat"], [], dir);
  t.equal(code, 1);
  t.match(screen, /\u001b\[31m/);
  const ended = await sealane(["why", "cheat"], { cwd: dir, env: { NO_COLOR: "1", FORCE_COLOR: "1" } });
  t.notMatch(ended.stdout, /\u001b/);
});
