// JSON as sealane reads and writes it: RFC 8785 canonical form out; strict grammar, no duplicate keys, bounded depth in.
import { SealaneError } from "../finding.js";
import { LIMITS } from "./limits.js";
import { byCodeUnit } from "./order.js";
import { utf8 } from "./text.js";

/**
 * The canonical JSON of a value (RFC 8785, JCS). Throws E_JSON_CANON on what JSON cannot hold (undefined, non-finite
 * numbers, functions, class instances, lone surrogates: I-JSON, RFC 7493 section 2.1) and E_LIMIT beyond the depth bound.
 */
export function canonicalJson(value: unknown, at = "value"): string {
  return write(value, 0, at);
}

function write(value: unknown, depth: number, at: string): string {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw notCanonical(at, "a string holds a lone surrogate");
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw notCanonical(at, "a number is not finite");
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      break;
    default:
      throw notCanonical(at, `a ${typeof value} stands where JSON has no place for one`);
  }
  if (value === null) return "null";
  if (depth >= LIMITS.jsonDepthMax) throw tooDeep(at);
  if (Array.isArray(value)) {
    let out = "[";
    for (let index = 0; index < value.length; index += 1) {
      out += (index === 0 ? "" : ",") + write(value[index], depth + 1, at);
    }
    return `${out}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notCanonical(at, "an object is not a plain one");
  // RFC 8785 section 3.2.3: keys in order of their UTF-16 code units.
  const keys = Object.keys(value).sort(byCodeUnit);
  let out = "{";
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    if (!key.isWellFormed()) throw notCanonical(at, "a key holds a lone surrogate");
    const child = (value as Record<string, unknown>)[key];
    out += `${(index === 0 ? "" : ",") + JSON.stringify(key)}:${write(child, depth + 1, at)}`;
  }
  return `${out}}`;
}

function notCanonical(at: string, why: string): SealaneError {
  return new SealaneError("E_JSON_CANON", `${at} has no canonical JSON: ${why}`, { at });
}

function tooDeep(at: string): SealaneError {
  return new SealaneError("E_LIMIT", `${at} is nested deeper than ${LIMITS.jsonDepthMax} levels`, { at });
}

/**
 * Reads a document that must be canonical: the bytes must equal canonical(parse(bytes)), which leaves no room for
 * duplicate keys, other spellings of a number or string, white space or a byte order mark. Throws E_UTF8, E_JSON,
 * E_JSON_CANON, E_LIMIT.
 */
export function parseCanonicalJson(bytes: Uint8Array, at: string): unknown {
  const text = utf8(bytes, at);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SealaneError("E_JSON", `${at} is not JSON: ${(cause as Error).message}`, { at, cause });
  }
  if (!isPlainlyCanonical(value, text) && canonicalJson(value, at) !== text) {
    throw new SealaneError("E_JSON_CANON", `${at} is not in canonical form`, { at });
  }
  return value;
}

/**
 * Whether a parsed text is canonical for a reason that is quickly seen: nothing is nested too deep, keys come back from parsing
 * in order, no surrogate is escaped, and the engine's own JSON.stringify, which writes strings and numbers as RFC 8785 does,
 * gives the text again. False says nothing.
 */
function isPlainlyCanonical(value: unknown, text: string): boolean {
  return isOrdered(value, 0) && !text.includes("\\ud") && JSON.stringify(value) === text;
}

function isOrdered(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth >= LIMITS.jsonDepthMax) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (!isOrdered(value[index], depth + 1)) return false;
    }
    return true;
  }
  let last: string | undefined;
  for (const key in value) {
    if (last !== undefined && byCodeUnit(last, key) >= 0) return false;
    last = key;
    if (!isOrdered((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

/**
 * Reads JSON that others wrote (datasets, trust files): any layout, but well-formed UTF-8, no byte order mark, no
 * duplicate keys, no lone surrogates, numbers within double range, bounded depth. Throws E_UTF8, E_JSON, E_LIMIT.
 * @param depth how many levels the value stands below the top of its document; 0 for a whole document
 */
export function parseStrictJson(bytes: Uint8Array, at: string, depth = 0): unknown {
  return new StrictParser(utf8(bytes, at), at).document(depth);
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** What is left where a text was cut: nothing, or the beginning of a literal or of the rest of a number. */
const CUT = /(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|[eE][+-]?)?$/y;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class StrictParser {
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
    if (!value.isWellFormed()) throw this.#wrong("a string holds a lone surrogate");
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

  #wrong(why: string): SealaneError {
    const before = this.#text.slice(0, this.#position);
    const line = before.split("\n").length;
    const column = this.#position - before.lastIndexOf("\n");
    const ended = this.#match(CUT) !== undefined ? " (the text ends here: the file may be cut short)" : "";
    const place = `${this.#at}:${line}:${column}`;
    return new SealaneError("E_JSON", `${place}: ${why}${ended}`, { at: place });
  }
}
