import { LIMITS } from "../../lib/bytes/limits.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { tokenizerAtHand } from "../body.js";
import type { Check } from "../check.js";
import { lacksTokenizer } from "../limits.js";
import { Notes, type Outcome } from "../outcome.js";

/** Every packet is counted again under the pinned tokenizer and stays within the ceiling. */
export const tokens: Check = {
  id: "tokens",
  how: "each packet counted again under the pinned tokenizer, and its ceiling",
  title: "Token counts are true and within the ceiling",
  emits: ["E_BUDGET", "E_WORD"],
  needs: () => [
    LANE_FILES.packets,
    LANE_FILES.preparation,
    LANE_FILES.population,
    LANE_FILES.bodies,
    LANE_FILES.reader,
  ],
  start(evidence) {
    const { preparation } = evidence;
    if (lacksTokenizer(evidence)) {
      const why = "the lane's tokenizer is a tokenizer.json; name your copy with --tokenizer";
      return { finish: () => ({ kind: "not-run", why, stands: true }) };
    }
    if (!preparation.ok || tokenizerAtHand(evidence) === undefined) {
      const whose = evidence.tokenizer ? "the tokenizer given is another one than" : "this release does not have";
      return { finish: () => ({ kind: "not-run", why: `${whose} the lane's tokenizer` }) };
    }
    const notes = new Notes();
    const ceiling = preparation.value.ceiling_tokens;
    let unread = 0;
    return {
      row({ packet, evidence, evidenceTokens: counted }) {
        if (!packet) return;
        // Evidence that cannot be had from the request is the request check's finding.
        if (evidence === undefined) {
          unread += 1;
          return;
        }
        notes.examined();
        const { question_id: questionId, tokens: declared } = packet.value;
        const at = `${LANE_FILES.packets}:${packet.line}`;
        if (typeof counted !== "number") {
          const expected = `at most ${LIMITS.wordCharactersMax} characters without white space`;
          notes.add({
            code: "E_WORD",
            at,
            questionId,
            expected,
            message: "a word of the evidence is too long to be counted",
          });
          return;
        }
        notes.expect(counted === declared, () => ({
          code: "E_BUDGET",
          at,
          questionId,
          expected: `${counted} tokens`,
          found: `${declared} tokens`,
          message: "the packet's token count is not true",
        }));
        notes.expect(counted <= ceiling, () => ({
          code: "E_BUDGET",
          at,
          questionId,
          expected: `at most ${ceiling} tokens`,
          found: `${counted} tokens`,
          message: "the packet is over the ceiling",
        }));
      },
      finish(): Outcome {
        const outcome = notes.outcome({ code: "E_BUDGET", at: LANE_FILES.packets });
        if (unread === 0 || (outcome.kind === "failed" && outcome.examined > 0)) return outcome;
        return { kind: "not-run", why: `the evidence of ${unread} packets could not be read out of their requests` };
      },
    };
  },
};
