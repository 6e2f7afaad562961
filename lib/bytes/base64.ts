import { SealaneError } from "../finding.js";

/**
 * Decodes base64, standard or URL-safe alphabet (DSSE allows both), and refuses with E_BASE64 whatever another decoder
 * might read in another way: white space, missing padding, foreign characters, non-zero trailing bits.
 */
export function decodeBase64(text: string, at: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Encoding gives bytes one text in each alphabet, so a text that comes back is strict. (A regular expression that says
  // the same runs out of stack on values of a few megabytes.)
  const again = /[-_]/.test(text)
    ? bytes.toString("base64url").padEnd(Math.ceil(bytes.length / 3) * 4, "=")
    : bytes.toString("base64");
  if (again !== text) throw new SealaneError("E_BASE64", `${at} is not strict base64`, { at });
  return bytes;
}

/** The bytes of base64 in the standard alphabet alone (RFC 4648 section 4); undefined for any other spelling. */
export function standardBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
