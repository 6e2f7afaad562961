// What an archive of a lane looks like, byte for byte, as a function of its files' paths and sizes (and, for zip,
// CRCs). The writer writes this and the reader compares with this, so neither can hold a byte that the other does not
// expect.
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";

/** A file in an archive: its place follows from the files before it. */
export interface ArchivedFile {
  readonly path: string;
  readonly size: number;
}

/** A stretch of an archive: bytes that the layout fixes, or the content of a file. `offset` is where it begins. */
export type Segment =
  | { readonly kind: "fixed"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "content"; readonly offset: number; readonly file: ArchivedFile };

/** Tells the CRC-32 of a file whose content begins at `offset` of the archive. */
export type CrcOf = (file: ArchivedFile, offset: number) => number;

/** A way to lay files out in one archive. */
export interface Container {
  readonly format: "tar" | "zip";
  /** Raised when a byte is not the one that the layout fixes. */
  readonly code: "E_TAR_BYTES" | "E_ZIP_BYTES";
  /** The bytes that stand before the content of a file. Their number depends on the path alone. */
  header(file: ArchivedFile, crc: number): Buffer;
  /** What a header of that length says of its file; zeros where it says nothing that `header` writes. */
  claim(header: Buffer): { readonly size: number; readonly crc: number };
  /** Bytes that content of `size` bytes takes up, padding included. */
  span(size: number): number;
  /** The whole archive in order, without gaps. Throws E_LIMIT for what the format cannot hold. */
  segments(files: readonly ArchivedFile[], crcOf: CrcOf): Generator<Segment>;
}

/**
 * Length in bytes of the archive of `files`. Throws E_LIMIT when it is longer than LIMITS.laneBytesMax or beyond what
 * the format can hold.
 */
export function archiveBytes(container: Container, files: readonly ArchivedFile[]): number {
  let end = 0;
  for (const segment of container.segments(files, () => 0)) {
    end = segment.offset + (segment.kind === "fixed" ? segment.bytes.length : segment.file.size);
  }
  if (end > LIMITS.laneBytesMax) {
    throw new SealaneError("E_LIMIT", `the ${container.format} has ${end} bytes; the limit is ${LIMITS.laneBytesMax}`);
  }
  return end;
}

const TAR_BLOCK = 512;
/** Eleven octal digits, 8 GiB less one byte. */
const TAR_SIZE_MAX = 0o77777777777;
/** Where the size stands in a ustar header, its ending NUL included. */
const TAR_SIZE_FIELD = [124, 136] as const;

/**
 * POSIX.1-1988 ustar (IEEE Std 1003.1, pax utility, "ustar Interchange Format"), regular files only, no pax records.
 */
export const TAR: Container = {
  format: "tar",
  code: "E_TAR_BYTES",

  header({ path, size }) {
    if (size > TAR_SIZE_MAX) {
      throw new SealaneError("E_LIMIT", `${path} has ${size} bytes; a tar holds ${TAR_SIZE_MAX}`, { at: path });
    }
    const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
    const header = Buffer.alloc(TAR_BLOCK);
    header.write(path, 0, "latin1");
    header.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 100, "latin1");
    // The checksum is taken with its own field filled with spaces.
    header.write("        0", 148, "latin1");
    header.write("ustar\x0000", 257, "latin1");
    header.write(octal(0, 7) + octal(0, 7), 329, "latin1");
    const checksum = header.reduce((sum, byte) => sum + byte);
    header.write(`${octal(checksum, 6)} `, 148, "latin1");
    return header;
  },

  claim(header) {
    const field = header.toString("latin1", ...TAR_SIZE_FIELD);
    return { size: /^[0-7]{11}\0$/.test(field) ? Number.parseInt(field, 8) : 0, crc: 0 };
  },

  span: (size) => Math.ceil(size / TAR_BLOCK) * TAR_BLOCK,

  *segments(files) {
    let offset = 0;
    for (const file of files) {
      yield { kind: "fixed", offset, bytes: TAR.header(file, 0) };
      offset += TAR_BLOCK;
      if (file.size === 0) continue;
      yield { kind: "content", offset, file };
      const padding = TAR.span(file.size) - file.size;
      if (padding > 0) yield { kind: "fixed", offset: offset + file.size, bytes: Buffer.alloc(padding) };
      offset += file.size + padding;
    }
    // Two zero blocks end a tar; what some writers add to fill a tape record is left away.
    yield { kind: "fixed", offset, bytes: Buffer.alloc(2 * TAR_BLOCK) };
  },
};

