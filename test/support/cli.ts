// The built command line as a child process, with nothing of this process's environment but the path.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryFile } from "./shared.js";

export const CLI = repositoryFile("build/cli/main.js");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of node, before the program. */
  readonly node?: readonly string[];
  /** A program and its arguments that runs node. */
  readonly within?: readonly string[];
}

/** However slow the machine, a command that takes longer than this hangs. */
const PATIENCE_MS = 60_000;

/** The test runner has its own code loaded into every child, which writes files when the child ends; a user has not. */
const UNWATCHED = ["env", "-u", "NODE_OPTIONS"];

/** Starts `sealane` and tells how it ended. */
export function startSealane(
  args: readonly string[],
  { cwd, env = {}, node = [], within = [] }: Surroundings = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const [program = "", ...rest] = [...UNWATCHED, ...within, process.execPath, ...node, CLI, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
  return { child, ended };
}

export function sealane(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return startSealane(args, surroundings).ended;
}

/** Runs many commands, one after the other, in one child process (test/support/cli-batch.ts). */
export async function sealaneBatch(commands: readonly (readonly string[])[], cwd: string): Promise<Ended[]> {
  const folder = mkdtempSync(join(tmpdir(), "sealane-batch-"));
  try {
    const file = join(folder, "commands.json");
    writeFileSync(file, JSON.stringify(commands));
    const program = repositoryFile("build/test/support/cli-batch.js");
    const run = promisify(execFile);
    const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
    const { stdout } = await run(process.execPath, [program, file], { cwd, env, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout) as Ended[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The one JSON document on stdout; throws when there is none, or anything beside it. */
export function oneDocument(ended: Ended): Record<string, unknown> {
  const lines = ended.stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") {
    throw new Error(`not one line on stdout: ${ended.stdout.slice(0, 400)}\n${ended.stderr.slice(0, 2000)}`);
  }
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

/** The reason code of a failure, from its JSON document or from the first word on stderr. */
export function reasonOf(ended: Ended): string | undefined {
  if (ended.stdout === "") return /^(E_[A-Z0-9_]+):/m.exec(ended.stderr)?.[1];
  return (oneDocument(ended) as { error?: { code?: string } }).error?.code;
}

/** Works through items a few at a time, so that no test waits for one child after the other; results in order. */
export async function fewAtATime<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: 3 }, worker));
  return results;
}
