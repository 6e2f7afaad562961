// The canonical JSON over which TUF tools sign (TUF 1.0.31 section 4.1). It differs from RFC 8785 in its strings, in which
// only '"' and '\' are escaped and all else, line feeds included, stands as it is; so it is no JSON for others to read.
import { SealaneError } from "../finding.js";
import { LIMITS } from "./limits.js";
import { byCodeUnit } from "./order.js";

/**
 * OLPC canonical JSON (http://wiki.laptop.org/go/Canonical_JSON). Throws E_JSON_CANON on fractions and on integers that a
 * double does not hold, on lone surrogates, and on keys outside ASCII, whose order is not the same in every TUF tool;
 * E_LIMIT beyond the depth bound.
 */
export function olpcJson(value: unknown, at = "value"): string {
  return write(value, 0, at);
}

function write(value: unknown, depth: number, at: string): string {
  if (typeof value === "string") return quoted(value, at);
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw notCanonical(at, "a number is no integer that a double holds");
    return String(value);
  }
  if (typeof value !== "object") throw notCanonical(at, `a ${typeof value} stands where JSON has no place for one`);
  if (depth >= LIMITS.jsonDepthMax) {
    throw new SealaneError("E_LIMIT", `${at} is nested deeper than ${LIMITS.jsonDepthMax} levels`, { at });
  }
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1, at)).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
  return `{${members.map(([key, child]) => `${keyOf(key, at)}:${write(child, depth + 1, at)}`).join(",")}}`;
}

function quoted(text: string, at: string): string {
  if (!text.isWellFormed()) throw notCanonical(at, "a string holds a lone surrogate");
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function keyOf(key: string, at: string): string {
  if (!/^[\x00-\x7f]*$/.test(key)) throw notCanonical(at, "a key is not ASCII");
  return quoted(key, at);
}

function notCanonical(at: string, why: string): SealaneError {
  return new SealaneError("E_JSON_CANON", `${at} has no canonical JSON: ${why}`, { at });
}
