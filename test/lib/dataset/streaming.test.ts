// A dataset larger than the memory that reads it. The heap is bounded from outside; what would hold the file dies of it.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { SYNTHETIC_FORMS } from "../../../lib/synthetic/forms.js";
import type { ReadThrough } from "../../support/read-through.js";
import { repositoryFile } from "../../support/shared.js";

const HEAP_MB = 24;
const SIZE = { seed: "streaming", tokens: 100_000, histories: 100, questions: 1 };

t.setTimeout(120_000);

t.test("a file of more than 50 MB in a heap of 24 MB", async (t) => {
  const file = join(t.testdir(), "large.json");
  const descriptor = openSync(file, "wx");
  for (const text of SYNTHETIC_FORMS.find(({ id }) => id === "longmemeval")!.write(SIZE)) writeSync(descriptor, text);
  closeSync(descriptor);
  const megabytes = statSync(file).size / 1e6;
  t.ok(megabytes > 50, `${megabytes.toFixed(0)} MB`);
  const child = spawnSync(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      "--max-semi-space-size=2",
      repositoryFile("build/test/support/read-through.js"),
      file,
    ],
    { encoding: "utf8", env: { PATH: process.env.PATH } },
  );
  t.equal(child.status, 0, child.stderr.slice(0, 300));
  const told = JSON.parse(child.stdout) as ReadThrough;
  t.equal(told.questions, SIZE.histories);
  t.equal(told.sha256, sha256Hex(readFileSync(file)));
  t.ok(told.turns > told.sessions);
  t.equal(told.seen, told.sessions);
  // Node alone takes 60 MB; the file as text would come on top of it, and as objects once more.
  t.ok(told.peakMb < megabytes + 60, `${told.peakMb.toFixed(0)} MB`);
});
