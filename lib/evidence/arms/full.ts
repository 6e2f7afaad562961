import { chronological } from "../chronology.js";
import { bySessions } from "../segment.js";
import type { Arm, ArmContext, CandidateGroup } from "./types.js";

/** Every session as a group, in order of date; in the dataset's order when one has no date that can be sorted. */
export function datedSessions({ history, segments }: Pick<ArmContext, "history" | "segments">): CandidateGroup[] {
  const sessions = bySessions(segments);
  return chronological(history, [...sessions.keys()]).map((session) => sessions.get(session)!);
}

/**
 * The whole history in date order, a session a group; when it does not fit, the oldest sessions are left out (paper
 * section 9.1).
 */
export const full: Arm = {
  id: "full",
  title: "the whole history in date order, oldest sessions left out when it does not fit",
  parameters: { order: "date", trim: "oldest sessions" },
  rank(_asked, context) {
    const groups = datedSessions(context);
    let first = groups.length;
    let left = context.ceilingTokens;
    while (first > 0) {
      left -= context.tokensOf(groups[first - 1]!);
      if (left < 0) break;
      first -= 1;
    }
    return groups.slice(first);
  },
};
