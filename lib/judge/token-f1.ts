// The official LoCoMo answer score, rule by rule, as pure functions.
//
// Every number must be the very double that the Python evaluator prints, because a published score is
// checked against ours for equality, not for closeness. Hence the care about white space, word
// boundaries and the order of floating-point operations.

import { stem } from "../text/porter.js";

/**
 * How an answer is compared with its reference.
 * - "plain": token F1 (LoCoMo categories 2 temporal and 4 single-hop)
 * - "best-part-mean": for each comma-separated part of the reference the best F1 over the comma-separated
 *   parts of the answer, then the mean over the reference parts (category 1 multi-hop)
 * - "first-clause": token F1 against the reference up to its first ";" (category 3 open-domain)
 * - "abstention-phrase": 1 if the answer says that it does not know, else 0 (category 5 adversarial)
 */
export const F1_RULES = ["plain", "best-part-mean", "first-clause", "abstention-phrase"] as const;

/** The label of one rule. */
export type F1Rule = (typeof F1_RULES)[number];

/** What Python's str.split() and str.strip() take for white space; `\s` adds U+FEFF, lacks U+001C-001F and U+0085. */
const PY_SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const PY_SPACES = new RegExp(`[${PY_SPACE}]+`, "u");
const FIRST_TO_LAST_NON_SPACE = new RegExp(`[^${PY_SPACE}](?:[^]*[^${PY_SPACE}])?`, "u");

/** The 32 characters of Python's string.punctuation. Dashes and quotes outside ASCII are not among them and stay. */
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * The evaluator's word boundary is that of Python's third-party `regex` module, whose word characters are
 * those of Unicode TR18: accented letters belong to the word, and so do combining marks, while superscript
 * digits and fractions do not. JavaScript's `\b` knows ASCII only and would find an article in "maría".
 */
const WORD_CHARACTER = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const ARTICLE = new RegExp(`(?<!${WORD_CHARACTER})(?:a|an|the|and)(?!${WORD_CHARACTER})`, "gu");

function pyStrip(text: string): string {
  return FIRST_TO_LAST_NON_SPACE.exec(text)?.[0] ?? "";
}

/**
 * Stemmed tokens of a text. The order of the steps is part of the definition: as punctuation goes before the
 * articles are looked for, "rock-and-roll" is one token and keeps its "and".
 */
function tokenize(text: string): string[] {
  return text
    .replaceAll(",", "")
    .toLowerCase()
    .replace(ASCII_PUNCTUATION, "")
    .replace(ARTICLE, " ")
    .split(PY_SPACES)
    .filter((word) => word !== "")
    .map((word) => stem(word));
}

/** Number of tokens that two texts share, each counted as often as it occurs in both. */
function countShared(left: readonly string[], right: readonly string[]): number {
  const unmatched = new Map<string, number>();
  for (const token of right) unmatched.set(token, (unmatched.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of left) {
    const rest = unmatched.get(token) ?? 0;
    if (rest === 0) continue;
    unmatched.set(token, rest - 1);
    shared += 1;
  }
  return shared;
}

function tokenF1(answer: string, reference: string): number {
  const answerTokens = tokenize(answer);
  const referenceTokens = tokenize(reference);
  const shared = countShared(answerTokens, referenceTokens);
  // Covers texts without any token as well, so nothing below divides by zero.
  if (shared === 0) return 0;
  const precision = shared / answerTokens.length;
  const recall = shared / referenceTokens.length;
  // The shorter 2 * shared / (tokens in total) is the same in theory, but rounds differently.
  return (2 * precision * recall) / (precision + recall);
}

/**
 * Sum in the order in which NumPy adds up a contiguous array of doubles: one by one below 8 values, in eight
 * interleaved lanes up to 128 values, by halves (cut at a multiple of 8) above that.
 */
function numpySum(values: readonly number[]): number {
  if (values.length > 128) {
    const half = Math.floor(values.length / 2);
    const cut = half - (half % 8);
    return numpySum(values.slice(0, cut)) + numpySum(values.slice(cut));
  }
  const inLanes = values.length - (values.length % 8);
  let sum = 0;
  if (inLanes > 0) {
    const lanes = values.slice(0, 8);
    for (let i = 8; i < inLanes; i += 1) lanes[i % 8]! += values[i]!;
    const [a, b, c, d, e, f, g, h] = lanes as [number, number, number, number, number, number, number, number];
    sum = a + b + (c + d) + (e + f + (g + h));
  }
  for (const value of values.slice(inLanes)) sum += value;
  return sum;
}

function commaParts(text: string): string[] {
  return text.split(",").map(pyStrip);
}

/** There is no penalty for answer parts that match nothing: the official rule only looks from the reference side. */
function bestPartMean(answer: string, reference: string): number {
  const answerParts = commaParts(answer);
  const best = commaParts(reference).map((part) =>
    answerParts.reduce((highest, given) => Math.max(highest, tokenF1(given, part)), 0),
  );
  return numpySum(best) / best.length;
}

function firstClause(reference: string): string {
  return pyStrip(reference.split(";", 1)[0]!);
}

/** The reference as Python's str() shows it. Only integers are allowed: for other numbers the two languages differ. */
function referenceText(reference: string | number): string {
  if (typeof reference === "string") return reference;
  if (!Number.isSafeInteger(reference)) throw new RangeError(`reference is not a safe integer: ${reference}`);
  return String(reference);
}

/**
 * Official LoCoMo score of one answer.
 *
 * For the three F1 rules both texts are normalised (commas removed, lower-cased, ASCII punctuation removed, the
 * words a/an/the/and blanked, split at white space), stemmed, and compared as multisets of tokens. So word order
 * does not count, "3" is not "three", and a hyphenated word is one token. All operations on doubles follow the
 * Python evaluator in kind and order, NumPy's mean included, so results are equal bit for bit.
 *
 * Source: snap-research/locomo, task_eval/evaluation.py at 3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376
 * (functions normalize_answer, f1_score, f1, eval_question_answering). The evaluator fails on category-5 items
 * without a reference; here "abstention-phrase" does not look at the reference at all.
 *
 * @param rule how to compare, see {@link F1_RULES}
 * @param answer the answer under test; outer white space is ignored
 * @param reference the gold answer; a number is written as Python's str() writes an integer. May be null for
 *   "abstention-phrase" only
 * @param abstentionPhrases lower-case phrases, one of which must occur in the lower-cased answer; used by
 *   "abstention-phrase" only. The official ones are "no information available" and "not mentioned"
 * @returns a fraction from 0 to 1 (no unit; not a percentage)
 * @throws TypeError if the reference is null under another rule than "abstention-phrase"
 * @throws RangeError if a numeric reference that is needed is not a safe integer
 */
export function scoreTokenF1(
  rule: F1Rule,
  answer: string,
  reference: string | number | null,
  abstentionPhrases: readonly string[],
): number {
  const given = pyStrip(answer);
  if (rule === "abstention-phrase") {
    const lower = given.toLowerCase();
    return abstentionPhrases.some((phrase) => lower.includes(phrase)) ? 1 : 0;
  }
  if (reference === null) throw new TypeError(`rule ${rule} needs a reference`);
  const gold = referenceText(reference);
  switch (rule) {
    case "plain":
      return tokenF1(given, gold);
    case "best-part-mean":
      return bestPartMean(given, gold);
    case "first-clause":
      return tokenF1(given, firstClause(gold));
  }
}
