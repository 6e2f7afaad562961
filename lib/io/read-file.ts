import { closeSync, openSync, readSync, statSync } from "node:fs";
import { SealaneError } from "../finding.js";
import { ioError } from "./errors.js";

const CHUNK_BYTES = 1 << 16;

/**
 * Reads a file that the user named, whole; links are followed, because he may name his files as he likes. A pipe or a device tells no
 * length beforehand, so what is read is counted. Throws E_MISSING, E_LIMIT, E_IO.
 */
export function readFile(path: string, bytesMax: number): Buffer {
  const tooLong = (size: string): SealaneError =>
    new SealaneError("E_LIMIT", `${path} is ${size} bytes long; the limit is ${bytesMax}`, { at: path });
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw tooLong(String(size));
    const descriptor = openSync(path, "r");
    try {
      let bytes = Buffer.allocUnsafe(size + 1);
      let length = 0;
      for (;;) {
        const read = readSync(descriptor, bytes, length, bytes.length - length, null);
        if (read === 0) return bytes.subarray(0, length);
        length += read;
        if (length > bytesMax) throw tooLong(`more than ${bytesMax}`);
        if (length === bytes.length) bytes = Buffer.concat([bytes], length + Math.max(length, CHUNK_BYTES));
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw ioError(cause, path);
  }
}
