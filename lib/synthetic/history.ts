// A history of any length, session by session: chatter, with the planned facts told at their places.
import { type Moment, momentOf } from "./calendar.js";
import type { Chance } from "./chance.js";
import { Topic } from "./chatter.js";
import type { PlannedQuestion } from "./facts.js";

export interface SyntheticTurn {
  readonly speaker: string;
  readonly text: string;
  /** Questions, by their place in the plan, that this turn supports. */
  readonly supports: readonly number[];
}

export interface SyntheticSession {
  readonly moment: Moment;
  readonly turns: readonly SyntheticTurn[];
}

/** A session has so many turns on average, and a turn so many tokens of o200k_base (measured: 25.1 over 32,282 turns). */
export const TURNS_MEAN = 16;
export const TURN_TOKENS_MEAN = 25;
/** All sessions lie within three years. */
const SPAN_MINUTES = 3 * 365 * 1440;

export function sessionCount(tokens: number): number {
  return Math.max(2, Math.round(tokens / (TURNS_MEAN * TURN_TOKENS_MEAN)));
}

/**
 * Sessions of about `tokens` tokens in all, one after another, so that a history of any length can be written in bounded
 * memory. The first of the two speakers is the one who tells the facts.
 */
export function* syntheticSessions(
  chance: Chance,
  speakers: readonly [string, string],
  plan: readonly PlannedQuestion[],
  tokens: number,
): Generator<SyntheticSession> {
  const sessions = sessionCount(tokens);
  const planted = new Map<number, { sentence: string; question: number }[]>();
  for (const [question, { plants }] of plan.entries()) {
    for (const { at, sentence } of plants) {
      const session = Math.floor(at * sessions);
      planted.set(session, [...(planted.get(session) ?? []), { sentence, question }]);
    }
  }
  const step = Math.floor(SPAN_MINUTES / sessions);
  for (let session = 0; session < sessions; session += 1) {
    const facts = planted.get(session) ?? [];
    const topic = new Topic(chance);
    const turns = Math.max(chance.between(TURNS_MEAN - 6, TURNS_MEAN + 6), 2 * facts.length);
    // The one who tells speaks in the even turns; each fact has a turn of its own.
    const places = chance.shuffled(Array.from({ length: Math.ceil(turns / 2) }, (_, index) => 2 * index));
    const factAt = new Map(facts.map((fact, index) => [places[index]!, fact]));
    yield {
      moment: momentOf(session * step + chance.below(Math.max(1, step))),
      turns: Array.from({ length: turns }, (_, place): SyntheticTurn => {
        const fact = factAt.get(place);
        const talk = topic.talk(chance, chance.between(1, 3));
        return {
          speaker: speakers[place % 2]!,
          text: fact ? `${talk} ${fact.sentence} ${topic.talk(chance, 1)}` : talk,
          supports: fact ? [fact.question] : [],
        };
      }),
    };
  }
}
