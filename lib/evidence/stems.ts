import type { History } from "../dataset/types.js";
import { stem } from "../text/porter.js";
import { STOP_WORDS } from "../text/stop-words.js";
import { words } from "../text/words.js";
import { LexicalIndex } from "./lexical.js";
import { type Segment, turnAt } from "./segment.js";

/**
 * An index over stems of what is said and shown in each segment. Function words are left out, and so are the speakers' names: they stand
 * in the question to say who is meant, and in a turn mostly to address the other.
 */
export function stemIndex(history: History, segments: readonly Segment[]): LexicalIndex {
  const speakers = new Set(
    history.sessions.flatMap((session) => session.turns.map((turn) => turn.speaker)).flatMap((name) => words(name)),
  );
  const stems = new Map<string, string>();
  const stemOf = (word: string): string => {
    let known = stems.get(word);
    if (known === undefined) {
      known = stem(word);
      stems.set(word, known);
    }
    return known;
  };
  const texts = segments.map((segment) => {
    const captions = segment.start === 0 ? turnAt(history, segment)!.captions : [];
    return [segment.text, ...captions].join("\n");
  });
  return new LexicalIndex(texts, (text) =>
    words(text)
      .filter((word) => !STOP_WORDS.has(word) && !speakers.has(word))
      .map(stemOf),
  );
}
