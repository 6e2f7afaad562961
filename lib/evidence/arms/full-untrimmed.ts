import { SealaneError } from "../../finding.js";
import { datedSessions, full } from "./full.js";
import type { Arm } from "./types.js";

/**
 * The whole history in date order and nothing left out (the amended part of paper section 9.1): a history that does not
 * fit under the ceiling invalidates preparation (E_BUDGET) rather than being trimmed.
 */
export const fullUntrimmed: Arm = {
  id: "full-untrimmed",
  title: "the whole history in date order; refused when it does not fit",
  parameters: { ...full.parameters, trim: "nothing" },
  rank(asked, context) {
    const groups = datedSessions(context);
    const tokens = groups.reduce((sum, group) => sum + context.tokensOf(group), 0);
    if (tokens > context.ceilingTokens) {
      throw new SealaneError("E_BUDGET", `history '${asked.historyId}' does not fit under the ceiling`, {
        at: asked.questionId,
        expected: `at most ${context.ceilingTokens} tokens`,
        found: `${tokens} tokens`,
        next: "Raise --ceiling, and the reader's context with it; the arm full leaves the oldest sessions out instead.",
      });
    }
    return groups;
  },
};
