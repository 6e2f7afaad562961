import type { AskedQuestion, History } from "../../dataset/types.js";
import { words } from "../../text/words.js";
import { askedMonths, type Months } from "../asked-months.js";
import type { Segment } from "../segment.js";
import { turnAt } from "../segment.js";
import type { Arm, ArmContext } from "./types.js";

/**
 * An arm of our own, free of the paper's constants. A segment counts by the words it shares with the question, as stems,
 * and by those that its neighbours in the session share: an answer often stands next to the turn that has the question's words.
 * To that comes similarity of meaning. Who is asked about speaks for himself, and a month that is asked about has its sessions.
 * Constants chosen on LoCoMo's conversations of even place (docs/arms.md).
 */
export const near: Arm = {
  id: "near",
  title:
    "shared words of a segment and its neighbours, and meaning, with a bonus for the speaker and the month asked about",
  needs: ["semantic"],
  renderer: "turn-lines-1",
  order: "history",
  parameters: {
    k1: 1.2,
    b: 0.75,
    words: "lower-case letters, marks and digits; porter stems; without function words and the history's speakers",
    power: "5/4",
    neighbour: 0.4,
    neighbour_decay: 0.8,
    semantic: 1,
    speaker: 1.8,
    month: 2,
  },
  rank(asked, context, parameters) {
    const { segments, semantic } = context;
    const lexical = context.stems.bm25(asked.question, Number(parameters.k1), Number(parameters.b)).scores;
    const shared = sharpened(lexical);
    const scores = seenByNeighbours(shared, segments, Number(parameters.neighbour), Number(parameters.neighbour_decay));
    addScaled(scores, semantic!.cosines(asked.question), Number(parameters.semantic));
    const speaker = onlySpeakerAsked(asked, context.history);
    const months = askedMonths(asked.question);
    for (const [index, segment] of segments.entries()) {
      if (speaker !== undefined && turnAt(context.history, segment)!.speaker === speaker)
        scores[index]! *= Number(parameters.speaker);
      if (isIn(months, context, segment)) scores[index]! *= Number(parameters.month);
    }
    return [...segments.keys()]
      .filter((index) => scores[index]! > 0)
      .sort((first, second) => scores[second]! - scores[first]! || first - second)
      .map((index) => [segments[index]!]);
  },
};

/** Each score to the power 5/4, by square roots alone, which every machine rounds alike. */
function sharpened(scores: Float64Array): Float64Array {
  return scores.map((score) => score * Math.sqrt(Math.sqrt(score)));
}

/** Each score plus those of its session's other segments, by weights that fall with the distance: weight, weight · decay, … */
function seenByNeighbours(
  scores: Float64Array,
  segments: readonly Segment[],
  weight: number,
  decay: number,
): Float64Array {
  const seen = scores.slice();
  const sweep = (from: number, to: number, step: 1 | -1): void => {
    let carried = 0;
    for (let index = from; index !== to; index += step) {
      const before = index - step;
      const together = segments[before]?.session === segments[index]!.session;
      carried = together ? weight * scores[before]! + decay * carried : 0;
      seen[index]! += carried;
    }
  };
  sweep(0, segments.length, 1);
  sweep(segments.length - 1, -1, -1);
  return seen;
}

/** Scales both to a highest of one and adds the second, where it is positive, by its weight. */
function addScaled(scores: Float64Array, others: Float64Array, weight: number): void {
  const highest = scores.reduce((most, score) => Math.max(most, score), 0) || 1;
  const highestOther = others.reduce((most, other) => Math.max(most, other), 0) || 1;
  for (let index = 0; index < scores.length; index += 1) {
    scores[index] = scores[index]! / highest + (weight * Math.max(0, others[index]!)) / highestOther;
  }
}

/** The speaker whom a question names, if it names one and not several. */
function onlySpeakerAsked({ question }: AskedQuestion, { sessions }: History): string | undefined {
  const said = new Set(words(question));
  const speakers = new Set(sessions.flatMap((session) => session.turns.map((turn) => turn.speaker)));
  const named = [...speakers].filter((speaker) => {
    const parts = words(speaker);
    return parts.length > 0 && parts.every((part) => said.has(part));
  });
  return named.length === 1 ? named[0] : undefined;
}

function isIn({ months, years }: Months, { history }: ArmContext, { session }: Segment): boolean {
  const time = history.sessions[session - 1]!.time;
  if (months.size === 0 || time === null) return false;
  return months.has(time.slice(5, 7)) && (years.size === 0 || years.has(time.slice(0, 4)));
}
