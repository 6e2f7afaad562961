// Reading an archive of a lane in place. Nothing is looked up in the archive and nothing is extracted: the manifest
// says what every byte outside the files' content must be, and each of them is compared.
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import type { Manifest } from "../../schemas/index.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import { openFile } from "../io/folder-source.js";
import type { LaneSource, SourceEntry, SourceFile } from "../io/source.js";
import { inflateToTemporary } from "./archive-gzip.js";
import { type ArchivedFile, archiveBytes, type Container, TAR, ZIP } from "./archive-layout.js";
import { ENVELOPE, MANIFEST, readManifest } from "./archive-manifest.js";
import { chunksOf, readAt } from "./archive-read.js";

export type ArchiveFormat = "tar" | "tar.gz" | "zip";

/** Where the content of a file stands in the archive. */
interface Place {
  readonly offset: number;
  readonly size: number;
}

/** A lane in an archive whose every byte outside the files' content has been compared. */
export class ArchiveSource implements LaneSource {
  readonly format: ArchiveFormat;
  /** Parsed, but neither its signatures nor the digests in it have been checked. */
  readonly manifest: Manifest;
  readonly #archive: SourceFile;
  readonly #places: ReadonlyMap<string, Place>;

  constructor(
    format: ArchiveFormat,
    archive: SourceFile,
    lane: { manifest: Manifest; places: ReadonlyMap<string, Place> },
  ) {
    this.format = format;
    this.manifest = lane.manifest;
    this.#archive = archive;
    this.#places = lane.places;
  }

