// Help, versions and colours; and that nothing around the program changes what it says.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { fewAtATime, oneDocument, reasonOf, type Surroundings, sealane, sealaneBatch } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { HARBOUR_FILE } from "../support/runs.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(120_000);
const dir = t.testdir();
await finishedRun(dir);
mkdirSync(join(dir, "elsewhere"));
mkdirSync(join(dir, "tmp"));

const VERSION = (JSON.parse(readFileSync(repositoryFile("package.json"), "utf8")) as { version: string }).version;
const VERIFY = ["verify", join(dir, "lane"), "--trust", join(dir, "trust.json")];
const PRELOAD = pathToFileURL(repositoryFile("build/test/support/no-side-effects.js")).href;

/** Everything below a folder: what it is, how long, when it was changed. */
const everything = (): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs, mode } = statSync(path);
      return `${path} ${size} ${mtimeMs} ${mode}`;
    })
    .sort();

t.test("help", async (t) => {
  const [help, short] = await sealaneBatch([["--help"], ["-h"]], dir);
  t.equal(help?.code, 0);
  t.equal(help?.stderr, "");
  t.strictSame(short, help);
  const verbs = [...(help?.stdout.matchAll(/^ {2}sealane ([a-z]+) /gm) ?? [])].map((match) => match[1]!);
  for (const verb of [
    "prepare",
    "replay",
    "resolve",
    "grade",
    "seal",
    "verify",
    "tables",
    "show",
    "pack",
    "unpack",
    "keys",
    "trust",
  ])
    t.ok(verbs.includes(verb), verb);
  t.match(help?.stdout, /Exit codes: .*\b0 fine\b/, "exit codes are told");
  const helps = await sealaneBatch(
    verbs.map((verb) => [verb, "--help"]),
    dir,
  );
  for (const [index, { code, stdout, stderr }] of helps.entries()) {
    const verb = verbs[index]!;
    t.strictSame([code, stderr], [0, ""], `${verb} --help`);
    t.match(stdout, new RegExp(`^sealane ${verb}\\b`), `${verb} --help is about it`);
    t.match(stdout, new RegExp(`^Examples:\\n +sealane ${verb} `, "m"), `${verb} --help has an example`);
    t.notMatch(stdout, /\$0|undefined|\u001b/);
    t.strictSame(
      stdout.split("\n").filter((line) => line.length > 80),
      [],
      `${verb} --help fits on 80 columns`,
    );
  }
  const own = await sealane(["replay", "--help"], { cwd: dir });
  t.strictSame(own, helps[verbs.indexOf("replay")], "as from a process of its own");
});

t.test("the version", async (t) => {
  for (const ended of await fewAtATime([["--version"], ["verify", "--version"]], (args) =>
    sealane(args, { cwd: dir }),
  )) {
    t.strictSame(ended, { code: 0, signal: null, stdout: `${VERSION}\n`, stderr: "" });
  }
  const quick = await sealane(["--version"], { cwd: dir, node: ["--import", PRELOAD] });
  t.equal(quick.stdout, `${VERSION}\n`);
  const loaded = await sealane(["--version"], { cwd: dir, env: { NODE_DEBUG: "esm", NODE_DEBUG_NATIVE: "" } });
  t.notMatch(loaded.stderr, /gpt-tokenizer|better-sqlite3|ajv/, "and nothing heavy is loaded for it");
});

/** What `verify` says here, and must say everywhere. */
const plain = await sealane(VERIFY);

t.test("a verdict is the same whatever the surroundings", async (t) => {
  t.strictSame([plain.code, plain.stderr], [0, ""]);
  t.notMatch(plain.stdout, "\u001b");
  const surroundings: [string, Surroundings][] = [
    [
      "another language, time zone and folder, no home, settings meant for others",
      {
        cwd: join(dir, "elsewhere"),
        env: {
          LANG: "tr_TR.UTF-8",
          LC_ALL: "tr_TR.UTF-8",
          TZ: "Pacific/Chatham",
          COLUMNS: "200",
          TERM: "xterm-256color",
          CI: "true",
          DEBUG: "*",
          OLLAMA_HOST: "http://192.0.2.1",
        },
      },
    ],
    [
      "a home that is not there, and colour both asked for and declined",
      { cwd: "/", env: { HOME: "/nonexistent", TERM: "dumb", NO_COLOR: "1", FORCE_COLOR: "1" } },
    ],
  ];
  const all = await fewAtATime(surroundings, ([, surrounding]) => sealane(VERIFY, surrounding));
  for (const [index, [title]] of surroundings.entries()) t.strictSame(all[index], plain, title);
});

