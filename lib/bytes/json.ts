// JSON as sealane reads and writes it: RFC 8785 canonical form out; strict grammar, no duplicate keys, bounded depth in.
import { SealaneError } from "../finding.js";
import { LIMITS } from "./limits.js";
import { byCodeUnit } from "./order.js";
import { loneSurrogate, NUMBER, StrictParser, tooDeep } from "./strict-parser.js";
import { utf8 } from "./text.js";

/**
 * The canonical JSON of a value (RFC 8785, JCS). Throws E_JSON_CANON on what JSON cannot hold (undefined, non-finite
 * numbers, functions, class instances), E_SURROGATE on lone surrogates (I-JSON, RFC 7493 section 2.1) and E_LIMIT beyond
 * the depth bound.
 */
export function canonicalJson(value: unknown, at = "value"): string {
  return write(value, 0, at);
}

function write(value: unknown, depth: number, at: string): string {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw loneSurrogate(at, "a string");
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
    if (!key.isWellFormed()) throw loneSurrogate(at, "a key");
    const child = (value as Record<string, unknown>)[key];
    out += `${(index === 0 ? "" : ",") + JSON.stringify(key)}:${write(child, depth + 1, at)}`;
  }
  return `${out}}`;
}

function notCanonical(at: string, why: string): SealaneError {
  return new SealaneError("E_JSON_CANON", `${at} has no canonical JSON: ${why}`, { at });
}

/**
 * Reads a document that must be canonical: the bytes must equal canonical(parse(bytes)), which leaves no room for
 * duplicate keys, other spellings of a number or string, white space or a byte order mark. Throws E_UTF8, E_JSON,
 * E_SURROGATE, E_JSON_CANON, E_INT for a whole number spelt otherwise, E_LIMIT.
 */
export function parseCanonicalJson(bytes: Uint8Array, at: string): unknown {
  const text = utf8(bytes, at);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SealaneError("E_JSON", `${at} is not JSON: ${(cause as Error).message}`, { at, cause });
  }
  if (isPlainlyCanonical(value, text)) return value;
  const canonical = canonicalJson(value, at);
  if (canonical === text) return value;
  const number = numberThatDiffers(text, canonical);
  if (number !== undefined && Number.isInteger(Number(number)) && JSON.stringify(Number(number)) !== number) {
    throw new SealaneError("E_INT", `${at}: a whole number is spelt in another way than canonical JSON does`, {
      at,
      expected: JSON.stringify(Number(number)),
      found: number.slice(0, 40),
    });
  }
  throw new SealaneError("E_JSON_CANON", `${at} is not in canonical form`, { at });
}

const NUMBER_CHARACTER = /[-+.0-9eE]/;

/** The number at which a JSON text first differs from its canonical form, as it is spelt; undefined when that is no number. */
function numberThatDiffers(text: string, canonical: string): string | undefined {
  let at = 0;
  while (text[at] === canonical[at]) at += 1;
  let start = at;
  while (start > 0 && NUMBER_CHARACTER.test(text[start - 1]!)) start -= 1;
  // Up to there both texts are the same, and so canonical: a string begins at each quote that is not escaped.
  const quotes = text.slice(0, start).replaceAll(/\\./g, "").split('"').length - 1;
  if (quotes % 2 === 1) return undefined;
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  return number !== undefined && start + number.length > at ? number : undefined;
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
 * duplicate keys, no lone surrogates, numbers within double range, bounded depth. Throws E_UTF8, E_JSON, E_SURROGATE,
 * E_LIMIT.
 * @param depth how many levels the value stands below the top of its document; 0 for a whole document
 */
export function parseStrictJson(bytes: Uint8Array, at: string, depth = 0): unknown {
  return new StrictParser(utf8(bytes, at), at).document(depth);
}
