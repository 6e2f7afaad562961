// Canonical JSON strings as bytes. Request bodies make up nearly all of a lane; decoding them to text, parsing and writing
// them again takes ten times as long as hashing them, so they are unescaped and checked in one pass over their bytes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The two-character escapes of RFC 8785 section 3.2.2.2, by their second character. */
const SHORT_ESCAPES = new Map<number, number>([
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);
const HAVE_SHORT_ESCAPE = new Set(SHORT_ESCAPES.values());

/** The control character that a canonical \u00xx escape at `at` stands for, or -1: lower-case hexadecimal, and only where there is no short form. */
function controlEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x30) return -1;
  const high = bytes[at + 4]! - 0x30;
  const low = bytes[at + 5]!;
  const digit = low >= 0x30 && low <= 0x39 ? low - 0x30 : low >= 0x61 && low <= 0x66 ? low - 0x57 : -1;
  if ((high !== 0 && high !== 1) || digit < 0) return -1;
  const code = high * 16 + digit;
  return HAVE_SHORT_ESCAPE.has(code) ? -1 : code;
}

/**
 * Unescapes the inside of a canonical JSON string, from `start` up to the first unescaped quote or `end`. Returns the
 * unescaped bytes and where it stopped, or undefined when a character is escaped, or left unescaped, in any way but the
 * canonical one. Whether the bytes are UTF-8 is for the caller to have checked.
 */
export function unescapeCanonical(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly text: Buffer; readonly stopped: number } | undefined {
  const out = Buffer.allocUnsafe(end - start);
  let length = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) break;
    if (byte < 0x20) return undefined;
    if (byte !== BACKSLASH) {
      out[length++] = byte;
      at += 1;
      continue;
    }
    const short = SHORT_ESCAPES.get(bytes[at + 1]!);
    const isControl = bytes[at + 1] === 0x75;
    const code = short ?? (isControl ? controlEscape(bytes, at) : -1);
    at += isControl ? 6 : 2;
    if (code < 0 || at > end) return undefined;
    out[length++] = code;
  }
  return { text: out.subarray(0, length), stopped: at };
}