  entries(): readonly SourceEntry[] {
    return [...this.#places]
      .map(([path, { size }]) => ({ path, size, regular: true }))
      .sort((a, b) => byCodeUnit(a.path, b.path));
  }

  open(path: string): SourceFile {
    const place = this.#places.get(path);
    if (!place) throw new SealaneError("E_FILE_MISSING", `there is no ${path} in the lane`, { at: path });
    return window(this.#archive, place);
  }

  close(): void {
    this.#archive.close();
  }
}

function window(archive: SourceFile, { offset, size }: Place): SourceFile {
  return {
    size,
    read: (into, position) => {
      const length = Math.min(into.length, size - position);
      return length <= 0 ? 0 : archive.read(into.subarray(0, length), offset + position);
    },
    close: () => {},
  };
}

/**
 * Opens a tar, tar.gz or store-only zip that `packLane` wrote, recognised by its bytes. Before it returns, every byte
 * that is not content of a file has been compared with what the archive's own manifest implies (and, in a zip, each CRC
 * with the content). The manifest is parsed, not trusted: signatures and digests are for the checks that read this
 * source. A tar.gz is inflated into a nameless temporary file first. The caller closes the source.
 *
 * Throws E_FORMAT for anything else than these formats; E_TAR_BYTES or E_ZIP_BYTES at the first byte found to differ,
 * with the archive's name and the offset in the (uncompressed) archive as place; E_GZIP; what a manifest can be refused
 * for: E_UTF8, E_JSON, E_JSON_CANON, E_VERSION, E_SCHEMA, E_PATH; E_LIMIT; E_MISSING, E_NOT_REGULAR, E_IO.
 */
export async function openArchive(archive: string): Promise<ArchiveSource> {
  const name = basename(archive);
  let file = openFile(archive, archive);
  try {
    const outer = recognise(file, name);
    if (outer !== "gzip") return new ArchiveSource(outer.format, file, new Comparison(file, outer, name).run());
    const inflated = await inflateToTemporary(file, name);
    file.close();
    file = inflated;
    if (recognise(file, name) !== TAR) throw notAnArchive(file, name);
    return new ArchiveSource("tar.gz", file, new Comparison(file, TAR, name).run());
  } catch (cause) {
    file.close();
    throw cause;
  }
}

/** The format, by what stands at the start or, so that a damaged start is still named as such, at a second place. */
function recognise(file: SourceFile, name: string): Container | "gzip" {
  const head = readAt(file, 0, 512).toString("latin1");
  if (head.startsWith("\x1f\x8b")) return "gzip";
  if (head.startsWith(`${MANIFEST}\0`) || head.startsWith("ustar", 257)) return TAR;
  const end = readAt(file, Math.max(0, file.size - 22), 4).toString("latin1");
  if (head.startsWith("PK\x03\x04") || end === "PK\x05\x06") return ZIP;
  throw notAnArchive(file, name);
}

function notAnArchive(file: SourceFile, name: string): SealaneError {
  return new SealaneError("E_FORMAT", `${name} is not a tar, tar.gz or zip of a lane`, {
    at: name,
    found: hex(readAt(file, 0, 4)),
  });
}

/** The first bytes in hexadecimal, enough to recognise a difference by. */
function hex(bytes: Buffer): string {
  return bytes.subarray(0, 16).toString("hex");
}

/** One comparison of an archive with the layout that its manifest implies. */
class Comparison {
  readonly #archive: SourceFile;
  readonly #container: Container;
  readonly #name: string;

  constructor(archive: SourceFile, container: Container, name: string) {
    this.#archive = archive;
    this.#container = container;
    this.#name = name;
  }

  run(): { manifest: Manifest; places: ReadonlyMap<string, Place> } {
    const container = this.#container;
    const first = this.#claimed(MANIFEST, 0);
    if (first.size > LIMITS.documentBytesMax) {
      const message = `${MANIFEST} is longer than ${LIMITS.documentBytesMax} bytes`;
      throw new SealaneError("E_LIMIT", message, { at: MANIFEST });
    }
    const manifest = readManifest(readAt(this.#archive, first.content, first.size));
    const second = this.#claimed(ENVELOPE, first.content + container.span(first.size));
    const files: ArchivedFile[] = [first, second, ...manifest.files];
    archiveBytes(container, files);

    // An empty file has no content in the archive, and so no place that matters.
    const places = new Map<string, Place>(files.map(({ path, size }) => [path, { offset: 0, size }]));
    let end = 0;
    for (const segment of container.segments(files, (file, offset) => this.#crc(file, offset))) {
      if (segment.kind === "content") {
        const { offset, file } = segment;
        places.set(file.path, { offset, size: file.size });
        end = offset + file.size;
      } else {
        this.#compare(segment.bytes, segment.offset);
        end = segment.offset + segment.bytes.length;
      }
    }
    const after = readAt(this.#archive, end, 16);
    if (this.#archive.size !== end) throw this.#differs(end, "the end", hex(after));
    return { manifest, places };
  }

  /** The file that must stand at `offset`, with the size that its header claims; all else in the header is compared. */
  #claimed(path: string, offset: number): ArchivedFile & { content: number } {
    const length = this.#container.header({ path, size: 0 }, 0).length;
    const header = Buffer.alloc(length);
    readAt(this.#archive, offset, length).copy(header);
    const { size, crc } = this.#container.claim(header);
    this.#compare(this.#container.header({ path, size }, crc), offset);
    const content = offset + length;
    if (size > this.#archive.size - content) throw this.#endsEarly(path);
    return { path, size, content };
  }

  #crc(file: ArchivedFile, offset: number): number {
    const end = offset + file.size;
    if (end > this.#archive.size) throw this.#endsEarly(file.path);
    let crc = 0;
    for (const chunk of chunksOf(this.#archive, offset, end)) crc = crc32(chunk, crc);
    return crc;
  }

  #compare(expected: Buffer, offset: number): void {
    const found = readAt(this.#archive, offset, expected.length);
    if (found.equals(expected)) return;
    let same = 0;
    while (same < found.length && found[same] === expected[same]) same += 1;
    const rest = found.subarray(same);
    throw this.#differs(offset + same, hex(expected.subarray(same)), rest.length === 0 ? "the end" : hex(rest));
  }

  #differs(offset: number, expected: string, found: string): SealaneError {
    const message = `byte ${offset} of ${this.#name} is not the one that its manifest implies`;
    return new SealaneError(this.#container.code, message, { at: `${this.#name}@${offset}`, expected, found });
  }

  #endsEarly(path: string): SealaneError {
    return this.#differs(this.#archive.size, `more of ${path}`, "the end");
  }
}
