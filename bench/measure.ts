import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../lib/io/package-root.js";

export interface Measured {
  readonly seconds: number;
  /** Peak resident memory in MB (10^6 bytes); undefined for a process that is not ours. */
  readonly peakMb: number | undefined;
}

const root = packageRoot();

function timed(command: string, args: readonly string[], usage: string | undefined): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...(usage === undefined ? {} : { SEALANE_BENCH_USAGE: usage }) },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return (performance.now() - started) / 1000;
}

/** One sealane command as a process of its own. */
export function sealane(...args: string[]): Measured {
  const usage = join(tmpdir(), `sealane-usage-${process.pid}`);
  rmSync(usage, { force: true });
  const hook = join(root, "build/bench/usage.js");
  const seconds = timed(process.execPath, ["--import", hook, join(root, "build/cli/main.js"), ...args], usage);
  const peakMb = (Number(readFileSync(usage, "utf8")) * 1024) / 1e6;
  rmSync(usage, { force: true });
  return { seconds, peakMb };
}

/** A program of the system, as the reference. */
export function reference(command: string, ...args: string[]): Measured {
  return { seconds: timed(command, args, undefined), peakMb: undefined };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
