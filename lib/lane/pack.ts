// A lane into one archive and back. Both are all or nothing, and neither overwrites anything.
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { startSha256 } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import { FileWriter, makeFile, makeFolder } from "../io/atomic.js";
import type { LaneSource } from "../io/source.js";
import { writeGzip } from "./archive-gzip.js";
import { type ArchivedFile, archiveBytes, type Container, TAR, ZIP } from "./archive-layout.js";
import { checkedChunks } from "./archive-read.js";
import { type ArchiveFormat, openArchive } from "./archive-source.js";
import { type LaneFile, listLane } from "./lane-files.js";

export interface PackOptions {
  /** Told after each chunk how many bytes of how many are done; both count before compression. */
  readonly onProgress?: ((bytesDone: number, bytesTotal: number) => void) | undefined;
}

/**
 * Writes a lane as one archive whose bytes follow from the lane alone (for tar.gz, up to the deflate implementation).
 * The format comes from the name: .tar, .tar.gz or .tgz, .zip. The archive is whole and on disk when it takes its name;
 * after an error nothing is left.
 *
 * Throws E_FORMAT for another name; E_EXISTS when the name is taken; E_MANIFEST_MISSING, E_SIGNATURE_MISSING,
 * E_FILE_MISSING, E_FILE_EXTRA, E_NOT_REGULAR, E_SIZE, E_DIGEST when the files are not exactly those of the manifest;
 * what a manifest can be refused for; E_LIMIT beyond what the format holds; E_IO.
 * @returns length in bytes and SHA-256 of the archive file
 */
export async function packLane(
  source: LaneSource,
  archive: string,
  options: PackOptions = {},
): Promise<{ format: ArchiveFormat; bytes: number; sha256: string }> {
  const format = formatOf(archive);
  const container = format === "zip" ? ZIP : TAR;
  const { files } = listLane(source);
  const total = archiveBytes(container, files);
  const hash = startSha256();
  let bytes = 0;
  await makeFile(archive, async (write) => {
    const chunks = archiveChunks(source, container, files, (done) => options.onProgress?.(done, total));
    const put = (chunk: Buffer) => {
      hash.update(chunk);
      bytes += chunk.length;
      write(chunk);
    };
    if (format === "tar.gz") await writeGzip(chunks, put);
    else for (const chunk of chunks) put(chunk);
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

function* archiveChunks(
  source: LaneSource,
  container: Container,
  files: readonly LaneFile[],
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
 * Throws E_EXISTS when `out` is taken, E_DIGEST, what `openArchive` throws, E_IO.
 * @returns how many files, and their bytes together
 */
export async function unpackLane(
  archive: string,
  out: string,
  options: PackOptions = {},
): Promise<{ files: number; bytes: number }> {
  const source = await openArchive(archive);
  try {
    const entries = source.entries();
    const total = entries.reduce((sum, entry) => sum + entry.size, 0);
    const digests = new Map(source.manifest.files.map((file) => [file.path, file.sha256]));
    let done = 0;
    const extract = async (folder: string): Promise<void> => {
      for (const entry of entries) {
        const file = new FileWriter(join(folder, entry.path));
        try {
          for (const chunk of checkedChunks(source, entry, digests.get(entry.path))) {
            file.write(chunk);
            done += chunk.length;
            options.onProgress?.(done, total);
          }
        } finally {
          file.close();
        }
      }
    };
    await makeFolder(out, extract, 0o700);
    return { files: entries.length, bytes: total };
  } finally {
    source.close();
  }
}
