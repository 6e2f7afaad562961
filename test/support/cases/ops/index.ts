import type { Op } from "../op.js";
import { BYTE_OPS } from "./bytes.js";
import { CHECKPOINT_OPS } from "./checkpoints.js";
import { DOCUMENT_OPS } from "./documents.js";
import { ENVELOPE_OPS } from "./envelope.js";
import { FILE_OPS } from "./files.js";
import { GZIP_OPS } from "./gzip.js";
import { QUESTION_OPS } from "./questions.js";
import { RELINK_OPS } from "./relink.js";
import { REQUEST_OPS } from "./requests.js";
import { TAR_OPS } from "./tar.js";
import { TRUST_OPS } from "./trust.js";
import { ZIP_OPS } from "./zip.js";

/** Every edit that a recipe can name. To add one: one entry in its file. */
export const OPS: Readonly<Record<string, Op>> = {
  ...BYTE_OPS,
  ...FILE_OPS,
  ...DOCUMENT_OPS,
  ...QUESTION_OPS,
  ...RELINK_OPS,
  ...REQUEST_OPS,
  ...ENVELOPE_OPS,
  ...CHECKPOINT_OPS,
  ...TRUST_OPS,
  ...TAR_OPS,
  ...GZIP_OPS,
  ...ZIP_OPS,
};
