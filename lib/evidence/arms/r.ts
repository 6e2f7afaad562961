import { words } from "../../text/words.js";
import { bounded } from "../bounded.js";
import { asksFor, wordsLike } from "../cues.js";
import type { Segment } from "../segment.js";
import { turnAt } from "../segment.js";
import { cs1 } from "./cs1.js";
import type { Arm, ArmContext, CandidateGroup } from "./types.js";

/**
 * Segments word by word: of each word of the question that few segments hold, the rarest word first, its best segment by
 * BM25; then the second best of each, and so on. What a named person said comes before what others said.
 */
function* byWord(
  question: string,
  named: readonly string[],
  context: ArmContext,
  parameters: Arm["parameters"],
): Generator<CandidateGroup> {
  const { segments, lexical, history } = context;
  const { scores } = lexical.bm25(question, Number(parameters.k1), Number(parameters.b));
  const names = new Set(named.flatMap(words));
  const byNamed = (segment: Segment): number =>
    words(turnAt(history, segment)!.speaker).some((word) => names.has(word)) ? 1 : 0;
  const rows = new Set(context.rows);
  const limit = segments.length * Number(parameters.coverage_word_share);
  const lists = [...new Set(words(question))]
    .map((word) => [...lexical.holding(word)].filter((index) => rows.has(index)))
    .filter((holding) => holding.length > 0 && holding.length <= limit)
    .map((holding) =>
      holding.sort((a, b) => byNamed(segments[b]!) - byNamed(segments[a]!) || scores[b]! - scores[a]! || a - b),
    )
    .sort((a, b) => a.length - b.length);
  for (let depth = 0; depth < Number(parameters.coverage_depth); depth += 1) {
    for (const holding of lists) if (depth < holding.length) yield [segments[holding[depth]!]!];
  }
}

/**
 * R (paper, Appendix B): CS1's packet, and for questions that ask for a list, exclude something or name somebody, as the
 * question alone tells, segments that cover its rarer words, in `coverage_share` of the ceiling at most.
 */
export const r: Arm = {
  ...cs1,
  id: "r",
  title: "cs1, and segments that cover the question's rarer words for lists, exclusions and named persons",
  parameters: {
    ...cs1.parameters,
    coverage_share: 0.05,
    coverage_depth: 8,
    coverage_word_share: 0.1,
    list_cues:
      "\\b(?:list|name (?:all|the|every)|all (?:the|of|my|his|her|their)|every|each|how many|how often|(?:what|which) (?:kinds?|types?|sorts?) of|what are|which are|both)\\b",
    exclusion_cues:
      "\\b(?:except|excluding|other than|besides|apart from|aside from|not including|without|never)\\b|n['’]t\\b|\\bnot\\b",
    name_pattern:
      "(?<=[^.?!\\s'’\"”)\\]]['’\"”)\\]]?\\s+)(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I)\\b)\\p{Lu}[\\p{L}\\p{M}]+",
  },
  rank(asked, context, parameters) {
    const groups = cs1.rank(asked, context, parameters);
    const { question } = asked;
    const named = wordsLike(question, parameters.name_pattern);
    const detected =
      named.length > 0 || asksFor(question, parameters.list_cues) || asksFor(question, parameters.exclusion_cues);
    if (!detected) return groups;
    const { baseline, added } = cs1.backbone!(asked, context, parameters);
    const room = Math.floor(context.ceilingTokens * Number(parameters.coverage_share));
    const present = [...baseline, ...added, ...groups].flat();
    return [...groups, ...bounded(byWord(question, named, context, parameters), present, room, context.tokensOf)];
  },
};
