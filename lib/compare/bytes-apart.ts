// Two texts that are not the same: where they part, with what stands around.

/** Bytes shown before and after the place. */
const AROUND_BYTES = 60;

export interface BytesApart {
  /** The first byte, from zero, in which two texts differ; where one ends before the other, its length. */
  readonly at_byte: number;
  /** What both have right before it. */
  readonly before: string;
  /** How each goes on, from the character that differs. */
  readonly here: string;
  readonly there: string;
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The beginning, at a position or before it, of the character that it lies in. */
function characterStart(text: Uint8Array, position: number): number {
  let start = position;
  while (start > 0 && continues(text[start])) start -= 1;
  return start;
}

/** Where two texts, UTF-8, part. Equal texts part at their end. */
export function firstDifference(here: Buffer, there: Buffer): BytesApart {
  const shorter = Math.min(here.length, there.length);
  let at = 0;
  while (at < shorter && here[at] === there[at]) at += 1;
  // The byte may lie inside a character: in either text, what is shown begins where that character begins.
  const start = Math.min(characterStart(here, at), characterStart(there, at));
  const onward = (text: Buffer): string =>
    text.toString("utf8", start, characterStart(text, Math.min(text.length, start + AROUND_BYTES)));
  return {
    at_byte: at,
    before: here.toString("utf8", characterStart(here, Math.max(0, start - AROUND_BYTES)), start),
    here: onward(here),
    there: onward(there),
  };
}
