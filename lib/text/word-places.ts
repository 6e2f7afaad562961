// Words and where they stand, for finding what one text quotes of another.

/** A word in its one spelling, and where it stands in the text, in UTF-16 code units. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Either a short escape of JSON or LaTeX (whose letter would else grow together with the word after it), or a word: one character
 * of a script that writes no blanks between words, or a run of other letters, marks and digits.
 */
const WORD =
  /\\[bfnrt]|([\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{M}\p{N}])+)/gu;

/** Compatibility forms and case make no other word. */
const spelled = (word: string): string => word.normalize("NFKC").toLowerCase();

/** The words of a text in order. */
export function* placedWords(text: string): Generator<PlacedWord> {
  for (const match of text.matchAll(WORD)) {
    const found = match[1];
    if (found === undefined) continue;
    yield { word: spelled(found), start: match.index, end: match.index + found.length };
  }
}
