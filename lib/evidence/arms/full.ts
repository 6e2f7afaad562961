import type { Segment } from "../segment.js";
import type { Arm } from "./types.js";

/**
 * The whole history in date order, a session a group; when it does not fit, the oldest sessions are left out (paper
 * section 9.1). Sessions keep the dataset's order when any of them has no date that can be sorted.
 */
export const full: Arm = {
  id: "full",
  title: "the whole history in date order, oldest sessions left out when it does not fit",
  parameters: { order: "date", trim: "oldest sessions" },
  rank(_asked, { history, segments, tokensOf, ceilingTokens }) {
    const sessions = new Map<number, Segment[]>();
    for (const segment of segments) {
      const group = sessions.get(segment.session);
      if (group) group.push(segment);
      else sessions.set(segment.session, [segment]);
    }
    const numbers = [...sessions.keys()];
    const timeOf = (session: number): string | null => history.sessions[session - 1]?.time ?? null;
    if (numbers.every((session) => timeOf(session) !== null)) {
      numbers.sort((a, b) => (timeOf(a)! < timeOf(b)! ? -1 : timeOf(a)! > timeOf(b)! ? 1 : a - b));
    }
    const groups = numbers.map((session) => sessions.get(session)!);
    let first = groups.length;
    let left = ceilingTokens;
    while (first > 0) {
      left -= tokensOf(groups[first - 1]!);
      if (left < 0) break;
      first -= 1;
    }
    return groups.slice(first);
  },
};
