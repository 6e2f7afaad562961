import { SealaneError } from "../finding.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * UTF-8 bytes as a string; ill-formed bytes throw E_UTF8 instead of turning into U+FFFD, which would give
 * different bytes the same text. A byte order mark stays in the text, where the JSON grammar refuses it.
 */
export function utf8(bytes: Uint8Array, at: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new SealaneError("E_UTF8", `${at} is not well-formed UTF-8`, { at, cause });
  }
}

/** Whether bytes are well-formed UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
