import { SealaneError } from "../finding.js";

// Where the files of a lane come from: a folder, an archive or memory, behind one small interface, so that every check
// runs on every container. Reads are synchronous and positioned: many files are read side by side in bounded memory.

export interface SourceEntry {
  /** Path inside the lane, '/'-separated, exactly as found. */
  readonly path: string;
  readonly size: number;
  /** False for links, devices, sockets and the like, and for a folder without files: a lane holds regular files only. */
  readonly regular: boolean;
}

export interface SourceFile {
  readonly size: number;
  /** Reads up to `into.length` bytes from `position`; returns how many, 0 at the end. Throws E_IO. */
  read(into: Buffer, position: number): number;
  close(): void;
}

export interface LaneSource {
  /** Everything that stands in the lane, in order of path. */
  entries(): readonly SourceEntry[];
  /** Opens a regular entry, once; throws E_FILE_MISSING when there is none of that path. */
  open(path: string): SourceFile;
  close(): void;
}

/** Reads a whole file of at most `bytesMax` bytes. Throws E_FILE_MISSING, E_LIMIT, E_IO. */
export function readWhole(source: LaneSource, path: string, bytesMax: number): Buffer {
  const file = source.open(path);
  try {
    if (file.size > bytesMax) {
      throw new SealaneError("E_LIMIT", `${path} is ${file.size} bytes long; the limit is ${bytesMax}`, { at: path });
    }
    const bytes = Buffer.alloc(file.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = file.read(bytes.subarray(filled), filled);
      if (count === 0) throw new SealaneError("E_IO", `${path} ended early while it was read`, { at: path });
      filled += count;
    }
    return bytes;
  } finally {
    file.close();
  }
}
