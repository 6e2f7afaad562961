// Which paths this process touches through node:fs while some work runs.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const WATCHED = [
  "accessSync",
  "copyFileSync",
  "existsSync",
  "lstatSync",
  "mkdirSync",
  "openSync",
  "opendirSync",
  "readFileSync",
  "readdirSync",
  "readlinkSync",
  "realpathSync",
  "renameSync",
  "rmSync",
  "statSync",
  "unlinkSync",
] as const;

type Watched = Record<string, (...args: unknown[]) => unknown>;

/** Runs work and returns every path that was named to a synchronous function of node:fs meanwhile. */
export async function pathsTouched(work: () => Promise<unknown>): Promise<string[]> {
  const touched: string[] = [];
  const module = fs as unknown as Watched;
  const originals = WATCHED.map((name) => [name, module[name]!] as const);
  for (const [name, original] of originals) {
    module[name] = (...args) => {
      touched.push(String(args[0]));
      return original.apply(fs, args);
    };
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const [name, original] of originals) module[name] = original;
    syncBuiltinESMExports();
  }
  return touched;
}
