// How a text is searched for a gold answer: the closed list of forms in which one is recognised.

/** A reference as it is searched for. */
export interface Needle {
  /** Its words, folded, one blank between them. */
  readonly words: string;
  /** The same without blanks. */
  readonly letters: string;
}

/**
 * plain: the words, whatever their case, accents, punctuation and spacing; joined: the same letters, cut into other words;
 * spelled-out: letter by letter; reversed; rot13; base64, in either alphabet, anywhere in a run; hex, with or without marks.
 */
export type Form = "plain" | "joined" | "spelled-out" | "reversed" | "rot13" | "base64" | "hex";

/** Below so many letters and digits a reference is too short to be told from chance. */
export const NEEDLE_LETTERS_MIN = 5;
/** From so many on, letters are the reference's however they are cut into words. */
const JOINED_LETTERS_MIN = 12;

/** Lower case, without accents and invisible characters, everything between letters and digits one blank. */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}]+/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** A reference as a needle; undefined for none, and for one that is too short to be judged. */
export function needleOf(reference: string | number | null): Needle | undefined {
  if (reference === null) return undefined;
  const words = folded(String(reference));
  const letters = words.replaceAll(" ", "");
  return letters.length < NEEDLE_LETTERS_MIN ? undefined : { words, letters };
}

/** A text read in every form, once, to be searched for any number of needles. */
export interface Readings {
  readonly plain: string;
  readonly joined: string;
  readonly reversed: string;
  readonly rot13: string;
  /** Of each run of single letters, these joined. */
  readonly spelled: readonly string[];
  readonly base64: readonly string[];
  readonly hex: readonly string[];
}

export function readingsOf(text: string): Readings {
  const words = folded(text);
  return {
    plain: ` ${words} `,
    joined: words.replaceAll(" ", ""),
    reversed: ` ${[...words].reverse().join("")} `,
    rot13: ` ${words.replace(/[a-z]/g, rotated)} `,
    spelled: (` ${words} `.match(/(?<= )(?:[\p{L}\p{N}] ){4,}/gu) ?? []).map((run) => run.replaceAll(" ", "")),
    base64: (text.match(/[A-Za-z0-9+/_-]{7,}/g) ?? []).flatMap(base64Decoded),
    hex: (text.match(/(?:(?:%|\\x|0x)?[0-9A-Fa-f]{2}[\s:,]?){5,}/g) ?? []).map(hexDecoded),
  };
}

const rotated = (letter: string): string => {
  const place = letter.charCodeAt(0) - 0x61;
  return String.fromCharCode(0x61 + ((place + 13) % 26));
};

const lettersOf = (bytes: Buffer): string => folded(bytes.toString("utf8")).replaceAll(" ", "");

/** A run may have begun before what is encoded in it: every place in a group of four is tried. */
function base64Decoded(run: string): string[] {
  return [0, 1, 2, 3]
    .map((start) => lettersOf(Buffer.from(run.slice(start), "base64url")))
    .filter((text) => text !== "");
}

function hexDecoded(run: string): string {
  return lettersOf(Buffer.from(run.replace(/%|\\x|0x|[\s:,]/g, ""), "hex"));
}

/** The first form in which a text holds a needle. */
export function formOf(needle: Needle, readings: Readings): Form | undefined {
  const words = ` ${needle.words} `;
  const holds = (texts: readonly string[]): boolean => texts.some((text) => text.includes(needle.letters));
  if (readings.plain.includes(words)) return "plain";
  if (needle.letters.length >= JOINED_LETTERS_MIN && readings.joined.includes(needle.letters)) return "joined";
  if (holds(readings.spelled)) return "spelled-out";
  if (readings.reversed.includes(words)) return "reversed";
  if (readings.rot13.includes(words)) return "rot13";
  if (holds(readings.base64)) return "base64";
  return holds(readings.hex) ? "hex" : undefined;
}

/** Characters that are read at once, and how many of them are read again with the next: a text may have any length. */
const PIECE_LENGTH = 2 ** 16;
const PIECE_OVERLAP = 2 ** 12;

/** The first form in which a text of any length holds a needle. */
export function formIn(needle: Needle, text: string): Form | undefined {
  for (let start = 0; start === 0 || start + PIECE_OVERLAP < text.length; start += PIECE_LENGTH - PIECE_OVERLAP) {
    const form = formOf(needle, readingsOf(text.slice(start, start + PIECE_LENGTH)));
    if (form) return form;
  }
  return undefined;
}
