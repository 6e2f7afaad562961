import { LANE_FILES } from "../records/documents.js";

/** Names that Windows gives to devices, and endings that it drops: such a path would name something else there. */
const NOT_PORTABLE = /(?:^|\/)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)|\.(?:\/|$)/i;

/** Which rule paths break, and how. */
export interface PathsProblem {
  readonly code: "E_PATH" | "E_PATH_CASE" | "E_PATH_PREFIX";
  readonly why: string;
}

/**
 * Why paths of the schema's grammar cannot stand side by side in one folder, in this order; undefined when they can.
 */
export function pathsProblem(paths: readonly string[]): PathsProblem | undefined {
  const wrong = (code: PathsProblem["code"], why: string): PathsProblem => ({ code, why });
  // By lower-case spelling, so that a file system that ignores case cannot merge two of them; folders end in '/'.
  const taken = new Map<string, string>([
    [LANE_FILES.manifest, LANE_FILES.manifest],
    [LANE_FILES.envelope, LANE_FILES.envelope],
  ]);
  let previous = "";
  for (const path of paths) {
    if (path <= previous) return wrong("E_PATH", `${path} is listed after ${previous}`);
    previous = path;
    if (NOT_PORTABLE.test(path)) return wrong("E_PATH", `${path} is not a file's name on every system`);
    for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
      const name = end < 0 ? path : path.slice(0, end + 1);
      const key = name.toLowerCase().replace(/\/$/, "");
      const other = taken.get(key);
      if (other !== undefined && (other !== name || end < 0)) {
        const prefix = other.endsWith("/") !== name.endsWith("/");
        const code = prefix ? "E_PATH_PREFIX" : other === name ? "E_PATH" : "E_PATH_CASE";
        return wrong(code, `${path} cannot stand beside ${other}`);
      }
      taken.set(key, name);
      if (end < 0) break;
    }
  }
  return undefined;
}
