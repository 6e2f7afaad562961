// Data that is not ours to publish stands beside the repository on the project's machines; elsewhere its tests skip, visibly.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../lib/io/package-root.js";

/** A path under ../shared, or a reason to skip when it is not there: `const { path, skip } = shared("vectors/jcs")`. */
export function shared(path: string): { path: string; skip: string | false } {
  const full = join(packageRoot(), "..", "shared", path);
  return { path: full, skip: existsSync(full) ? false : `no ${path} beside this repository` };
}

/** A file of this repository. */
export function repositoryFile(path: string): string {
  return join(packageRoot(), path);
}
