import { sha256Hex } from "../../lib/bytes/digest.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** What changed after the freeze is chained, record by record. */
export const amendments: Check = {
  id: "amendments",
  how: "the hash chain of decisions made after the freeze",
  title: "Amendments form one unbroken chain",
  emits: ["E_AMENDMENT"],
  needs: () => [LANE_FILES.amendments],
  start: ({ amendments: records }) => ({
    finish() {
      if (records.length === 0) return { kind: "not-applicable", why: "nothing was amended" };
      const notes = new Notes();
      let previous: string | null = null;
      for (const [index, { value, line, bytes }] of records.entries()) {
        notes.examined();
        notes.expect(value.number === index + 1 && value.previous_sha256 === previous, () => ({
          code: "E_AMENDMENT",
          at: `${LANE_FILES.amendments}:${line}`,
          expected: `number ${index + 1} after ${shown(previous)}`,
          found: `number ${value.number} after ${shown(value.previous_sha256)}`,
          message: "the chain of amendments is broken here",
        }));
        previous = sha256Hex(bytes);
      }
      return notes.outcome({ code: "E_AMENDMENT", at: LANE_FILES.amendments });
    },
  }),
};
