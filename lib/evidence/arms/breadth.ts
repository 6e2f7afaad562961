import { chronological, strataOf } from "../chronology.js";
import { asksFor } from "../cues.js";
import { bySessions } from "../segment.js";
import { cl1 } from "./cl1.js";
import type { Arm, CandidateGroup } from "./types.js";

/** One of each bin in turn, until all are empty. */
function roundRobin<T>(bins: readonly (readonly T[])[]): T[] {
  const taken: T[] = [];
  for (let round = 0; bins.some((bin) => round < bin.length); round += 1) {
    for (const bin of bins) if (round < bin.length) taken.push(bin[round]!);
  }
  return taken;
}

/**
 * CL1 whose candidates are admitted in turn from strata of time, the oldest first, where the question asks for a summary or
 * an order of events (paper section 9.5); for other questions CL1 itself.
 */
export const breadth: Arm = {
  ...cl1,
  id: "breadth",
  title: "cl1, its candidates taken in turn from strata of time for summaries and orders of events",
  parameters: {
    ...cl1.parameters,
    strata: 8,
    summary_cues:
      "\\b(?:summar(?:y|ies|i[sz]e|i[sz]ing)|overview|recap|outline|over (?:the course|time)|how (?:has|have|did) .*\\b(?:evolved?|developed?|changed?|progress(?:ed)?))\\b",
    order_cues:
      "\\b(?:in (?:what|which) order|the order (?:in which|that)|(?:chronological|time|temporal) order|chronolog\\w*|sequence|timeline|order of (?:the )?events|in order\\b|from (?:first|earliest|oldest) to (?:last|latest|newest))\\b",
  },
  rank(asked, context, parameters) {
    const groups = cl1.rank(asked, context, parameters);
    if (!asksFor(asked.question, parameters.summary_cues) && !asksFor(asked.question, parameters.order_cues)) {
      return groups;
    }
    const ordered = chronological(context.history, [...bySessions(context.segments).keys()]);
    const strata = strataOf(ordered, Number(parameters.strata));
    const bins = Array.from({ length: Number(parameters.strata) }, (): CandidateGroup[] => []);
    for (const group of groups) bins[strata.get(group[0]!.session)!]!.push(group);
    return roundRobin(bins);
  },
};
