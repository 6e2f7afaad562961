// `npm run demo`: the whole path on a small dataset of our own, as the commands a user would type. No model, no network.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { packageRoot } from "../lib/io/package-root.js";

const root = packageRoot();
const demo = join("runs", "demo");
const run = join(demo, "run");
const lane = join(demo, "lane");
const key = join(demo, "author.pem");
const trust = join(demo, "trust.json");

const STEPS: readonly (readonly [why: string, args: readonly string[]])[] = [
  [
    "1. Packets: what each question is answered from, under a token ceiling",
    [
      "prepare",
      "--dataset",
      "fixtures/datasets/harbour.json",
      "--adapter",
      "own",
      "--arm",
      "bm25",
      "--ceiling",
      "1500",
      "--out",
      run,
    ],
  ],
  ["2. Answers: from the embedded baseline reader, which needs no model", ["replay", run, "--reader", "extractive"]],
  ["3. Grades: token F1 against the references, which no reader has seen", ["grade", run, "--endpoint", "token-f1"]],
  ["4. A signing key, and a file that says whose signature counts", ["keys", "new", "--out", key]],
  ["", ["trust", "init", "--key", key, "--owner", "demo author", "--out", trust]],
  [
    "5. The lane: all of it under one signed manifest",
    ["seal", run, "--id", "harbour-demo", "--key", key, "--out", lane],
  ],
  [
    "6. What a stranger does: verify it offline, here with the dataset too",
    ["verify", lane, "--trust", trust, "--dataset", "fixtures/datasets/harbour.json"],
  ],
  ["7. Its table, counted again from the rows", ["tables", lane]],
];

const strong =
  process.stdout.isTTY && !process.env.NO_COLOR
    ? (text: string) => `\u001b[1m${text}\u001b[0m`
    : (text: string) => text;

rmSync(join(root, demo), { recursive: true, force: true });
mkdirSync(join(root, demo), { recursive: true });
for (const [why, args] of STEPS) {
  if (why !== "") process.stdout.write(`\n${strong(why)}\n`);
  process.stdout.write(`$ sealane ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [join(root, "build/cli/main.js"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) {
    process.stdout.write(`\nThe demo stopped: this step ended with exit code ${status ?? "none"}.\n`);
    process.exit(status ?? 1);
  }
}
process.stdout.write(`
The lane stands in ${relative(process.cwd(), join(root, lane)) || "."}. Look at one question, or change a byte and verify again:
$ npx sealane show ${lane} --question boatyard-01
$ npx sealane verify ${lane} --trust ${trust}
`);
