import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { EXTRACTIVE_RULE, extractive } from "../../lib/reader/extractive.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** The model that answered can be named again: it has a digest, and each response is by the model that was asked for. */
export const model: Check = {
  id: "model",
  how: "the model's digest, and who answered against who was asked",
  title: "The model that answered is one that can be named again",
  emits: ["E_MODEL_ID"],
  needs: () => [LANE_FILES.reader, LANE_FILES.receipts],
  start({ reader }) {
    const notes = new Notes();
    return {
      row({ receipt }) {
        if (!receipt) return;
        notes.examined();
        const { requested, reported = requested } = receipt.value.model;
        notes.expect(reported === requested, () => ({
          code: "E_MODEL_ID",
          at: `${LANE_FILES.receipts}:${receipt.line}`,
          questionId: receipt.value.question_id,
          expected: requested,
          found: reported,
          message: "another model answered than was asked for",
        }));
      },
      finish() {
        if (!reader.ok) return { kind: "not-run", why: "the reader protocol could not be read" };
        notes.examined();
        const { reader: id, model: declared } = reader.value;
        const own = id === extractive.id ? sha256Hex(canonicalJson(EXTRACTIVE_RULE)) : undefined;
        if (declared.digest === null || (own !== undefined && declared.digest !== own)) {
          notes.add({
            code: "E_MODEL_ID",
            at: `${LANE_FILES.reader}#/model/digest`,
            expected: own ?? "the model's SHA-256",
            found: shown(declared.digest),
            message:
              own === undefined
                ? `the model is named by its tag ${declared.name} alone, which can come to mean another model`
                : "the embedded reader of this release has another rule than the lane's",
          });
        }
        return notes.outcome({ code: "E_MODEL_ID", at: LANE_FILES.reader });
      },
    };
  },
};
