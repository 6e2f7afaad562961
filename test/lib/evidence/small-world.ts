// A world small enough to look at all of it: every history of a few sessions of up to three turns over two texts.
import type { History, Session } from "../../../lib/dataset/types.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import type { Packet } from "../../../lib/evidence/prepared-history.js";
import { asked, datasetOf, history, session, turn } from "./histories.js";

const TURNS_MAX = 3;
/** The second is cut in two at BYTES_MAX, and shares a word with the first. */
const TEXTS = ["red kite", "No, Zoë: e\u0301 👍🏽.\r\nRED?"];
const BYTES_MAX = 16;
const CEILINGS = [0, 1, 7, 64, 200];
const QUESTION = "No red?";
/** A question that every arm has its own answer to: a list, an order and a named person. */
export const BROAD = "List in order what red things Bo saw";
/** By position: not in order, one of no known form when there is a third. */
const DATES: [string, string | null][] = [
  ["May", "2024-05-01T00:00"],
  ["April", "2024-04-01T00:00"],
  ["June", null],
];

/** Every sequence of up to `lengthMax` of the items, the empty one not among them. */
function* sequences<T>(items: readonly T[], lengthMax: number): Generator<T[]> {
  if (lengthMax === 0) return;
  for (const item of items) {
    yield [item];
    for (const rest of sequences(items, lengthMax - 1)) yield [item, ...rest];
  }
}

export function* smallHistories(sessionsMax: number): Generator<History> {
  const talks = [...sequences(TEXTS, TURNS_MAX)];
  for (const chosen of sequences(talks, sessionsMax)) {
    const sessions = chosen.map((talk, place): Session => {
      const turns = talk.map((text, index) =>
        turn(index === 1 ? "Bo" : "Ada", text, ...(index === 2 ? ["a kite"] : [])),
      );
      return session(...DATES[place]!, ...turns);
    });
    yield history("h", ...sessions);
  }
}

/** The packets of all of these histories, history by history, arm by arm and ceiling by ceiling. */
export function* smallWorld(sessionsMax: number, arms: readonly string[], question = QUESTION): Generator<Packet> {
  for (const made of smallHistories(sessionsMax)) {
    const dataset = datasetOf([made], [asked("h", "q", question)]);
    for (const arm of arms) {
      for (const ceilingTokens of CEILINGS) {
        const protocol = preparationProtocol(dataset, { arm, tokenizer: "o200k_base", ceilingTokens });
        yield* preparePackets(dataset, { ...protocol, segmenter: { ...protocol.segmenter, bytes_max: BYTES_MAX } });
      }
    }
  }
}
