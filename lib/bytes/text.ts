import { isUtf8 } from "node:buffer";
import { SealaneError } from "../finding.js";

export { isUtf8 };

/**
 * UTF-8 bytes as a string; ill-formed bytes throw E_UTF8 instead of turning into U+FFFD, which would give
 * different bytes the same text. A byte order mark stays in the text, where the JSON grammar refuses it.
 */
export function utf8(bytes: Uint8Array, at: string): string {
  if (!isUtf8(bytes)) throw new SealaneError("E_UTF8", `${at} is not well-formed UTF-8`, { at });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
