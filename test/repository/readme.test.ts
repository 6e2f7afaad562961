// What README.md says of commands, checks and exit codes is held to the program.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import t from "tap";
import { EXIT } from "../../lib/finding.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { repositoryFile } from "../support/shared.js";

const README = readFileSync(repositoryFile("README.md"), "utf8");
const MAIN = repositoryFile("build/cli/main.js");

t.test("every check has its row", async (t) => {
  for (const { id, how } of CHECKS) t.match(README, `| <a id="${id}"></a>${id} | ${how} |`, id);
});

t.test("every exit code is listed", async (t) => {
  for (const code of Object.values(EXIT)) t.match(README, `\`${code}\``, String(code));
});

t.test("every command line names a command and options that there are", async (t) => {
  const lines = README.match(/^npx sealane .*$/gm) ?? [];
  t.ok(lines.length >= 10);
  const help = new Map<string, string>();
  for (const line of lines) {
    const verb = line.split(/\s+/)[2] ?? "";
    if (!help.has(verb)) {
      const { status, stdout } = spawnSync(process.execPath, [MAIN, verb, "--help"], { encoding: "utf8" });
      t.equal(status, 0, verb);
      help.set(verb, stdout);
    }
    for (const option of line.match(/--[a-z-]+/g) ?? []) t.match(help.get(verb), option, `${verb} ${option}`);
  }
});

t.test("the example dataset is one", async (t) => {
  const example = /```json\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
  const { own } = await import("../../lib/dataset/own.js");
  const { readDataset } = await import("../../lib/dataset/index.js");
  const parsed = readDataset(own, Buffer.from(example), "README.md", false);
  t.equal(parsed.asked.length, 1);
  t.equal(parsed.references[0]?.reference, "green");
});
