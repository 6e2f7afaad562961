import { startSha256 } from "../bytes/digest.js";
import type { LaneSource, SourceFile } from "./source.js";

const CHUNK_BYTES = 2 ** 20;

/** Length and SHA-256 of one file of a source, read in large pieces; `onChunk` is shown each piece as it goes by. */
export function hashFile(
  source: LaneSource,
  path: string,
  onChunk: (chunk: Uint8Array) => void = () => {},
): { size: number; sha256: string } {
  return hashOpenFile(source.open(path), onChunk);
}

/** The same of a file that is open already; it is closed. */
export function hashOpenFile(
  file: SourceFile,
  onChunk: (chunk: Uint8Array) => void = () => {},
): { size: number; sha256: string } {
  try {
    const hash = startSha256();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let size = 0;
    for (;;) {
      const count = file.read(chunk, size);
      if (count === 0) return { size, sha256: hash.digest("hex") };
      hash.update(chunk.subarray(0, count));
      onChunk(chunk.subarray(0, count));
      size += count;
    }
  } finally {
    file.close();
  }
}
