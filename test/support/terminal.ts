// A command on a terminal of its own, by script(1) of util-linux: what it shows, and what somebody types when asked.
import { spawn, spawnSync } from "node:child_process";
import { CLI } from "./cli.js";

const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });

/** Why tests that need a terminal cannot run here, or false. */
export const noTerminal: string | false = /util-linux/.test(stdout ?? "") ? false : "no script of util-linux on PATH";

export interface Shown {
  readonly code: number | null;
  /** Everything that stood on the screen. */
  readonly screen: string;
}

const PATIENCE_MS = 60_000;

/**
 * Runs sealane on a terminal. Each answer is typed when its question has newly come up on the screen; `ended` tells of a key:
 * "\r" is the return key, "\u0003" Ctrl-C, "\u007f" the backspace.
 */
export function onTerminal(
  args: readonly string[],
  answers: readonly (readonly [question: RegExp, typed: string])[],
  cwd: string,
): Promise<Shown> {
  const quoted = [process.execPath, CLI, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", quoted, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let screen = "";
  let asked = 0;
  const left = [...answers];
  const seen = (chunk: Buffer): void => {
    screen += chunk.toString();
    const match = left[0]?.[0].exec(screen.slice(asked));
    if (!match) return;
    asked += match.index + match[0].length;
    child.stdin.write(left.shift()![1]);
  };
  child.stdout.on("data", seen);
  child.stderr.on("data", seen);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen }));
  });
}
