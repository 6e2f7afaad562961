import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ioError } from "./errors.js";
import { openFile } from "./folder-source.js";
import type { SourceFile } from "./source.js";

/** A new file that is written through one descriptor and read through another, and that has no name any more. */
export function openNameless(): { descriptor: number; reader: SourceFile } {
  const folder = tmpdir();
  try {
    // mkdtemp makes a folder that nobody else may enter.
    const own = mkdtempSync(join(folder, "sealane-"));
    try {
      const path = join(own, "file");
      const descriptor = openSync(path, "wx", 0o600);
      try {
        return { descriptor, reader: openFile(path, path) };
      } catch (cause) {
        closeSync(descriptor);
        throw cause;
      }
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  } catch (cause) {
    throw ioError(cause, folder);
  }
}

/** Runs something with a folder that nobody else may enter, and removes it with all that is in it. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const above = tmpdir();
  let folder: string;
  try {
    folder = mkdtempSync(join(above, "sealane-"));
  } catch (cause) {
    throw ioError(cause, above);
  }
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
