// What README.md shows of the released lanes is run, in a folder that has of the repository what a fresh clone has, and every line
// of output that stands there is printed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sealane } from "../support/cli.js";
import { repositoryFile, shared } from "../support/shared.js";

const README = readFileSync(repositoryFile("README.md"), "utf8");
const SECTION = /^## Check two published lanes\n[\s\S]*?(?=^## )/m.exec(README)?.[0] ?? "";
const locomo = shared("data/locomo/locomo10.json");

const clone = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(clone, { recursive: true }));
for (const name of ["lanes", "fixtures"]) symlinkSync(repositoryFile(name), join(clone, name));
if (!locomo.skip) copyFileSync(locomo.path, join(clone, "locomo10.json"));

interface Shown {
  readonly line: string;
  readonly args: string[];
  exitCode: number;
  readonly printed: string[];
}

/** Commands with the lines that are shown under them. */
function shownIn(block: string): Shown[] {
  const shown: Shown[] = [];
  for (const line of block.split("\n").filter((text) => text !== "")) {
    const code = /^# exits with (\d+)$/.exec(line)?.[1];
    if (line.startsWith("npx sealane ")) shown.push({ line, args: line.split(" ").slice(2), exitCode: 0, printed: [] });
    else if (code !== undefined) shown.at(-1)!.exitCode = Number(code);
    else shown.at(-1)!.printed.push(line);
  }
  return shown;
}

const blocks = [...SECTION.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block]) => shownIn(block!));

t.equal(blocks.length, 3);
for (const command of blocks.flat()) {
  const { line, args, exitCode, printed } = command;
  // What was hydrated is LoCoMo too.
  const needsLocomo = args.some((arg) => arg === "locomo10.json" || arg === "locomo-near-1500-v1");
  t.test(line, { skip: needsLocomo && locomo.skip, timeout: 120_000 }, async (t) => {
    const { code, stdout, stderr } = await sealane(args, { cwd: clone });
    t.equal(code, exitCode, stderr);
    const lines = stdout.split("\n");
    let from = 0;
    for (const expected of printed) {
      const at = lines.indexOf(expected, from);
      t.ok(at >= 0, `it prints, in this order: ${expected}`);
      from = at + 1;
    }
    t.ok(stdout.length > 0);
  });
}

t.test("no other section shows a released lane", async (t) => {
  const elsewhere = README.replace(SECTION, "");
  t.notMatch(elsewhere, /^npx sealane .*(?:harbour-bm25-1500-v1|locomo-near-1500-v1)/m, "that would not be run");
});
