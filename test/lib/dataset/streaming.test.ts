// A dataset larger than the memory that reads it. The heap is bounded from outside; what would hold the file dies of it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import t from "tap";
import { writeLongMemEvalLike } from "../../../bench/longmemeval-like.js";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { openDataset } from "../../../lib/dataset/index.js";
import { longmemeval } from "../../../lib/dataset/longmemeval.js";
import { openInput } from "../../../lib/io/input.js";

const HEAP_MB = 32;
const FILE_BYTES = 100e6;

interface Told {
  readonly sha256: string;
  readonly questions: number;
  readonly sessions: number;
  readonly turns: number;
  readonly seen: number;
  readonly peakMb: number;
}

/** Reads a dataset to its end, twice, and tells what it took. */
function readThrough(path: string): Told {
  const { identity, asked, histories } = openDataset(longmemeval, openInput(path), true);
  let seen = 0;
  for (const { sessions } of histories) seen += sessions.length;
  return {
    sha256: identity.sha256,
    questions: asked.length,
    sessions: histories.sessionsTotal,
    turns: histories.turnsTotal,
    seen,
    peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  };
}

const [, program, path] = process.argv;
if (path !== undefined && program !== undefined && import.meta.url === pathToFileURL(program).href) {
  process.stdout.write(JSON.stringify(readThrough(path)));
} else {
  t.test("a file of 100 MB in a heap of 32 MB", async (t) => {
    const file = join(t.testdir(), "large.json");
    const questions = writeLongMemEvalLike(file, FILE_BYTES, 1_000_000);
    const child = spawnSync(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, "--max-semi-space-size=2", fileURLToPath(import.meta.url), file],
      { encoding: "utf8", env: { PATH: process.env.PATH } },
    );
    t.equal(child.status, 0, child.stderr.slice(0, 300));
    const told = JSON.parse(child.stdout) as Told;
    t.equal(told.questions, questions);
    t.equal(told.sha256, sha256Hex(readFileSync(file)));
    t.equal(told.turns, 10 * told.sessions);
    t.equal(told.seen, told.sessions);
    t.ok(told.peakMb < FILE_BYTES / 1e6 + 40, `${told.peakMb.toFixed(0)} MB at most, Node itself included`);
    t.comment(`${told.peakMb.toFixed(0)} MB`);
  });
}
