// A lane into one archive and back. Both are all or nothing, and neither overwrites anything.
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { sha256Hex, startSha256 } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import { ioError } from "../io/errors.js";
import { type LaneSource, readWhole } from "../io/source.js";
import { writeGzip } from "./archive-gzip.js";
import { type ArchivedFile, archiveBytes, type Container, TAR, ZIP } from "./archive-layout.js";
import { ENVELOPE, MANIFEST, readManifest } from "./archive-manifest.js";
import { checkedChunks } from "./archive-read.js";
import { type ArchiveFormat, openArchive } from "./archive-source.js";

export interface PackOptions {
  /** Told after each chunk how many bytes of how many are done; both count before compression. */
  readonly onProgress?: ((bytesDone: number, bytesTotal: number) => void) | undefined;
}

interface PackedFile extends ArchivedFile {
  readonly sha256: string;
}

/**
 * Writes a lane as one archive whose bytes follow from the lane alone (for tar.gz, up to the deflate implementation).
 * The format comes from the name: .tar, .tar.gz or .tgz, .zip. The archive is whole and on disk when it takes its name;
 * after an error nothing is left.
 *
 * Throws E_FORMAT for another name; E_EXISTS when the name is taken; E_MANIFEST_MISSING, E_SIGNATURE_MISSING,
 * E_FILE_MISSING, E_FILE_EXTRA, E_NOT_REGULAR, E_SIZE, E_DIGEST when the files are not exactly those of the manifest;
 * what a manifest can be refused for; E_LIMIT beyond what the format holds; E_MISSING, E_IO.
 * @returns length in bytes and SHA-256 of the archive file
 */
export async function packLane(
  source: LaneSource,
  archive: string,
  options: PackOptions = {},
): Promise<{ format: ArchiveFormat; bytes: number; sha256: string }> {
  const format = formatOf(archive);
  const container = format === "zip" ? ZIP : TAR;
  refuseTaken(archive);
  const files = filesOf(source);
  const total = archiveBytes(container, files);
  const hash = startSha256();
  let bytes = 0;
  await besides(archive, async (folder) => {
    const partial = join(folder, "archive");
    await writeFile(partial, async (write) => {
      const chunks = archiveChunks(source, container, files, (done) => options.onProgress?.(done, total));
      const put = (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.length;
        write(chunk);
      };
      if (format === "tar.gz") await writeGzip(chunks, put);
      else for (const chunk of chunks) put(chunk);
    });
    // A hard link, unlike a rename, fails when the name is taken.
    linkSync(partial, archive);
  });
  return { format, bytes, sha256: hash.digest("hex") };
}

function formatOf(archive: string): ArchiveFormat {
  if (archive.endsWith(".zip")) return "zip";
  if (archive.endsWith(".tar")) return "tar";
  if (archive.endsWith(".tar.gz") || archive.endsWith(".tgz")) return "tar.gz";
  throw new SealaneError("E_FORMAT", `${archive} does not say by its ending which archive it is to be`, {
    at: archive,
    next: "Choose a name that ends in .tar, .tar.gz, .tgz or .zip.",
  });
}

/**
 * The files in the order of the archive, after a look at the list of what is there; content is checked while it is
 * read.
 */
function filesOf(source: LaneSource): PackedFile[] {
  const there = new Set<string>();
  for (const { path, regular } of source.entries()) {
    if (!regular) throw new SealaneError("E_NOT_REGULAR", `${path} is not a regular file`, { at: path });
    there.add(path);
  }
  if (!there.has(MANIFEST)) throw new SealaneError("E_MANIFEST_MISSING", `there is no ${MANIFEST}`, { at: MANIFEST });
  if (!there.has(ENVELOPE)) throw new SealaneError("E_SIGNATURE_MISSING", `there is no ${ENVELOPE}`, { at: ENVELOPE });
  const whole = (path: string): [PackedFile, Buffer] => {
    const bytes = readWhole(source, path, LIMITS.documentBytesMax);
    return [{ path, size: bytes.length, sha256: sha256Hex(bytes) }, bytes];
  };
  const [manifest, manifestBytes] = whole(MANIFEST);
  const [envelope] = whole(ENVELOPE);
  const files: PackedFile[] = [manifest, envelope, ...readManifest(manifestBytes).files];
  for (const { path } of files) {
    if (!there.delete(path)) throw new SealaneError("E_FILE_MISSING", `there is no ${path} in the lane`, { at: path });
  }
  const [extra] = there;
  if (extra !== undefined) {
    throw new SealaneError("E_FILE_EXTRA", `${extra} is not named by the manifest`, { at: extra });
  }
  return files;
}

