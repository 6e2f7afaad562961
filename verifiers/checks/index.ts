import type { Check } from "../check.js";
import { amendments } from "./amendments.js";
import { anchors } from "./anchors.js";
import { answers } from "./answers.js";
import { checkpoints } from "./checkpoints.js";
import { dataset } from "./dataset.js";
import { documents } from "./documents.js";
import { files } from "./files.js";
import { grades } from "./grades.js";
import { history } from "./history.js";
import { packets } from "./packets.js";
import { population } from "./population.js";
import { protocols } from "./protocols.js";
import { receipts } from "./receipts.js";
import { references } from "./references.js";
import { requests } from "./requests.js";
import { results } from "./results.js";
import { signatures } from "./signatures.js";
import { tokens } from "./tokens.js";
import { trees } from "./trees.js";

/** Every check, in the order of the report. To add one: one file, one line here. */
export const CHECKS: readonly Check[] = [
  signatures,
  anchors,
  history,
  files,
  documents,
  protocols,
  population,
  dataset,
  packets,
  tokens,
  requests,
  receipts,
  answers,
  references,
  grades,
  trees,
  checkpoints,
  results,
  amendments,
];
