import { realpathSync, statSync } from "node:fs";
import { SealaneError } from "../finding.js";
import { ioError } from "./errors.js";
import { FolderSource, openFile } from "./folder-source.js";
import { MemorySource } from "./memory-source.js";
import type { LaneSource, SourceFile } from "./source.js";

const CHUNK_BYTES = 2 ** 20;

/** What a user names for reading: one file, of whatever size, or a folder of files. Nothing is held open between reads. */
export interface Input {
  /** As the user named it, for messages. */
  readonly at: string;
  readonly kind: "file" | "folder";
  /** The files: one, whose path is `at`, or those in the folder by their paths in it. Each may be opened again. */
  readonly source: LaneSource;
}

/** A file or folder that the user named; links to it are followed, because he may name his files as he likes. Throws E_MISSING, E_IO. */
export function openInput(path: string): Input {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return { at: path, kind: "folder", source: new FolderSource(path) };
    if (!stat.isFile()) throw new SealaneError("E_IO", `${path} is neither a file nor a folder`, { at: path });
    const file = realpathSync(path);
    const source: LaneSource = {
      entries: () => [{ path, size: stat.size, regular: true }],
      open: () => openFile(file, path),
      close: () => {},
    };
    return { at: path, kind: "file", source };
  } catch (cause) {
    throw ioError(cause, path);
  }
}

/** One file that is in memory already. */
export function bytesInput(bytes: Uint8Array, at: string): Input {
  return { at, kind: "file", source: new MemorySource(new Map([[at, bytes]])) };
}

/** A file's bytes from its beginning to its end, in pieces of which each is overwritten by the next. */
export function* chunksOf(file: SourceFile, chunkBytes = CHUNK_BYTES): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let position = 0;
  for (;;) {
    const count = file.read(chunk, position);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    position += count;
  }
}
