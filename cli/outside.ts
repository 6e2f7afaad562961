import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { SealaneError } from "../lib/finding.js";

/** Refuses an output inside a lane's folder: a file that the manifest does not name would break the lane. Throws E_USAGE. */
export function refuseInside(lane: string, out: string): void {
  if (!existsSync(lane) || !statSync(lane).isDirectory()) return;
  const folder = realpathSync(lane);
  const parent = dirname(resolve(out));
  const place = join(existsSync(parent) ? realpathSync(parent) : parent, basename(out));
  if (place === folder || place.startsWith(folder + sep)) {
    throw new SealaneError("E_USAGE", `${out} lies inside the lane, which holds nothing but what its manifest names`, {
      at: out,
      next: "Name a place outside the lane.",
    });
  }
}
