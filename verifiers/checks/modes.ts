import { LANE_FILES } from "../../lib/records/documents.js";
import type { Manifest } from "../../schemas/index.js";
import type { Check } from "../check.js";
import { Notes } from "../outcome.js";

type Mode = Manifest["modes"][number];

/**
 * The modes that a lane of this version holds the records for. Reuse of grades needs the proofs of the original grading, and
 * judging anew needs a judge's calls: no document of this version has either, so a lane that offers them offers what it has not.
 */
const HELD: readonly Mode[] = ["reference-verification", "fresh-reader-replay"];

/** What a lane says it can be used for is what it holds records for; every lane can be verified against its own records. */
export const modes: Check = {
  id: "modes",
  how: "the modes the lane offers against the records it holds",
  title: "The lane holds what the modes it offers need",
  emits: ["E_MODE"],
  needs: () => [],
  start: ({ manifest }) => ({
    finish() {
      if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
      const notes = new Notes();
      const offered = manifest.value.modes;
      const add = (found: string, message: string): void =>
        notes.add({
          code: "E_MODE",
          at: `${LANE_FILES.manifest}#/modes`,
          expected: HELD.join(", "),
          found,
          message,
        });
      for (const [index, mode] of offered.entries()) {
        notes.examined();
        if (!HELD.includes(mode)) add(mode, "the lane offers a mode for which it holds no records");
        if (offered.indexOf(mode) !== index) add(mode, "a mode stands twice");
      }
      if (!offered.includes("reference-verification"))
        add(offered.join(", "), "the lane does not offer verification of its own records");
      return notes.outcome({ code: "E_MODE", at: LANE_FILES.manifest });
    },
  }),
};
