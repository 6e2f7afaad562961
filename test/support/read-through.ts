// Run as a process of its own, so that its heap can be bounded from outside: reads a dataset in LongMemEval's form to its end,
// twice, and tells what it found and the most memory it held.
import { openDataset } from "../../lib/dataset/index.js";
import { longmemeval } from "../../lib/dataset/longmemeval.js";
import { openInput } from "../../lib/io/input.js";

export interface ReadThrough {
  readonly sha256: string;
  readonly questions: number;
  readonly sessions: number;
  readonly turns: number;
  /** Sessions met when the histories were read again. */
  readonly seen: number;
  /** In MB of 10^6 bytes, Node itself included. */
  readonly peakMb: number;
}

const { identity, asked, histories } = openDataset(longmemeval, openInput(process.argv[2] ?? ""), true);
let seen = 0;
for (const { sessions } of histories) seen += sessions.length;
const told: ReadThrough = {
  sha256: identity.sha256,
  questions: asked.length,
  sessions: histories.sessionsTotal,
  turns: histories.turnsTotal,
  seen,
  peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
};
process.stdout.write(JSON.stringify(told));