/** 0xFFFFFFFF and 0xFFFF send a reader to zip64 records (APPNOTE 4.4.1.4), which are not used. */
const ZIP_OFFSET_MAX = 0xfffffffe;
const ZIP_ENTRIES_MAX = 0xfffe;
const ZIP_VERSION = 20;
/** 1980-01-01, the first day that a DOS date can say (APPNOTE 4.4.6). */
const ZIP_DATE = 0x0021;
const ZIP_LOCAL_BYTES = 30;

/** Little-endian fields, each given as its width in bytes and its value. */
function fields(...list: (readonly [2 | 4, number])[]): Buffer {
  const bytes = Buffer.alloc(list.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of list) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}

/** The fields that a local and a central header have in common, from "version needed" to "extra field length". */
function zipCommon({ path, size }: ArchivedFile, crc: number): Buffer {
  return fields(
    [2, ZIP_VERSION],
    [2, 0], // flags: not encrypted, no data descriptor
    [2, 0], // method: stored
    [2, 0], // time
    [2, ZIP_DATE],
    [4, crc],
    [4, size],
    [4, size],
    [2, path.length],
    [2, 0],
  );
}

function zipLimit(what: string, value: number, limit: number): void {
  if (value > limit) throw new SealaneError("E_LIMIT", `${what} is ${value}; a zip without zip64 holds ${limit}`);
}

/**
 * Zip of stored files (PKWARE APPNOTE 6.3.10): 4.3.7 local headers, 4.3.12 central directory, 4.3.16 its end record.
 */
export const ZIP: Container = {
  format: "zip",
  code: "E_ZIP_BYTES",

  header: (file, crc) =>
    Buffer.concat([fields([4, 0x04034b50]), zipCommon(file, crc), Buffer.from(file.path, "latin1")]),

  claim: (header) => ({ size: header.readUInt32LE(22), crc: header.readUInt32LE(14) }),

  span: (size) => size,

  *segments(files, crcOf) {
    zipLimit("the number of files", files.length, ZIP_ENTRIES_MAX);
    const directory: Buffer[] = [];
    let offset = 0;
    for (const file of files) {
      zipLimit(`the size of ${file.path}`, file.size, ZIP_OFFSET_MAX);
      zipLimit(`the place of ${file.path}`, offset, ZIP_OFFSET_MAX);
      const content = offset + ZIP_LOCAL_BYTES + file.path.length;
      const crc = crcOf(file, content);
      yield { kind: "fixed", offset, bytes: ZIP.header(file, crc) };
      if (file.size > 0) yield { kind: "content", offset: content, file };
      directory.push(
        fields([4, 0x02014b50], [2, ZIP_VERSION]), // made by: MS-DOS, which says nothing of permissions
        zipCommon(file, crc),
        // no comment, first disk, no internal or external attributes
        fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
        Buffer.from(file.path, "latin1"),
      );
      offset = content + file.size;
    }
    const central = Buffer.concat(directory);
    zipLimit("the place of the central directory", offset, ZIP_OFFSET_MAX);
    yield { kind: "fixed", offset, bytes: central };
    const end = fields(
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, files.length],
      [2, files.length],
      [4, central.length],
      [4, offset],
      [2, 0],
    );
    yield { kind: "fixed", offset: offset + central.length, bytes: end };
  },
};
