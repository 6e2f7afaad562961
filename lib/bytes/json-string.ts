// Canonical JSON strings as bytes. Request bodies make up nearly all of a lane; decoding them to text, parsing and writing
// them again takes ten times as long as hashing them, so they are unescaped and checked in one pass over their bytes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The two-character escapes of RFC 8785 section 3.2.2.2: the second character and what they stand for. */
const SHORT: readonly (readonly [letter: number, code: number])[] = [
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
];
/** By letter; 0 where there is none. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [letter, code] of SHORT) SHORT_ESCAPES[letter] = code;
const HAVE_SHORT_ESCAPE = new Set(SHORT.map(([, code]) => code));

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

// Four bytes are looked at together, as in "Bit Twiddling Hacks" (S. E. Anderson), "Determine if a word has a byte less than n".
const ONES = 0x01010101;
const BACKSLASHES = 0x5c5c5c5c;
/** Turns a quote into a blank and keeps a control character one, so that one comparison finds both. */
const QUOTES_TO_BLANKS = 0x02020202;
const ABOVE_BLANKS = 0x21212121;
const HIGH_BITS = 0x80808080 | 0;

/**
 * Unescapes the inside of a canonical JSON string, from `start` up to the first unescaped quote or `end`. Returns the
 * unescaped bytes and where it stopped, or undefined when a character is escaped, or left unescaped, in any way but the
 * canonical one. Whether the bytes are UTF-8 is for the caller to have checked.
 * @param out where the unescaped bytes go: at least `end - start` bytes, none of them among `bytes`
 */
export function unescapeCanonical(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Buffer = Buffer.allocUnsafe(end - start),
): { readonly text: Buffer; readonly stopped: number } | undefined {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const into = new DataView(out.buffer, out.byteOffset, out.byteLength);
  const words = (end - 3) | 0;
  let length = 0;
  let at = start | 0;
  while (at < end) {
    while (at < words) {
      const word = from.getInt32(at, true);
      const lows = (word ^ QUOTES_TO_BLANKS) - ABOVE_BLANKS;
      const backslashes = (word ^ BACKSLASHES) - ONES;
      // The lowest bit set here is the highest bit of the first byte that is a control character, a quote or a backslash;
      // bits above it may come from the borrow of a subtraction, and mean nothing.
      const special = (lows | backslashes) & ~word & HIGH_BITS;
      into.setInt32(length, word, true);
      const plain = special === 0 ? 4 : (31 - Math.clz32(special & -special)) >> 3;
      at = (at + plain) | 0;
      length = (length + plain) | 0;
      if (plain < 4) break;
    }
    if (at >= end) break;
    const byte = bytes[at]!;
    if (byte === QUOTE) break;
    if (byte < 0x20) return undefined;
    if (byte !== BACKSLASH) {
      out[length++] = byte;
      at += 1;
      continue;
    }
    const letter = bytes[at + 1]!;
    const isControl = letter === 0x75;
    const code = isControl ? controlEscape(bytes, at) : SHORT_ESCAPES[letter] || -1;
    at += isControl ? 6 : 2;
    if (code < 0 || at > end) return undefined;
    out[length++] = code;
  }
  return { text: out.subarray(0, length), stopped: at };
}
