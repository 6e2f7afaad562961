import { readFileSync, statSync } from "node:fs";
import { SealaneError } from "../finding.js";
import { ioError } from "./errors.js";

/** Reads a file that the user named, whole; links are followed, because he may name his files as he likes. Throws E_MISSING, E_LIMIT, E_IO. */
export function readFile(path: string, bytesMax: number): Buffer {
  try {
    const { size } = statSync(path);
    if (size > bytesMax) {
      throw new SealaneError("E_LIMIT", `${path} is ${size} bytes long; the limit is ${bytesMax}`, { at: path });
    }
    return readFileSync(path);
  } catch (cause) {
    throw ioError(cause, path);
  }
}
