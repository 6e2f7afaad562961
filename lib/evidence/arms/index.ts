import { SealaneError } from "../../finding.js";
import { bm25 } from "./bm25.js";
import { full } from "./full.js";
import type { Arm } from "./types.js";

/** Every arm. To add one: one file, one line here. */
export const ARMS: readonly Arm[] = [bm25, full];

/** The arm of an id; throws E_UNKNOWN with the list of those there are. */
export function armOf(id: string): Arm {
  const arm = ARMS.find((candidate) => candidate.id === id);
  if (arm) return arm;
  throw new SealaneError("E_UNKNOWN", `there is no arm '${id}'`, {
    expected: ARMS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}
