// Writing so that a reader finds either the whole thing or nothing, and nothing is ever overwritten.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { SealaneError } from "../finding.js";
import { ioError } from "./errors.js";

/** As much of a name as leaves room for what is put around it: file systems take 255 bytes, of which a character is at most four. */
const NAME_CHARACTERS_MAX = 50;

function temporaryName(path: string): string {
  const name = [...basename(path)].slice(0, NAME_CHARACTERS_MAX).join("");
  return join(dirname(path), `.${name}.${randomBytes(6).toString("hex")}.partial`);
}

function exists(path: string): SealaneError {
  return new SealaneError("E_EXISTS", `${path} is there already`, { at: path });
}

/** Whether anything has that name, a dangling link included. */
function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
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

/**
 * Writes a new file, whole and on disk, or throws E_EXISTS or E_IO and leaves nothing. A mode that is its owner's alone
 * holds exactly; of any other the umask takes away what it takes away of every file.
 */
export function writeNewFile(path: string, data: Uint8Array | string, mode = 0o644): void {
  const partial = temporaryName(path);
  try {
    const descriptor = openSync(partial, "wx", mode);
    try {
      if ((mode & 0o077) === 0) fchmodSync(descriptor, mode);
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // A hard link, unlike a rename, fails when the name is taken.
    linkSync(partial, path);
    syncFolder(dirname(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw exists(path);
    throw ioError(cause, path);
  } finally {
    if (existsSync(partial)) unlinkSync(partial);
  }
}

/**
 * Makes a new folder: `fill` writes into a temporary one beside it, which takes the final name only when `fill` has
 * returned; otherwise it is removed. Throws E_EXISTS when the name is taken.
 */
export async function makeFolder<T>(path: string, fill: (folder: string) => Promise<T>, mode = 0o777): Promise<T> {
  if (isTaken(path)) throw exists(path);
  const partial = temporaryName(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(partial, mode);
    const result = await fill(partial);
    syncFolder(partial);
    renameSync(partial, path);
    syncFolder(dirname(path));
    return result;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    // The last: a folder cannot take the name of a file.
    if (code === "ENOTEMPTY" || code === "EEXIST" || (code === "ENOTDIR" && isTaken(path))) throw exists(path);
    throw ioError(cause, path);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Writes a file piece by piece; it takes its name, replacing what had it, only when `fill` has returned. */
export function replaceFileWith(path: string, fill: (write: (text: string) => void) => void): void {
  const partial = temporaryName(path);
  try {
    const writer = new FileWriter(partial);
    try {
      fill(writer.write);
    } finally {
      writer.close();
    }
    renameSync(partial, path);
    syncFolder(dirname(path));
  } catch (cause) {
    throw ioError(cause, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Writes a new file piece by piece; it takes its name only when `fill` has returned. Throws E_EXISTS when the name is taken. */
export async function makeFile(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  if (isTaken(path)) throw exists(path);
  const partial = temporaryName(path);
  try {
    const writer = new FileWriter(partial);
    try {
      await fill(writer.write);
    } finally {
      writer.close();
    }
    linkSync(partial, path);
    syncFolder(dirname(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw exists(path);
    throw ioError(cause, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Writes a new file piece by piece, in large writes; for files too long to hold in memory. Folders above it are made. */
export class FileWriter {
  readonly #descriptor: number;
  readonly #path: string;
  #pending: string[] = [];
  #pendingLength = 0;

  constructor(path: string) {
    this.#path = path;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#descriptor = openSync(path, "wx", 0o644);
    } catch (cause) {
      throw ioError(cause, path);
    }
  }

  readonly write = (data: string | Uint8Array): void => {
    if (typeof data === "string") {
      this.#pending.push(data);
      this.#pendingLength += data.length;
      if (this.#pendingLength >= 2 ** 20) this.#flush();
    } else {
      this.#flush();
      this.#writeOut(data);
    }
  };

  #flush(): void {
    if (this.#pendingLength === 0) return;
    const bytes = Buffer.from(this.#pending.join(""));
    this.#pending = [];
    this.#pendingLength = 0;
    this.#writeOut(bytes);
  }

  #writeOut(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    } catch (cause) {
      throw ioError(cause, this.#path);
    }
  }

  /** The file is on disk when this returns. */
  close(): void {
    try {
      this.#flush();
      fsyncSync(this.#descriptor);
    } catch (cause) {
      throw ioError(cause, this.#path);
    } finally {
      closeSync(this.#descriptor);
    }
  }
}
