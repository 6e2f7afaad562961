// What goes wrong, as a user meets it: exit code, reason code, one JSON document on stdout, and nothing changed on disk.
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { readDataset } from "../../lib/dataset/index.js";
import { own } from "../../lib/dataset/own.js";
import { signStatement, statementOf } from "../../lib/manifest/envelope.js";
import { newKeyPair, readSigningKey } from "../../lib/manifest/keys.js";
import type { Manifest, Report } from "../../schemas/index.js";
import { type Ended, fewAtATime, oneDocument, reasonOf, sealane, sealaneBatch } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { OllamaServer } from "../support/ollama-server.js";
import { HARBOUR_FILE, prepareHarbour } from "../support/runs.js";
import { trustFileOf } from "../support/trust-files.js";

t.setTimeout(120_000);
const dir = t.testdir();
const at = (path: string): string => join(dir, path);
await finishedRun(dir);

const copy = (from: string, to: string, change: (text: string) => string, file: string): void => {
  cpSync(at(from), at(to), { recursive: true });
  const text = readFileSync(at(`${to}/${file}`), "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`${to}: nothing was changed`);
  writeFileSync(at(`${to}/${file}`), changed);
};

interface OwnDataset {
  schema: string;
  questions: { question_id: string; history_id: string }[];
}

function prepareInputs(): void {
  const harbour = readFileSync(HARBOUR_FILE);
  const changed = (name: string, change: (dataset: OwnDataset) => void): void => {
    const dataset = JSON.parse(harbour.toString()) as OwnDataset;
    change(dataset);
    writeFileSync(at(name), JSON.stringify(dataset));
  };
  writeFileSync(at("truncated.json"), harbour.subarray(0, harbour.length / 2));
  writeFileSync(
    at("not-utf8.json"),
    Buffer.concat([harbour.subarray(0, 100), Buffer.from([0xff]), harbour.subarray(100)]),
  );
  writeFileSync(at("bom.json"), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), harbour]));
  changed("doubled.json", ({ questions }) => questions.push(questions[0]!));
  changed("homeless.json", ({ questions }) => {
    questions[3]!.history_id = "nowhere";
  });
  changed("version.json", (dataset) => {
    dataset.schema = "sealane-dataset/9";
  });
  changed("shape.json", ({ questions }) => {
    questions[3] = {} as OwnDataset["questions"][0];
  });
  writeFileSync(at("empty"), "");
  writeFileSync(at("there.tar"), "");
  mkdirSync(at("folder"));
  for (const [name, { privateKey }] of [
    ["rsa.pem", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["x25519.pem", generateKeyPairSync("x25519")],
  ] as const) {
    writeFileSync(at(name), privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  }
  const other = newKeyPair();
  writeFileSync(at("other.pub.pem"), other.publicPem);
  writeFileSync(at("other-trust.json"), trustFileOf(readSigningKey(other.privatePem, "other"), "another", "*"));
  const author = readSigningKey(readFileSync(at("author.pem"), "utf8"), "author");
  writeFileSync(at("elsewhere-trust.json"), trustFileOf(author, "author", "elsewhere-*"));
  writeFileSync(
    at("version-trust.json"),
    readFileSync(at("trust.json"), "utf8").replace("sealane-trust/1", "sealane-trust/2"),
  );
  copy("run", "run-of-2", (text) => text.replace("sealane-run/1", "sealane-run/2"), "run.json");
  copy("run", "run-edited", (text) => text.replace("Petrel", "Puffin"), "bodies/evidence.jsonl");
  const digit = (text: string): string =>
    text.replace(/"score":0\.(\d)/, (all: string, d: string) => all.slice(0, -1) + ((Number(d) + 1) % 10));
  copy("lane", "tampered", digit, "evaluator/token-f1/grades.jsonl");
  copy("lane", "cut", (text) => text.slice(0, -10), "packets.jsonl");
  copy("lane", "lane-of-2", (text) => text.replace("sealane-manifest/1", "sealane-manifest/2"), "manifest.json");
  const manifest = readFileSync(at("lane-of-2/manifest.json"));
  const statement = statementOf(JSON.parse(manifest.toString()) as Manifest, sha256Hex(manifest));
  const key = readSigningKey(readFileSync(at("author.pem"), "utf8"), "author.pem");
  writeFileSync(at("lane-of-2/manifest.dsse.json"), canonicalJson(signStatement(statement, key)));
  cpSync(at("lane"), at("extra"), { recursive: true });
  writeFileSync(at("extra/notes.txt"), "unsigned");
}

prepareInputs();
await prepareHarbour(at("prepared"));

interface Case {
  readonly why: string;
  readonly args: readonly string[];
  readonly exit: number;
  readonly code: string;
}

const cases: Case[] = [];
const expect = (exit: number, code: string, why: string, ...args: string[]): void => {
  cases.push({ why, args, exit, code });
};

/** The command, with what is given in place of its own options, or without them. */
const prepare = (changes: Record<string, string | undefined> = {}): string[] => {
  const options = { dataset: HARBOUR_FILE, adapter: "own", arm: "bm25", ceiling: "300", out: "new", ...changes };
  return [
    "prepare",
    ...Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
};
const replay = (...options: string[]): string[] => ["replay", "prepared", "--reader", "extractive", ...options];
const seal = (changes: Record<string, string | undefined> = {}): string[] => {
  const options = { id: "x", key: "author.pem", out: "new", ...changes };
  return [
    "seal",
    "run",
    ...Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
};

expect(64, "E_USAGE", "no command");
expect(64, "E_USAGE", "an unknown command", "nonsense");
expect(64, "E_USAGE", "an unknown command with arguments", "verif", "lane");
expect(64, "E_USAGE", "a command in capitals", "VERIFY", "lane");
expect(64, "E_USAGE", "a missing positional", "verify");
expect(64, "E_USAGE", "one positional too many", "verify", "lane", "lane");
expect(64, "E_USAGE", "an unknown option", "verify", "lane", "--trusted", "trust.json");
expect(64, "E_USAGE", "an unknown short option", "verify", "lane", "-t");
for (const missing of ["dataset", "adapter", "arm", "ceiling", "out"])
  expect(64, "E_USAGE", `prepare without --${missing}`, ...prepare({ [missing]: undefined }));
for (const ceiling of ["0", "-1", "1.5", "many", "", "1e999"])
  expect(64, "E_USAGE", `a ceiling of '${ceiling}'`, ...prepare({ ceiling: undefined }), `--ceiling=${ceiling}`);
expect(64, "E_UNKNOWN", "an unknown adapter", ...prepare({ adapter: "locomo10" }));
expect(64, "E_UNKNOWN", "an unknown arm", ...prepare({ arm: "BM25" }));
expect(64, "E_UNKNOWN", "an unknown tokenizer", ...prepare({ tokenizer: "cl100k" }));
expect(64, "E_USAGE", "a name given twice", ...prepare(), "--arm", "full");
expect(64, "E_MISSING", "a dataset that is not there", ...prepare({ dataset: "nowhere.json" }));
expect(74, "E_IO", "a dataset that is a folder", ...prepare({ dataset: "folder" }));
expect(74, "E_IO", "a dataset below a file", ...prepare({ dataset: "empty/harbour.json" }));
expect(2, "E_JSON", "a truncated dataset", ...prepare({ dataset: "truncated.json" }));
expect(2, "E_JSON", "an empty dataset", ...prepare({ dataset: "empty" }));
expect(2, "E_JSON", "a byte order mark", ...prepare({ dataset: "bom.json" }));
expect(2, "E_UTF8", "not UTF-8", ...prepare({ dataset: "not-utf8.json" }));
expect(2, "E_SCHEMA", "another shape", ...prepare({ dataset: "shape.json" }));
expect(4, "E_VERSION", "a dataset of another version", ...prepare({ dataset: "version.json" }));
expect(1, "E_DUPLICATE", "a question id twice", ...prepare({ dataset: "doubled.json" }));
expect(1, "E_POPULATION", "a question without its history", ...prepare({ dataset: "homeless.json" }));
expect(1, "E_DATASET", "a file of another digest", ...prepare({ adapter: "locomo" }));
expect(64, "E_EXISTS", "prepare: the output exists", ...prepare({ out: "folder" }));
expect(74, "E_IO", "prepare: below a file", ...prepare({ out: "empty/run" }));

expect(64, "E_MISSING", "replay of what is not there", "replay", "nowhere", "--reader", "extractive");
expect(64, "E_MISSING", "replay of a lane", "replay", "lane", "--reader", "extractive");
expect(64, "E_MISSING", "replay of a file", "replay", "empty", "--reader", "extractive");
expect(64, "E_USAGE", "replay without a reader", "replay", "prepared");
expect(64, "E_UNKNOWN", "an unknown reader", "replay", "prepared", "--reader", "openai");
expect(64, "E_USAGE", "a reader that needs a model", "replay", "prepared", "--reader", "ollama");
for (const option of ["seed", "seed=", "seed=x", "=1", "se ed=1", "Seed=1", "seed=1e999"])
  expect(64, "E_USAGE", `the option '${option}'`, ...replay("--option", option));
expect(
  64,
  "E_USAGE",
  "a temperature for all and one for each question",
  ...replay("--option", "temperature=0", "--temperature-per-question"),
);
expect(64, "E_USAGE", "temperatures that the packets do not name", ...replay("--temperature-per-question"));
expect(64, "E_USAGE", "an option without its value", ...replay("--option"));
for (const deadline of ["0", "-1", "soon", "2147484", "Infinity"])
  expect(64, "E_USAGE", `a deadline of '${deadline}'`, ...replay(`--deadline=${deadline}`));
expect(64, "E_USAGE", "two models", ...replay("--model", "a", "--model", "b"));
expect(4, "E_VERSION", "replay of a run of another version", "replay", "run-of-2", "--reader", "extractive");
expect(1, "E_RUN_CHANGED", "replay of an edited run", "replay", "run-edited", "--reader", "extractive");
expect(7, "E_RUN_MIX", "replay with another option", "replay", "run", "--reader", "extractive", "--option", "seed=7");
expect(7, "E_RUN_MIX", "replay with another model", "replay", "run", "--reader", "extractive", "--model", "other");

expect(64, "E_RUN_STAGE", "resolve before replay", "resolve", "prepared", "--all", "--retry-once", "--reason", "x");
expect(64, "E_UNKNOWN", "resolve where none waits", "resolve", "run", "choir-01", "--retry-once", "--reason", "x");
expect(64, "E_USAGE", "resolve without a decision", "resolve", "run", "--all", "--reason", "x");
expect(
  64,
  "E_USAGE",
  "resolve with both",
  "resolve",
  "run",
  "--all",
  "--retry-once",
  "--count-as-failure",
  "--reason",
  "x",
);
expect(64, "E_USAGE", "resolve of no question", "resolve", "run", "--retry-once", "--reason", "x");
expect(64, "E_USAGE", "resolve of all and one", "resolve", "run", "choir-01", "--all", "--retry-once", "--reason", "x");
expect(64, "E_USAGE", "resolve without a reason", "resolve", "run", "--all", "--retry-once");

expect(64, "E_RUN_STAGE", "grade before replay", "grade", "prepared", "--endpoint", "token-f1");
expect(64, "E_UNKNOWN", "an unknown endpoint", "grade", "run", "--endpoint", "f1");
expect(4, "E_VERSION", "grade of a run of another version", "grade", "run-of-2", "--endpoint", "token-f1");

expect(64, "E_RUN_STAGE", "seal before replay", "seal", "prepared", "--id", "x", "--key", "author.pem", "--out", "new");
expect(
  4,
  "E_VERSION",
  "seal of a run of another version",
  "seal",
  "run-of-2",
  "--id",
  "x",
  "--key",
  "author.pem",
  "--out",
  "new",
);
for (const id of ["", "Upper", "a/b", "../x", "-x", "x".repeat(65)])
  expect(64, "E_USAGE", `the lane id '${id.slice(0, 10)}'`, ...seal({ id: undefined }), `--id=${id}`);
expect(64, "E_USAGE", "version 0", ...seal({ "lane-version": "0" }));
expect(64, "E_USAGE", "version 2 of nothing", ...seal({ "lane-version": "2" }));
expect(64, "E_USAGE", "version 1 after another", ...seal({ previous: "0".repeat(64) }));
expect(64, "E_USAGE", "a previous that is no digest", ...seal({ "lane-version": "2", previous: "abc" }));
expect(64, "E_MISSING", "a key that is not there", ...seal({ key: "nobody.pem" }));
expect(2, "E_KEY", "an RSA key", ...seal({ key: "rsa.pem" }));
expect(2, "E_KEY", "an X25519 key", ...seal({ key: "x25519.pem" }));
expect(2, "E_KEY", "a public key to sign with", ...seal({ key: "author.pub.pem" }));
expect(2, "E_KEY", "a key that is none", ...seal({ key: "trust.json" }));
expect(64, "E_EXISTS", "seal: the output exists", ...seal({ out: "folder" }));
expect(74, "E_IO", "seal: below a file", ...seal({ out: "empty/lane" }));

expect(64, "E_USAGE", "keys without an action", "keys");
expect(64, "E_USAGE", "keys with another", "keys", "delete");
expect(64, "E_USAGE", "keys show of nothing", "keys", "show");
expect(64, "E_USAGE", "keys new without --out", "keys", "new");
expect(64, "E_EXISTS", "keys new where one is", "keys", "new", "--out", "author.pem");
expect(64, "E_EXISTS", "keys new where its public half is", "keys", "new", "--out", "other.pem");
expect(74, "E_IO", "keys new below a file", "keys", "new", "--out", "empty/x.pem");
expect(64, "E_MISSING", "keys new in no folder", "keys", "new", "--out", "nowhere/x.pem");
expect(2, "E_KEY", "keys show of an RSA key", "keys", "show", "rsa.pem");
expect(64, "E_MISSING", "keys show of no file", "keys", "show", "nobody.pem");
const trust = (key: string, out: string, ...more: string[]): string[] => [
  "trust",
  "init",
  "--key",
  key,
  "--owner",
  "A",
  "--out",
  out,
  ...more,
];
expect(64, "E_EXISTS", "trust init where one is", ...trust("author.pem", "trust.json"));
expect(64, "E_USAGE", "trust init for lanes of no form", ...trust("author.pem", "new", "--lanes", "*x"));
expect(2, "E_KEY", "trust init of an RSA key", ...trust("rsa.pem", "new"));
expect(74, "E_IO", "trust init below a file", ...trust("author.pem", "empty/x.json"));

expect(64, "E_MISSING", "verify of what is not there", "verify", "nowhere", "--trust", "trust.json");
expect(2, "E_MANIFEST_MISSING", "verify of a folder that is no lane", "verify", "folder", "--trust", "trust.json");
expect(2, "E_MANIFEST_MISSING", "verify of a run", "verify", "run", "--trust", "trust.json");
expect(4, "E_FORMAT", "verify of a file that is no archive", "verify", "author.pem", "--trust", "trust.json");
expect(4, "E_FORMAT", "verify of an empty file", "verify", "empty", "--trust", "trust.json");
expect(3, "E_UNTRUSTED_KEY", "verify under another's trust", "verify", "lane", "--trust", "other-trust.json");
expect(3, "E_LANE_OWNER", "verify under trust for other lanes", "verify", "lane", "--trust", "elsewhere-trust.json");
expect(1, "E_DIGEST", "verify of a tampered lane", "verify", "tampered", "--trust", "trust.json");
expect(1, "E_SIZE", "verify of a lane cut short", "verify", "cut", "--trust", "trust.json");
expect(1, "E_FILE_EXTRA", "verify of a lane with a file more", "verify", "extra", "--trust", "trust.json");
expect(4, "E_VERSION", "verify of a lane of another version", "verify", "lane-of-2", "--trust", "trust.json");
expect(64, "E_MISSING", "a trust file that is not there", "verify", "lane", "--trust", "nowhere.json");
expect(2, "E_JSON", "a trust file that is none", "verify", "lane", "--trust", "author.pem");
expect(4, "E_VERSION", "a trust file of another version", "verify", "lane", "--trust", "version-trust.json");
expect(
  1,
  "E_DATASET",
  "another dataset than the lane's",
  "verify",
  "lane",
  "--trust",
  "trust.json",
  "--dataset",
  "doubled.json",
);
expect(
  64,
  "E_MISSING",
  "a dataset that is not there",
  "verify",
  "lane",
  "--trust",
  "trust.json",
  "--dataset",
  "nowhere",
);

expect(64, "E_MISSING", "tables of what is not there", "tables", "lane", "nowhere");
expect(64, "E_UNKNOWN", "show of a question that is not there", "show", "lane", "--question", "choir-99");
expect(64, "E_USAGE", "show of no question", "show", "lane");
expect(64, "E_MISSING", "pack of what is not there", "pack", "nowhere", "new.tar");
expect(64, "E_EXISTS", "pack: the output exists", "pack", "lane", "there.tar");
expect(74, "E_IO", "pack: below a file", "pack", "lane", "empty/x.tar");
expect(64, "E_MISSING", "unpack of what is not there", "unpack", "nowhere.tar", "new");
expect(4, "E_FORMAT", "unpack of what is no archive", "unpack", "author.pem", "new");

const everything = (): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${sha256Hex(readFileSync(path))}` : path;
    })
    .filter((entry) => !/\/run\/ledger\.sqlite|\/prepared\//.test(entry))
    .sort();

/** The codes that a document names: its own, or those of a report's findings. */
function codesOf(document: Record<string, unknown>): string[] {
  if (document.schema === "sealane-error/1") return [(document.error as { code: string }).code];
  return (document as unknown as Report).checks.flatMap((check) =>
    check.outcome === "failed" ? check.findings.map((finding) => finding.code) : [],
  );
}

function checkDocument(t: Test, { why, exit, code }: Case, ended: Ended): void {
  t.strictSame([ended.code, ended.signal], [exit, null], `${why}: exit code`, { stderr: ended.stderr });
  const document = oneDocument(ended);
  t.ok(codesOf(document).includes(code), `${why}: ${code}`, { found: codesOf(document) });
  t.equal(document.exit_code, exit, `${why}: the document says the same`);
  t.equal(canonicalJson(document), ended.stdout.trimEnd(), `${why}: in canonical form`);
  t.equal(ended.stderr, "", `${why}: and nothing beside it`);
}

t.test("with --json, stdout is one document that names the code", async (t) => {
  const before = everything();
  const ended = await sealaneBatch(
    cases.map(({ args }) => [...args, "--json"]),
    dir,
  );
  for (const [index, one] of cases.entries()) checkDocument(t, one, ended[index]!);
  t.strictSame(everything(), before, "nothing was written, nothing is left");
});

t.test("without it, stdout is for results and stderr for people", async (t) => {
  const ended = await sealaneBatch(
    cases.map(({ args }) => args),
    dir,
  );
  for (const [index, { why, exit, code, args }] of cases.entries()) {
    const { code: found, stdout, stderr } = ended[index]!;
    t.equal(found, exit, `${why}: exit code`);
    t.notMatch(stdout + stderr, /\u001b|\n {4}at .*:\d+/, `${why}: no colour, no stack`);
    t.strictSame(
      `${stdout}\n${stderr}`.split("\n").filter((line) => [...line].length > 80),
      [],
      `${why}: fits on 80 columns`,
    );
    const isReport = args[0] === "verify" && stdout !== "";
    t.match(isReport ? stdout : stderr, new RegExp(`\\b${code}: `), `${why}: ${code}`);
    if (isReport) continue;
    t.equal(stdout, "", `${why}: no results`);
    t.match(stderr, /^ {2}next {6}\S/m, `${why}: what to do next`);
  }
});

t.test("a process of its own ends the same way", async (t) => {
  const names = [
    "an unknown command",
    "a truncated dataset",
    "a file of another digest",
    "prepare: below a file",
    "replay with another option",
    "grade of a run of another version",
    "an RSA key",
    "verify under another's trust",
    "verify of a tampered lane",
  ];
  const chosen = cases.filter(({ why }) => names.includes(why));
  t.equal(chosen.length, names.length);
  const ended = await fewAtATime(chosen, ({ args }) => sealane([...args, "--json"], { cwd: dir }));
  for (const [index, one] of chosen.entries()) checkDocument(t, one, ended[index]!);
});

t.test("a server that cannot be used", async (t) => {
  const server = await OllamaServer.start();
  const gone = await OllamaServer.start();
  const closed = gone.url;
  await gone.close();
  t.teardown(() => server.close());
  const ask = (url: string, model: string) =>
    sealane(["replay", "prepared", "--reader", "ollama", "--url", url, "--model", model, "--json"], { cwd: dir });
  for (const ended of await Promise.all([ask(closed, "m"), ask(server.url, "no-such-model")])) {
    t.equal(ended.code, 69);
    t.equal(reasonOf(ended), "E_READER");
    t.equal(ended.stderr, "");
  }
  t.equal(server.chats.length, 0);
});

t.test("the datasets above are what they are said to be", async (t) => {
  t.equal(readDataset(own, readFileSync(HARBOUR_FILE), "harbour", false).asked.length, 36);
  t.throws(() => readDataset(own, readFileSync(at("doubled.json")), "x", false), { code: "E_DUPLICATE" });
});
