import { realpathSync } from "node:fs";
import { ioError } from "./errors.js";
import { openFile } from "./folder-source.js";
import type { SourceFile } from "./source.js";

/** Opens a file that the user named, for positioned reads; links are followed, because he may name his files as he likes. Throws E_MISSING, E_NOT_REGULAR, E_IO. */
export function openNamedFile(path: string): SourceFile {
  try {
    return openFile(realpathSync(path), path);
  } catch (cause) {
    throw ioError(cause, path);
  }
}
