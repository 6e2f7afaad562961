import { LANE_FILES } from "../../lib/records/documents.js";
import type { Check } from "../check.js";
import { Notes } from "../outcome.js";

/** The user's copy of the dataset is the one the lane was made from. */
export const dataset: Check = {
  id: "dataset",
  how: "your copy's digest against the lane's",
  title: "The dataset given is the one the lane names",
  emits: ["E_DATASET"],
  optional: true,
  needs: () => [],
  start: ({ manifest, dataset: given }) => ({
    finish() {
      if (!given) return { kind: "not-run", why: "no dataset was given; name your copy with --dataset" };
      if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
      const notes = new Notes();
      const declared = manifest.value.dataset;
      notes.examined();
      notes.expect(declared.sha256 === given.identity.sha256 && declared.bytes === given.identity.bytes, () => ({
        code: "E_DATASET",
        at: `${LANE_FILES.manifest}#/dataset`,
        expected: `${declared.sha256}, ${declared.bytes} bytes`,
        found: `${given.identity.sha256}, ${given.identity.bytes} bytes`,
        message: "the dataset given is another file than the one the lane was made from",
      }));
      return notes.outcome({ code: "E_DATASET", at: LANE_FILES.manifest });
    },
  }),
};
