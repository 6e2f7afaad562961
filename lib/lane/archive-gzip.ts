// gzip as transport (RFC 1952): one member, no optional fields, nothing after it, bounded in size and ratio.
import { closeSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable, type Transform } from "node:stream";
import { crc32, createDeflateRaw, createInflateRaw } from "node:zlib";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import { ioError } from "../io/errors.js";
import type { SourceFile } from "../io/source.js";
import { openNameless } from "../io/temporary.js";
import { CHUNK_BYTES, chunksOf, readAt } from "./archive-read.js";

/**
 * ID1 ID2 CM FLG MTIME (RFC 1952 section 2.3): deflate, no optional fields, no time. XFL and OS follow and are free.
 */
const HEADER_START = "1f8b080000000000";
/** The same with XFL 0 and OS 255, "unknown": nothing of the machine that wrote it. */
const HEADER = Buffer.from(`${HEADER_START}00ff`, "hex");
const TRAILER_BYTES = 8;

function trailer(crc: number, size: number): Buffer {
  const bytes = Buffer.alloc(TRAILER_BYTES);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(size % 2 ** 32, 4);
  return bytes;
}

function tooDense(): SealaneError {
  const message = `the tar is more than ${LIMITS.gzipRatioMax} times larger than the gzip file around it`;
  return new SealaneError("E_LIMIT", message, { next: "Use the tar without gzip, if its source is honest." });
}

/**
 * Passes chunks through a transform, whose end is the end even when chunks are left. `stream.pipeline` is no choice
 * here: it may report that it was aborted, instead of what `take` threw or of what is left.
 */
async function through(chunks: Iterable<Buffer>, transform: Transform, take: (chunk: Buffer) => void): Promise<void> {
  const input = Readable.from(chunks);
  input.once("error", (error) => transform.destroy(error));
  try {
    for await (const chunk of input.pipe(transform)) take(chunk as Buffer);
  } finally {
    input.destroy();
  }
}

/** Writes `chunks` as one gzip member. Throws E_LIMIT when `inflateToTemporary` would refuse it for its ratio. */
export async function writeGzip(chunks: Iterable<Buffer>, write: (chunk: Buffer) => void): Promise<void> {
  let crc = 0;
  let size = 0;
  let written = HEADER.length + TRAILER_BYTES;
  function* counted(): Generator<Buffer> {
    for (const chunk of chunks) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
  }
  write(HEADER);
  await through(counted(), createDeflateRaw({ level: 9, chunkSize: CHUNK_BYTES }), (chunk) => {
    written += chunk.length;
    write(chunk);
  });
  if (size > written * LIMITS.gzipRatioMax) throw tooDense();
  write(trailer(crc, size));
}

/**
 * Inflates a gzip file into a temporary file that no longer has a name, so that it is gone when it is closed, whatever
 * happens. Throws E_GZIP unless the file is exactly one whole member of the plain kind with the right CRC-32 and
 * length, E_LIMIT beyond LIMITS.gzipRatioMax or LIMITS.laneBytesMax, E_IO.
 * @param name what to call the file in errors
 */
export async function inflateToTemporary(file: SourceFile, name: string): Promise<SourceFile> {
  const broken = (message: string) => new SealaneError("E_GZIP", `${name} ${message}`, { at: name });
  const end = file.size - TRAILER_BYTES;
  if (readAt(file, 0, 8).toString("hex") !== HEADER_START || end < HEADER.length) {
    throw broken("does not begin with a plain gzip header: deflate, no optional fields, no time");
  }
  const { descriptor, reader } = openNameless();
  try {
    const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
    let crc = 0;
    let size = 0;
    try {
      await through(chunksOf(file, HEADER.length, end), inflater, (chunk) => {
        size += chunk.length;
        if (size > file.size * LIMITS.gzipRatioMax) throw tooDense();
        if (size > LIMITS.laneBytesMax) {
          throw new SealaneError("E_LIMIT", `${name} inflates to more than ${LIMITS.laneBytesMax} bytes`, { at: name });
        }
        crc = crc32(chunk, crc);
        for (let done = 0; done < chunk.length; ) done += writeSync(descriptor, chunk, done);
      });
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      throw code?.startsWith("Z_") ? broken(`does not inflate: ${message}`) : ioError(cause, tmpdir());
    }
    if (inflater.bytesWritten !== end - HEADER.length) throw broken("goes on after the end of its first member");
    if (!readAt(file, end, TRAILER_BYTES).equals(trailer(crc, size))) {
      throw broken("ends with another CRC-32 or length than its content has");
    }
    return { size, read: reader.read, close: reader.close };
  } catch (cause) {
    reader.close();
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}
