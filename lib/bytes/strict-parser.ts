// The JSON grammar as others' files are read by it: no duplicate keys, no lone surrogates, numbers within double range, bounded depth.
import { SealaneError } from "../finding.js";
import { LIMITS } from "./limits.js";

export function loneSurrogate(at: string, what: string): SealaneError {
  return new SealaneError("E_SURROGATE", `${at}: ${what} holds a lone surrogate`, { at });
}

export function tooDeep(at: string): SealaneError {
  return new SealaneError("E_LIMIT", `${at} is nested deeper than ${LIMITS.jsonDepthMax} levels`, { at });
}

export const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** What is left where a text was cut: nothing, or the beginning of a literal or of the rest of a number. */
const CUT = /(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|[eE][+-]?)?$/y;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

export class StrictParser {
  readonly #text: string;
  readonly #at: string;
  #position = 0;

  constructor(text: string, at: string) {
    this.#text = text;
    this.#at = at;
  }

  document(depth: number): unknown {
    const value = this.#value(depth);
    this.#space();
    if (this.#position !== this.#text.length) throw this.#wrong("something follows the document");
    return value;
  }

  #value(depth: number): unknown {
    this.#space();
    const next = this.#text[this.#position];
    if (next === '"') return this.#string();
    if (next === "{" || next === "[") {
      if (depth >= LIMITS.jsonDepthMax) throw tooDeep(this.#at);
      this.#position += 1;
      return next === "{" ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#position)) {
        this.#position += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #object(depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    this.#space();
    if (this.#take("}")) return {};
    for (;;) {
      this.#space();
      const key = this.#string();
      if (members.has(key)) throw this.#wrong(`the key ${JSON.stringify(key)} stands twice in one object`);
      this.#space();
      if (!this.#take(":")) throw this.#wrong("a ':' is missing");
      members.set(key, this.#value(depth));
      this.#space();
      if (this.#take("}")) return Object.fromEntries(members);
      if (!this.#take(",")) throw this.#wrong("a ',' or '}' is missing");
    }
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#space();
    if (this.#take("]")) return items;
    for (;;) {
      items.push(this.#value(depth));
      this.#space();
      if (this.#take("]")) return items;
      if (!this.#take(",")) throw this.#wrong("a ',' or ']' is missing");
    }
  }

  #string(): string {
    if (this.#text[this.#position] !== '"') throw this.#wrong("a string is missing");
    let end = this.#position + 1;
    // By hand, because a regular expression's backtracking runs out of memory on strings of many megabytes.
    for (let code = this.#text.charCodeAt(end); code !== 0x22; code = this.#text.charCodeAt(end)) {
      if (Number.isNaN(code) || code < 0x20) {
        this.#position = Math.min(end, this.#text.length);
        throw this.#wrong("a string is not closed");
      }
      end += code === 0x5c ? 2 : 1;
    }
    let value: string;
    try {
      value = JSON.parse(this.#text.slice(this.#position, end + 1)) as string;
    } catch {
      throw this.#wrong("a string holds a broken escape");
    }
    if (!value.isWellFormed()) throw loneSurrogate(this.#place(), "a string");
    this.#position = end + 1;
    return value;
  }

  #number(): number {
    const raw = this.#match(NUMBER);
    if (raw === undefined) throw this.#wrong("a value is missing or broken");
    const value = Number(raw);
    if (!Number.isFinite(value)) throw this.#wrong("a number is too large");
    return value;
  }

  #space(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false;
    this.#position += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#position = pattern.lastIndex;
    return found;
  }

  #place(): string {
    const before = this.#text.slice(0, this.#position);
    return `${this.#at}:${before.split("\n").length}:${this.#position - before.lastIndexOf("\n")}`;
  }

  #wrong(why: string): SealaneError {
    const place = this.#place();
    const ended = this.#match(CUT) !== undefined ? " (the text ends here: the file may be cut short)" : "";
    return new SealaneError("E_JSON", `${place}: ${why}${ended}`, { at: place });
  }
}
