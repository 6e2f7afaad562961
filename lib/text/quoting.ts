// Finds what a text quotes, so that it can be published without it: the inverse of pieces.ts.

import type { NamedText, Phrase, PhraseIndex } from "./phrase-index.js";
import { escaped, FORMS, type Form, type Piece } from "./pieces.js";
import { placedWords } from "./word-places.js";

/** One character: as it stands, and what it stands for. */
interface Cell {
  readonly raw: string;
  readonly text: string;
}

const CELL = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|./gsu;
const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function unescapedCell(raw: string): string {
  if (raw[0] !== "\\" || raw.length === 1) return raw;
  if (raw[1] !== "u" || raw.length < 6) return SHORT[raw[1]!] ?? raw.slice(1);
  const units = raw.match(/[0-9a-fA-F]{4}/g) ?? [];
  return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
}

function cellsOf(text: string, isEscaped: boolean): Cell[] {
  if (!isEscaped) return Array.from(text, (raw) => ({ raw, text: raw }));
  return Array.from(text.matchAll(CELL), ([raw]) => ({ raw, text: unescapedCell(raw) }));
}

/** What a text inside JSON says, escapes resolved. */
export const unescaped = (text: string): string =>
  cellsOf(text, true)
    .map((cell) => cell.text)
    .join("");

/** Grows a list of pieces; neighbours that are one are made one. */
class PieceList {
  readonly pieces: Piece[] = [];
  #end: { name: string; unit: number } | undefined;

  literal(raw: string): void {
    if (raw === "") return;
    const last = this.pieces.length - 1;
    if (typeof this.pieces[last] === "string") this.pieces[last] += raw;
    else this.pieces.push(raw);
    this.#end = undefined;
  }

  /** @param start @param end in UTF-16 code units of the text */
  copy({ name, text }: Phrase["text"], start: number, end: number, form?: Form): void {
    const last = this.pieces.at(-1);
    const endByte = (from: number): number => from + Buffer.byteLength(text.slice(start, end));
    if (form === undefined && this.#end?.name === name && this.#end.unit === start && typeof last === "object") {
      last[2] = endByte(last[2]);
    } else {
      const from = Buffer.byteLength(text.slice(0, start));
      this.pieces.push(form === undefined ? [name, from, endByte(from)] : [name, from, endByte(from), form]);
    }
    this.#end = form === undefined ? { name, unit: end } : undefined;
  }
}

/**
 * A text as pieces: wherever it and a text of an index share as many words in a row as the index is of, whatever their case and
 * whatever stands between them, those words are copies.
 * @param isEscaped whether the text stands for what its JSON escapes say, so that copies are to be escaped
 */
export function quoted(text: string, isEscaped: boolean, indexes: readonly PhraseIndex[]): Piece[] {
  const cells = cellsOf(text, isEscaped);
  const plain = cells.map((cell) => cell.text).join("");
  const cellAt = new Int32Array(plain.length + 1);
  let unit = 0;
  for (const [index, cell] of cells.entries()) {
    cellAt.fill(index, unit, unit + cell.text.length);
    unit += cell.text.length;
  }
  cellAt[unit] = cells.length;
  const words = [...placedWords(plain)];
  const spelled = words.map(({ word }) => word);
  const ids = indexes.map((index) => index.idsOf(spelled));
  const write = isEscaped ? escaped : (copied: string): string => copied;
  const list = new PieceList();
  const raw = (from: number, to: number): string =>
    cells
      .slice(cellAt[from], cellAt[to])
      .map((cell) => cell.raw)
      .join("");
  let done = 0;
  for (let at = 0; at < words.length; ) {
    const found = indexes.flatMap((index, of) => index.longest(ids[of]!, at) ?? []);
    const phrase = found.reduce<Phrase | undefined>((a, b) => (a && a.count >= b.count ? a : b), undefined);
    if (!phrase) {
      at += 1;
      continue;
    }
    for (const [index, place] of phrase.places.entries()) {
      const { start, end } = words[at + index]!;
      const source = phrase.text.text;
      const before = phrase.places[index - 1];
      const gap = raw(done, start);
      if (before && write(source.slice(before.end, place.start)) === gap)
        list.copy(phrase.text, before.end, place.start);
      else list.literal(gap);
      copyWord(list, phrase.text, place, cells.slice(cellAt[start], cellAt[end]), write);
      done = end;
    }
    at += phrase.count;
  }
  list.literal(raw(done, plain.length));
  return list.pieces;
}

/** A word that is spelled as one of a text is, its case and its composition aside. */
function copyWord(
  list: PieceList,
  text: Phrase["text"],
  { start, end }: { start: number; end: number },
  cells: readonly Cell[],
  write: (text: string) => string,
): void {
  const source = text.text.slice(start, end);
  const wanted = cells.map(({ raw }) => raw).join("");
  const forms = Object.keys(FORMS) as Form[];
  const form = forms.find((name) => write(FORMS[name](source)) === wanted);
  if (write(source) === wanted || form !== undefined) {
    list.copy(text, start, end, write(source) === wanted ? undefined : form);
    return;
  }
  // Character by character: a capital at the beginning, an escape that canonical JSON does not know.
  let unit = start;
  const characters = Array.from(source);
  for (const [index, { raw }] of cells.entries()) {
    const character = characters[index];
    if (character !== undefined && write(character) === raw) list.copy(text, unit, unit + character.length);
    else list.literal(raw);
    unit += character?.length ?? 0;
  }
}

/**
 * JSON as pieces, in which one string that stands in a text from its first character to its last is one copy of it, however
 * short: an answer of three words is its dataset's text too.
 * @param value the string; undefined when there is none of which that should be looked for
 * @param others makes pieces of what stands before and after it, or of all when it is no copy
 */
export function withCopy(
  json: string,
  value: string | undefined,
  texts: Iterable<NamedText>,
  others: (part: string) => readonly Piece[],
): Piece[] {
  const written = value ? `"${escaped(value)}"` : "";
  const at = written === "" ? -1 : json.indexOf(written);
  // A string that stands there twice may be another member's value.
  if (value && at >= 0 && json.lastIndexOf(written) === at) {
    for (const { name, text } of texts) {
      const unit = text.indexOf(value);
      if (unit < 0) continue;
      const start = Buffer.byteLength(text.slice(0, unit));
      const copy: Piece = [name, start, start + Buffer.byteLength(value)];
      return [...others(json.slice(0, at + 1)), copy, ...others(json.slice(at + written.length - 1))];
    }
  }
  return [...others(json)];
}
