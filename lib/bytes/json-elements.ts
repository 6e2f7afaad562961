// A JSON array too large to be held whole, element by element. Only strings, brackets and commas are looked at here; what
// stands between two commas is for the strict parser to judge, so that the two together accept what it accepts alone.
import { SealaneError } from "../finding.js";
import { LIMITS } from "./limits.js";

/** One element: its bytes with the white space around it, and where they stand in the file (end exclusive). */
export interface JsonElement {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** Valid until the next element is asked for. */
  readonly bytes: Uint8Array;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Splits the bytes of one JSON array into its elements, in memory bounded by the longest of them. Parse each with
 * `parseStrictJson(bytes, place, 1)`. Throws E_JSON on what is no array, does not end, or is followed by something; E_LIMIT
 * on an element that is too long.
 * @param chunks the file's bytes in order; each chunk may be overwritten once the next is asked for
 * @param at the file, for messages
 */
export function* jsonElements(chunks: Iterable<Uint8Array>, at: string): Generator<JsonElement> {
  let phase: "before" | "within" | "after" = "before";
  let inString = false;
  let escaped = false;
  let depth = 0;
  let index = 0;
  let blank = true;
  /** Copies of what earlier chunks hold of the element, and their length. */
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let offset = 0;
  for (const chunk of chunks) {
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        continue;
      }
      if (phase === "within") {
        const ends = depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET);
        if (!ends) {
          if (byte === QUOTE) inString = true;
          else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth += 1;
          else if ((byte === CLOSE_BRACKET || byte === CLOSE_BRACE) && depth > 0) depth -= 1;
          if (blank && !isSpace(byte)) blank = false;
          continue;
        }
        const last = byte === CLOSE_BRACKET;
        if (!(last && blank && index === 0)) {
          const rest = chunk.subarray(from, i);
          refuseLong(keptBytes + rest.length, index, at);
          const bytes = kept.length === 0 ? rest : Buffer.concat([...kept, rest]);
          yield { index, start: offset + from - keptBytes, end: offset + i, bytes };
          index += 1;
        }
        kept = [];
        keptBytes = 0;
        from = i + 1;
        blank = true;
        if (last) phase = "after";
      } else if (phase === "before" && byte === OPEN_BRACKET) {
        phase = "within";
        from = i + 1;
      } else if (!isSpace(byte)) {
        throw broken(
          `${at} (byte ${offset + i})`,
          phase === "after" ? "something follows the array" : "it is no array",
        );
      }
    }
    if (phase === "within") {
      kept.push(Buffer.from(chunk.subarray(from)));
      keptBytes += chunk.length - from;
      refuseLong(keptBytes, index, at);
    }
    offset += chunk.length;
  }
  if (phase === "before") throw broken(at, "it is no array");
  if (phase === "within") throw broken(`${at}#/${index}`, "the file ends here: it may be cut short");
}

function broken(at: string, why: string): SealaneError {
  return new SealaneError("E_JSON", `${at}: ${why}`, { at });
}

function refuseLong(bytes: number, index: number, at: string): void {
  if (bytes <= LIMITS.elementBytesMax) return;
  const place = `${at}#/${index}`;
  throw new SealaneError("E_LIMIT", `${place} is longer than ${LIMITS.elementBytesMax} bytes`, { at: place });
}
