import { bounded } from "../bounded.js";
import type { Segment, Span } from "../segment.js";
import { cl1 } from "./cl1.js";
import type { Arm, CandidateGroup } from "./types.js";

const placeOf = ({ session, turn, start }: Span): string => `${session}.${turn}.${start}`;

/**
 * The passages beside those that CL1 chose: first, of a turn that was cut, the passages before and after (the rest of a
 * statement), then, over the edge of a turn, the passages of the turns before and after. Never out of the session.
 */
function* beside(spans: readonly Span[], segments: readonly Segment[]): Generator<CandidateGroup> {
  const indexes = new Map(segments.map((segment, index) => [placeOf(segment), index]));
  for (const sameTurn of [true, false]) {
    for (const span of spans) {
      const index = indexes.get(placeOf(span))!;
      for (const neighbour of [segments[index - 1], segments[index + 1]]) {
        if (neighbour?.session === span.session && (neighbour.turn === span.turn) === sameTurn) yield [neighbour];
      }
    }
  }
}

/**
 * CS1 (paper, Appendix B): every span that CL1 has, under a renderer that does not repeat a session's header, and, with the
 * room that leaves, the exact passages beside them, in `completion_share` of the ceiling at most.
 */
export const cs1: Arm = {
  ...cl1,
  id: "cs1",
  title: "every span of cl1 with session headers once, and the passages beside them",
  renderer: "session-lines-once-1",
  parameters: { ...cl1.parameters, completion_share: 0.05 },
  rank(asked, context, parameters) {
    const backbone = cl1.backbone!(asked, context, parameters);
    const chosen = context.assembled(backbone, cl1.rank(asked, context, parameters));
    const kept = chosen.groups.flat();
    const room = Math.floor(context.ceilingTokens * Number(parameters.completion_share));
    const completion = bounded(beside(kept, context.segments), [...chosen.backbone, ...kept], room, context.tokensOf);
    return [...chosen.groups, ...completion];
  },
};
