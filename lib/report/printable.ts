/** Control characters, line ends, and marks that turn the direction of text: what could make a terminal show something else than is there. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Text from a document as one safe line for a terminal. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Text from a document on a terminal with its line feeds kept. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A long text cut in its middle, with how much was left out. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 12) / 2);
  return `${text.slice(0, half)} [${text.length - 2 * half} more] ${text.slice(-half)}`;
}
