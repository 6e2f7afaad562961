import { SealaneError } from "../../finding.js";
import { bm25 } from "./bm25.js";
import { breadth } from "./breadth.js";
import { cl1 } from "./cl1.js";
import { cs1 } from "./cs1.js";
import { dense } from "./dense.js";
import { full } from "./full.js";
import { fullUntrimmed } from "./full-untrimmed.js";
import { near } from "./near.js";
import { nobackbone } from "./nobackbone.js";
import { r } from "./r.js";
import type { Arm } from "./types.js";

/** Every arm. To add one: one file, one line here. */
export const ARMS: readonly Arm[] = [cl1, nobackbone, dense, bm25, full, fullUntrimmed, cs1, r, breadth, near];

/** The arm of an id; throws E_UNKNOWN with the list of those there are. */
export function armOf(id: string): Arm {
  const arm = ARMS.find((candidate) => candidate.id === id);
  if (arm) return arm;
  throw new SealaneError("E_UNKNOWN", `there is no arm '${id}'`, {
    expected: ARMS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}
