import { writePerSignature } from "./per-signature.js";
import type { ExportFormat } from "./types.js";

/** A folder of the raw signatures of the envelope, 64 bytes each: what time-stamping authorities and calendars are to stamp. */
export const signatures: ExportFormat = {
  id: "signatures",
  summary: "a folder of the lane's raw signatures, one file for each, to be time-stamped",
  needs: [],
  takes: [],
  write: (task) => writePerSignature(task, ".sig", (index) => task.lane.signatures[index]!),
};