function* archiveChunks(
  source: LaneSource,
  container: Container,
  files: readonly PackedFile[],
  onBytes: (done: number) => void,
): Generator<Buffer> {
  const digests = new Map<ArchivedFile, string>(files.map((file) => [file, file.sha256]));
  // A zip header holds the CRC of what follows it, so a zip reads each file twice; the digest is checked both times,
  // which makes sure that both readings saw the same bytes.
  const crcOf = (file: ArchivedFile) => {
    let crc = 0;
    for (const chunk of checkedChunks(source, file, digests.get(file))) crc = crc32(chunk, crc);
    return crc;
  };
  let done = 0;
  const counted = (chunk: Buffer) => {
    done += chunk.length;
    onBytes(done);
    return chunk;
  };
  for (const segment of container.segments(files, crcOf)) {
    if (segment.kind === "fixed") yield counted(segment.bytes);
    else for (const chunk of checkedChunks(source, segment.file, digests.get(segment.file))) yield counted(chunk);
  }
}

/**
 * Extracts an archive into a new folder, mode 0700, after all of `openArchive`'s comparisons. Every file that the
 * manifest names is written while its SHA-256 is checked; the folder takes its name only when all are right and on
 * disk, and after an error nothing is left. Signatures are not checked: that is for `verify`, on either side.
 *
 * Throws E_EXISTS when `out` is taken, E_DIGEST, what `openArchive` throws, E_MISSING when the folder above `out` is
 * not there, E_IO.
 * @returns how many files, and their bytes together
 */
export async function unpackLane(
  archive: string,
  out: string,
  options: PackOptions = {},
): Promise<{ files: number; bytes: number }> {
  refuseTaken(out);
  const source = await openArchive(archive);
  try {
    const entries = source.entries();
    const total = entries.reduce((sum, entry) => sum + entry.size, 0);
    const digests = new Map(source.manifest.files.map((file) => [file.path, file.sha256]));
    let done = 0;
    await besides(out, async (folder) => {
      for (const entry of entries) {
        const target = join(folder, entry.path);
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        await writeFile(target, async (write) => {
          for (const chunk of checkedChunks(source, entry, digests.get(entry.path))) {
            write(chunk);
            done += chunk.length;
            options.onProgress?.(done, total);
          }
        });
      }
      syncFolder(folder);
      renameSync(folder, out);
    });
    return { files: entries.length, bytes: total };
  } finally {
    source.close();
  }
}

/** Throws E_EXISTS when anything has that name, a dangling link included. */
function refuseTaken(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) throw taken(path);
  } catch (cause) {
    throw ioError(cause, path);
  }
}

function taken(path: string): SealaneError {
  return new SealaneError("E_EXISTS", `${path} is there already`, { at: path });
}

/**
 * Runs `make` with a private folder (mode 0700) beside `path`, on the same file system, and removes it in every case.
 */
async function besides(path: string, make: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtemp(path);
  try {
    await make(folder);
    syncFolder(dirname(path));
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    // The last two: a folder cannot take the name of a folder that is not empty, nor of a file.
    throw ["EEXIST", "ENOTEMPTY", "ENOTDIR"].includes(code) ? taken(path) : ioError(cause, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mkdtemp(path: string): string {
  try {
    return mkdtempSync(join(dirname(path), `.${basename(path)}.`));
  } catch (cause) {
    throw ioError(cause, path);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file that must not be there yet, and brings it to disk. */
async function writeFile(path: string, fill: (write: (chunk: Buffer) => void) => Promise<void>): Promise<void> {
  const descriptor = openSync(path, "wx", 0o644);
  try {
    await fill((chunk) => {
      for (let written = 0; written < chunk.length; ) written += writeSync(descriptor, chunk, written);
    });
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
