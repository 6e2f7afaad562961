// Porter stemmer, as the LoCoMo evaluator uses it.
//
// The token F1 of LoCoMo is defined over the stems that NLTK's PorterStemmer gives in its default
// mode. A stemmer that is "almost" the same moves scores by whole tokens, so this module follows that
// mode, including the places where it departs from Porter's paper; those are marked "NLTK:".
//
// All suffixes are ASCII, so cutting them off by UTF-16 length is safe. Lengths and letter positions of
// the rest are counted in code points, as Python counts them: an emoji is one letter, not two.

/** NLTK: words with a fixed stem. A Map, because a plain object would also "contain" words such as "constructor". */
const FIXED_STEMS = new Map([
  ["sky", "sky"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["inning", "inning"],
  ["innings", "inning"],
  ["outing", "outing"],
  ["outings", "outing"],
  ["canning", "canning"],
  ["cannings", "canning"],
  ["howe", "howe"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

/** A suffix, what takes its place, and the condition that the part before the suffix must meet. */
type Rule = readonly [suffix: string, replacement: string, holds: (base: string) => boolean];

/** Vowel/consonant pattern: one "v" or "c" per code point. Whatever is not a vowel letter is a consonant. */
function shape(text: string): string {
  let pattern = "";
  for (const letter of text) {
    // A "y" is a vowel exactly when a consonant stands before it; at the start of a word it is a consonant.
    const isVowel = letter === "y" ? pattern.endsWith("c") : "aeiou".includes(letter);
    pattern += isVowel ? "v" : "c";
  }
  return pattern;
}

/** Porter's m: how often a run of vowels is followed by a run of consonants. */
function measure(text: string): number {
  return shape(text).split("vc").length - 1;
}

const always = (): boolean => true;
const measureAbove0 = (base: string): boolean => measure(base) > 0;
const measureAbove1 = (base: string): boolean => measure(base) > 1;

/** Porter's *o: a short syllable, which wants its "e" back ("fil" from "filing" becomes "file"). */
function endsInShortSyllable(text: string): boolean {
  const pattern = shape(text);
  // NLTK: a word that is just a vowel and a consonant counts too, whatever the consonant.
  return pattern === "vc" || (pattern.endsWith("cvc") && !/[wxy]$/.test(text));
}

function dropLast(text: string, units: number): string {
  return text.slice(0, text.length - units);
}

/** The first rule whose suffix matches decides alone: if its condition fails, no later rule is tried. */
function applyFirstMatch(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement, holds] of rules) {
    if (!word.endsWith(suffix)) continue;
    const base = dropLast(word, suffix.length);
    return holds(base) ? base + replacement : word;
  }
  return word;
}

const PLURAL_RULES: readonly Rule[] = [
  ["sses", "ss", always],
  ["ies", "i", always],
  ["ss", "ss", always],
  ["s", "", always],
];

/** Step 1a: plurals. */
function removePlural(word: string): string {
  // NLTK: "dies" becomes "die", while longer words lose the "e" ("flies" becomes "fli").
  if (word.endsWith("ies") && [...word].length === 4) return dropLast(word, 1);
  return applyFirstMatch(word, PLURAL_RULES);
}

/** Step 1b: past tense and gerund. */
function removePastOrGerund(word: string): string {
  // NLTK: the same split by length as for "-ies".
  if (word.endsWith("ied")) return dropLast(word, [...word].length === 4 ? 1 : 2);
  if (word.endsWith("eed")) return measureAbove0(dropLast(word, 3)) ? dropLast(word, 1) : word;
  const suffix = ["ed", "ing"].find((ending) => word.endsWith(ending));
  if (suffix === undefined) return word;
  const base = dropLast(word, suffix.length);
  return shape(base).includes("v") ? repairBase(base) : word;
}

/** Second half of step 1b: gives back an "e", or takes back a doubled consonant, after "-ed" or "-ing" has gone. */
function repairBase(base: string): string {
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  const letters = [...base];
  const last = letters.at(-1)!;
  if (last === letters.at(-2) && shape(base).endsWith("c")) {
    return "lsz".includes(last) ? base : letters.slice(0, -1).join("");
  }
  // NLTK: its marker for "doubled consonant" is the text "*d", which is also compared with the word itself.
  if (base.endsWith("*d")) return `${dropLast(base, 2)}d`;
  return measure(base) === 1 && endsInShortSyllable(base) ? `${base}e` : base;
}

/** Step 1c: final "y". NLTK: only after a consonant, not as second letter ("enjoy" and "by" stay, "fly" does not). */
const FINAL_Y_RULES: readonly Rule[] = [["y", "i", (base) => [...base].length > 1 && shape(base).endsWith("c")]];

/** Step 2, first part. NLTK: on its own, so that the next table continues with the result ("additionalli"). */
const ALLI_RULES: readonly Rule[] = [["alli", "al", measureAbove0]];

/** Step 2: double suffixes become single ones. A longer suffix stands before a shorter one that it ends in. */
const DOUBLE_SUFFIX_RULES: readonly Rule[] = [
  ["ational", "ate", measureAbove0],
  ["tional", "tion", measureAbove0],
  ["enci", "ence", measureAbove0],
  ["anci", "ance", measureAbove0],
  ["izer", "ize", measureAbove0],
  ["bli", "ble", measureAbove0],
  ["entli", "ent", measureAbove0],
  ["eli", "e", measureAbove0],
  ["ousli", "ous", measureAbove0],
  ["ization", "ize", measureAbove0],
  ["ation", "ate", measureAbove0],
  ["ator", "ate", measureAbove0],
  ["alism", "al", measureAbove0],
  ["iveness", "ive", measureAbove0],
  ["fulness", "ful", measureAbove0],
  ["ousness", "ous", measureAbove0],
  ["aliti", "al", measureAbove0],
  ["iviti", "ive", measureAbove0],
  ["biliti", "ble", measureAbove0],
  ["fulli", "ful", measureAbove0],
  // NLTK: the "l" counts as part of the base, so that short ones ("geologi") qualify as well.
  ["logi", "log", (base) => measureAbove0(`${base}l`)],
];

/** Step 3: "-ic", "-ful", "-ness" and the like. */
const SINGLE_SUFFIX_RULES: readonly Rule[] = [
  ["icate", "ic", measureAbove0],
  ["ative", "", measureAbove0],
  ["alize", "al", measureAbove0],
  ["iciti", "ic", measureAbove0],
  ["ical", "ic", measureAbove0],
  ["ful", "", measureAbove0],
  ["ness", "", measureAbove0],
];

/** Step 4: what is left of a suffix goes, if enough of a word remains. */
const REMAINING_SUFFIX_RULES: readonly Rule[] = [
  ["al", "", measureAbove1],
  ["ance", "", measureAbove1],
  ["ence", "", measureAbove1],
  ["er", "", measureAbove1],
  ["ic", "", measureAbove1],
  ["able", "", measureAbove1],
  ["ible", "", measureAbove1],
  ["ant", "", measureAbove1],
  ["ement", "", measureAbove1],
  ["ment", "", measureAbove1],
  ["ent", "", measureAbove1],
  ["ion", "", (base) => measureAbove1(base) && /[st]$/.test(base)],
  ["ou", "", measureAbove1],
  ["ism", "", measureAbove1],
  ["ate", "", measureAbove1],
  ["iti", "", measureAbove1],
  ["ous", "", measureAbove1],
  ["ive", "", measureAbove1],
  ["ize", "", measureAbove1],
];

/** Step 5a: final "e". Porter's two conditions are alternatives here, so they are one condition. */
const FINAL_E_RULES: readonly Rule[] = [
  ["e", "", (base) => measure(base) > 1 || (measure(base) === 1 && !endsInShortSyllable(base))],
];

/** Step 5b: final double "l". One "l" counts as part of the base when it is measured. */
const FINAL_LL_RULES: readonly Rule[] = [["ll", "l", (base) => measureAbove1(`${base}l`)]];

/**
 * Stem of one word: the same text as Python's `nltk.stem.PorterStemmer().stem(word)` (mode NLTK_EXTENSIONS).
 *
 * The word is lower-cased first. Words of one or two code points are otherwise left alone. As in NLTK, the
 * fixed stems are looked up with the word as given, so "skies" gives "sky" but "Skies" gives "ski".
 * Lower-casing follows the Unicode version of the JavaScript engine. Throws nothing; "" gives "".
 *
 * Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, pp. 130-137, with the
 * departures of NLTK's default mode (as of NLTK 3.8). The LoCoMo evaluator imports that stemmer:
 * snap-research/locomo, task_eval/evaluation.py at 3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376.
 *
 * @param word one word without white space
 */
export function stem(word: string): string {
  const fixed = FIXED_STEMS.get(word);
  if (fixed !== undefined) return fixed;

  const lower = word.toLowerCase();
  // The length is that of the word as given: lower-casing may lengthen it ("İ" becomes two code points).
  if ([...word].length <= 2) return lower;

  const inflected = removePastOrGerund(removePlural(lower));
  return [
    FINAL_Y_RULES,
    ALLI_RULES,
    DOUBLE_SUFFIX_RULES,
    SINGLE_SUFFIX_RULES,
    REMAINING_SUFFIX_RULES,
    FINAL_E_RULES,
    FINAL_LL_RULES,
  ].reduce(applyFirstMatch, inflected);
}
