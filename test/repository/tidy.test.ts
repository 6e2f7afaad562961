// The rules of the house that a reader of one change cannot see: the direction of the arrows, who may use what, sizes, words.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import t from "tap";
import { packageRoot } from "../../lib/io/package-root.js";

const ROOT = packageRoot();

/** From the ground up; a file may import its own room and those before it. */
const ROOMS = [
  "schemas",
  "lib/finding.ts",
  "lib/bytes",
  "lib/statistics",
  "lib/text",
  "lib/io",
  "lib/tool.ts",
  "lib/time",
  "lib/records",
  "lib/dataset",
  "lib/synthetic",
  "lib/embedding",
  "lib/evidence",
  "lib/reader",
  "lib/judge",
  "lib/manifest",
  "lib/run",
  "lib/lane",
  "lib/export",
  "lib/compare",
  "lib/claims",
  "lib/report",
  "lib/index.ts",
  "verifiers",
  "cli",
] as const;

/** lib/report says how things look; lib/statistics and lib/bytes stand on nothing but the codes of what can be wrong. */
const MAY_IMPORT_ONLY: Readonly<Record<string, readonly string[]>> = {
  "lib/bytes": ["lib/finding.ts", "lib/bytes"],
  "lib/statistics": ["lib/statistics"],
  "lib/report": ["schemas", "lib/finding.ts", "lib/report"],
};

/** Each package has one place where it is used. */
const ONLY_IMPORTER: Readonly<Record<string, string>> = {
  ajv: "schemas/index.ts",
  tweetnacl: "lib/bytes/ed25519.ts",
  "@noble/curves": "lib/bytes/ed25519.ts",
  "better-sqlite3": "lib/run/sqlite.ts",
  "gpt-tokenizer": "lib/evidence/tokens.ts",
  "@huggingface/tokenizers": "lib/evidence/tokenizer-json.ts",
  ollama: "lib/reader/ollama.ts",
  seedrandom: "lib/synthetic/chance.ts",
  openai: "lib/embedding/openai.ts",
  "simple-statistics": "lib/statistics/describe.ts",
  "cli-table3": "lib/report/tables.ts",
};

const BANNED: readonly (readonly [pattern: RegExp, allowed: readonly string[], why: string])[] = [
  [/\bnew Date\(|Date\.now\(/, ["lib/io/clock.ts"], "time is an argument"],
  [/Math\.random\(/, [], "chance is an argument"],
  [/localeCompare\(|toLocale|Intl\./, [], "no locale decides an order or a text"],
  [/\bconsole\./, ["scripts", "bench"], "results and talk go through cli/ui.ts"],
  [/process\.env/, ["cli", "scripts", "bench"], "the environment is read at the edge"],
  [/from "node:fs/, ["lib/io", "lib/lane", "lib/run", "cli", "scripts", "bench"], "files are opened at the edge"],
  [/\b(?:TODO|FIXME|XXX)\b/, [], "finish it, or say on an issue why not"],
];

/** Where programs, people and threads come in. */
const ENTRANCES = new Set(["cli/main.ts", "lib/index.ts", "verifiers/index.ts", "verifiers/body-worker.ts"]);

const LINES_MAX = 260;

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(ROOT, path)).isDirectory()) return sources(path);
    return path.endsWith(".ts") && !path.endsWith(".gen.ts") ? [path] : [];
  });
}

const CODE = ["schemas", "lib", "verifiers", "cli"].flatMap(sources);
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const roomOf = (path: string): string | undefined => ROOMS.find((room) => path === room || path.startsWith(`${room}/`));
const importsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:from|import\() ?"([^"]+)"/g)].map((match) => match[1]!);
const resolved = (path: string, specifier: string): string =>
  normalize(join(dirname(path), specifier)).replace(/\.js$/, ".ts");

t.test("every file stands in a room", async (t) => {
  for (const path of CODE) t.ok(roomOf(path), path);
});

t.test("arrows point down", async (t) => {
  for (const path of CODE) {
    const room = roomOf(path)!;
    for (const specifier of importsOf(path).filter((name) => name.startsWith("."))) {
      const target = resolved(path, specifier);
      const targetRoom = roomOf(target.replace(/\.json$/, ".json"));
      if (targetRoom === undefined) {
        t.fail(`${path} imports ${target}, which stands in no room`);
        continue;
      }
      const below = ROOMS.indexOf(targetRoom as never) <= ROOMS.indexOf(room as never);
      const allowed = MAY_IMPORT_ONLY[room]?.includes(targetRoom) ?? true;
      if (!below || !allowed) t.fail(`${path} imports ${target}`);
    }
  }
  t.pass();
});

t.test("each package has one importer", async (t) => {
  for (const path of CODE) {
    for (const specifier of importsOf(path)) {
      const only = Object.entries(ONLY_IMPORTER).find(
        ([name]) => specifier === name || specifier.startsWith(`${name}/`),
      );
      if (only && only[1] !== path && !(only[0] === "yargs" && path.startsWith("cli/")))
        t.fail(`${path} imports ${specifier}`);
    }
  }
  t.pass();
});

t.test("what is banned is not there", async (t) => {
  for (const path of [...CODE, ...sources("scripts"), ...sources("bench")]) {
    for (const [pattern, allowed, why] of BANNED) {
      if (allowed.some((place) => path === place || path.startsWith(`${place}/`))) continue;
      if (pattern.test(textOf(path))) t.fail(`${path}: ${why}`);
    }
  }
  t.pass();
});

t.test("files stay small and none is dead", async (t) => {
  const imported = new Set<string>();
  for (const path of [...CODE, ...sources("scripts"), ...sources("bench")]) {
    for (const specifier of importsOf(path)) if (specifier.startsWith(".")) imported.add(resolved(path, specifier));
  }
  for (const path of CODE) {
    const lines = textOf(path).split("\n").length;
    t.ok(lines <= LINES_MAX || path === "lib/finding.ts", `${path} has ${lines} lines`);
    t.ok(imported.has(path) || ENTRANCES.has(path), `${path} is imported by nothing`);
  }
});

t.test("no path of a machine and no download address stands in the repository", async (t) => {
  const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  t.notMatch(lock, /"resolved"/);
  for (const path of [
    ...CODE,
    ...sources("scripts"),
    ...sources("bench"),
    ...sources("test"),
    "README.md",
    "ARCHITECTURE.md",
  ]) {
    t.notMatch(textOf(relative(ROOT, join(ROOT, path))), /(?:^|[\s"'`(])\/(?:work|root|home)\//m, path);
  }
});
