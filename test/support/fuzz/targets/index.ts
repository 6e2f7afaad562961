import type { Target } from "../target.js";
import { ARCHIVE_TARGETS } from "./archives.js";
import { DATASET_TARGETS } from "./datasets.js";
import { DOCUMENT_TARGETS } from "./documents.js";
import { FILE_TARGETS } from "./files.js";
import { JSON_TARGETS } from "./json.js";
import { LANE_TARGETS } from "./lane.js";
import { NOTE_TARGETS } from "./notes.js";
import { TIME_TARGETS } from "./time.js";
import { TRUST_TARGETS } from "./trust.js";

/** Every target of the fuzzer. To add one: an object in a file beside this, and its list here. */
export const TARGETS: readonly Target[] = [
  ...JSON_TARGETS,
  ...DOCUMENT_TARGETS,
  ...LANE_TARGETS,
  ...ARCHIVE_TARGETS,
  ...TRUST_TARGETS,
  ...NOTE_TARGETS,
  ...TIME_TARGETS,
  ...DATASET_TARGETS,
  ...FILE_TARGETS,
];
