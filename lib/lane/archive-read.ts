import { startSha256 } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import type { LaneSource, SourceFile } from "../io/source.js";
import type { ArchivedFile } from "./archive-layout.js";

/** Bytes held at once while a file is copied, hashed or inflated. */
export const CHUNK_BYTES = 2 ** 20;

/** The `length` bytes from `offset` on; fewer only where the file ends. */
export function readAt(file: SourceFile, offset: number, length: number): Buffer {
  // No more is set aside than the file can fill, whatever a hostile header asks for.
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, file.size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const count = file.read(bytes.subarray(filled), offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** The bytes from `start` to before `end`, in chunks that stay what they are; ends early where the file does. */
export function* chunksOf(file: SourceFile, start: number, end: number): Generator<Buffer> {
  for (let offset = start; offset < end; ) {
    const chunk = readAt(file, offset, Math.min(CHUNK_BYTES, end - offset));
    if (chunk.length === 0) return;
    yield chunk;
    offset += chunk.length;
  }
}

/**
 * The bytes of a lane's file in chunks. After the last chunk, and so before the caller can take the file for whole,
 * throws E_SIZE when the file is not of the size given and E_DIGEST when its SHA-256 is not `sha256` (unless that is
 * undefined).
 */
export function* checkedChunks(
  source: LaneSource,
  { path, size }: ArchivedFile,
  sha256: string | undefined,
): Generator<Buffer> {
  const file = source.open(path);
  try {
    const hash = startSha256();
    let bytes = 0;
    if (file.size === size) {
      for (const chunk of chunksOf(file, 0, size)) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    if (bytes !== size || file.size !== size) {
      const found = file.size === size ? bytes : file.size;
      throw new SealaneError("E_SIZE", `${path} has ${found} bytes, not ${size}`, {
        at: path,
        expected: String(size),
        found: String(found),
      });
    }
    const digest = hash.digest("hex");
    if (sha256 !== undefined && digest !== sha256) {
      throw new SealaneError("E_DIGEST", `${path} is not the file that the manifest names`, {
        at: path,
        expected: sha256,
        found: digest,
      });
    }
  } finally {
    file.close();
  }
}
