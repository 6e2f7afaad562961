// A text as pieces: what is its own, literally, and what it quotes of other texts, as places in them.
import type { Pieces } from "../../schemas/index.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";

export type Piece = Pieces[number];
export type Form = "lower" | "upper" | Composition | `${"lower" | "upper"}-${Composition}`;
type Composition = "nfc" | "nfd" | "nfkc";

/** What a quoted word may have been turned into: first its case, then its composition. */
export const FORMS: Readonly<Record<Form, (text: string) => string>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  nfc: (text) => text.normalize("NFC"),
  nfd: (text) => text.normalize("NFD"),
  nfkc: (text) => text.normalize("NFKC"),
  "lower-nfc": (text) => text.toLowerCase().normalize("NFC"),
  "lower-nfd": (text) => text.toLowerCase().normalize("NFD"),
  "lower-nfkc": (text) => text.toLowerCase().normalize("NFKC"),
  "upper-nfc": (text) => text.toUpperCase().normalize("NFC"),
  "upper-nfd": (text) => text.toUpperCase().normalize("NFD"),
  "upper-nfkc": (text) => text.toUpperCase().normalize("NFKC"),
};

/** Text as it stands inside a string of canonical JSON. */
export const escaped = (text: string): string => canonicalJson(text).slice(1, -1);

/**
 * The text that pieces make.
 * @param textOf a text by its name
 * @param isEscaped whether copies are escaped as strings of canonical JSON are
 * Throws E_RECIPE for a copy of a text that is not there, or of bytes that are not whole characters of it.
 */
export function assembled(
  pieces: readonly Piece[],
  textOf: (name: string) => string | undefined,
  isEscaped: boolean,
  at: string,
): string {
  let whole = "";
  for (const piece of pieces) {
    if (typeof piece === "string") {
      whole += piece;
      continue;
    }
    const [name, start, end, form] = piece;
    const text = textOf(name);
    const bytes = text === undefined ? undefined : Buffer.from(text);
    const copy = bytes?.subarray(start, end).toString();
    if (
      copy === undefined ||
      copy === "" ||
      !bytes?.subarray(start, end).equals(Buffer.from(copy)) ||
      end > bytes.length
    )
      throw new SealaneError("E_RECIPE", `${at} copies what the dataset does not hold`, {
        at,
        found: `${name}, bytes ${start} to ${end}`,
      });
    const formed = form === undefined ? copy : FORMS[form](copy);
    whole += isEscaped ? escaped(formed) : formed;
  }
  return whole;
}
