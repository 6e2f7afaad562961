// The command lines of docs/trust-and-formats.md are run as they stand there, in their order, in one folder.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { CLI } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(240_000);

const dir = t.testdir();
await finishedRun(dir);
// `npx sealane` without npx: the built command line.
const bin = join(dir, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 });
const env = { PATH: `${bin}:${process.env.PATH}`, LC_ALL: "C" };

const blocks = [
  ...readFileSync(repositoryFile("docs/trust-and-formats.md"), "utf8").matchAll(
    /^```sh\n# needs: (.*)\n([\s\S]*?)^```$/gm,
  ),
];
t.ok(blocks.length >= 12);

for (const [, needs = "", script = ""] of blocks) {
  const missing = needs.split(" ").find((name) => spawnSync("sh", ["-c", `command -v ${name}`], { env }).status !== 0);
  const first = script.split("\n")[0] ?? "";
  t.test(`${needs}: ${first}`, { skip: missing === undefined ? false : `no ${missing} on PATH` }, async (t) => {
    const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      cwd: dir,
      env,
      encoding: "utf8",
    });
    t.equal(status, 0, `${stdout}${stderr}`);
  });
}
