import { SealaneError } from "../finding.js";

const STANDARD = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes base64, standard or URL-safe alphabet (DSSE allows both), and refuses with E_BASE64 whatever another decoder
 * might read in another way: white space, missing padding, foreign characters, non-zero trailing bits.
 */
export function decodeBase64(text: string, at: string): Buffer {
  const standard = /[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
  const mixed = /[-_]/.test(text) && /[+/]/.test(text);
  const bytes = Buffer.from(standard, "base64");
  if (mixed || !STANDARD.test(standard) || bytes.toString("base64") !== standard) {
    throw new SealaneError("E_BASE64", `${at} is not strict base64`, { at });
  }
  return bytes;
}