t.test("the path of a lane may be given in any way", async (t) => {
  const elsewhere = join(dir, "elsewhere");
  const commands = [
    ["verify", "../lane", "--trust", "../trust.json", "--json"],
    ["verify", "../lane/", "--trust=../trust.json", "--json"],
    ["verify", "--json", "--trust", "../trust.json", "./../elsewhere/../lane"],
    ["--json", ...VERIFY],
  ];
  const [first, ...rest] = await sealaneBatch(commands, elsewhere);
  t.strictSame([first?.code, first?.stderr], [0, ""]);
  for (const other of rest) t.strictSame(other, first);
});

t.test("a working folder that is no longer there is no verdict", async (t) => {
  const gone = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"];
  const ended = await sealane([...VERIFY, "--json"], { cwd: join(dir, "elsewhere"), within: gone });
  t.strictSame([ended.code, reasonOf(ended), ended.stderr], [64, "E_MISSING", ""]);
});

t.test("colours, where they are asked for, change nothing else", async (t) => {
  const coloured = await sealane(VERIFY, { env: { FORCE_COLOR: "1" } });
  t.match(coloured.stdout, "\u001b[");
  t.equal(coloured.stdout.replace(/\u001b\[\d+m/g, ""), plain.stdout);
  const variants: [Record<string, string>, boolean][] = [
    [{}, false],
    [{ FORCE_COLOR: "0" }, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "" }, true],
  ];
  const errors = await fewAtATime(variants, ([env]) => sealane(["verify", "nowhere"], { cwd: dir, env }));
  for (const [index, [env, colour]] of variants.entries()) {
    t.equal(errors[index]?.stderr.includes("\u001b["), colour, JSON.stringify(env));
  }
  const json = await sealane(["tables", "lane", "--json"], { cwd: dir, env: { FORCE_COLOR: "1" } });
  t.equal(oneDocument(json).schema, "sealane-tables/1");
  t.notMatch(json.stdout, "\u001b", "nor is there any in JSON");
});

t.test("verify writes nothing, opens no socket and starts nothing", async (t) => {
  const before = everything();
  const surroundings = { cwd: dir, node: ["--import", PRELOAD], env: { TMPDIR: join(dir, "tmp") } };
  const watched = await sealane([...VERIFY, "--dataset", HARBOUR_FILE], surroundings);
  t.strictSame([watched.code, watched.stderr], [0, ""]);
  t.match(watched.stdout, /^ {2}ok +dataset /m);
  t.strictSame(everything(), before);
  const caught = await sealane(["keys", "new", "--out", "never.pem"], surroundings);
  t.notSame(caught.code, 0, "the watch itself is awake");
  t.match(caught.stderr, "FORBIDDEN: openSync");
  const called = await sealane(
    ["replay", "run", "--reader", "ollama", "--model", "m", "--url", "http://127.0.0.1:1"],
    surroundings,
  );
  t.match(called.stderr, "FORBIDDEN", "also for sockets");
  t.strictSame(everything(), before);
});

const unshare = spawnSync("unshare", ["-rn", "true"]).status === 0 ? false : "no `unshare -rn` on this machine";
t.test("verify works where there is no network at all", { skip: unshare }, async (t) => {
  const within = await sealane(VERIFY, { within: ["unshare", "-rn"] });
  t.strictSame(within, plain);
});

const strace =
  spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0 ? false : "no `strace` on this machine";
t.test("verify makes no call of the system to a network", { skip: strace }, async (t) => {
  const trace = join(dir, "tmp", "trace");
  const traced = await sealane(VERIFY, {
    within: ["strace", "-f", "-o", trace, "-e", "trace=socket,connect,bind,sendto"],
  });
  t.strictSame(traced, plain);
  t.strictSame(
    readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => /\b(?:socket|connect|bind|sendto)\(/.test(line)),
    [],
  );
});
