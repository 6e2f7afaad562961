import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import { ioError } from "./errors.js";
import type { LaneSource, SourceEntry, SourceFile } from "./source.js";

/** A file under one name: what has a second name elsewhere (a hard link) can be changed there while it is read here. */
const isPlain = (stat: Stats): boolean => stat.isFile() && stat.nlink === 1;

/** A lane in a folder. Links are listed as what they are and never followed; each file is opened once. */
export class FolderSource implements LaneSource {
  readonly #folder: string;
  readonly #entries: SourceEntry[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    try {
      this.#list("");
    } catch (cause) {
      throw ioError(cause, folder);
    }
    this.#entries.sort((a, b) => byCodeUnit(a.path, b.path));
  }

  #list(prefix: string): void {
    const names = readdirSync(join(this.#folder, prefix));
    if (names.length === 0 && prefix !== "") {
      this.#entries.push({ path: prefix.slice(0, -1), size: 0, regular: false });
    }
    for (const name of names) {
      const path = prefix + name;
      const stat = lstatSync(join(this.#folder, path));
      if (stat.isDirectory()) {
        this.#list(`${path}/`);
      } else {
        this.#entries.push({ path, size: stat.size, regular: isPlain(stat) });
        if (this.#entries.length > LIMITS.filesMax) {
          throw new SealaneError("E_LIMIT", `the folder holds more than ${LIMITS.filesMax} files`, {
            at: this.#folder,
          });
        }
      }
    }
  }

  entries(): readonly SourceEntry[] {
    return this.#entries;
  }

  open(path: string): SourceFile {
    if (!this.#entries.some((entry) => entry.path === path && entry.regular)) {
      throw new SealaneError("E_FILE_MISSING", `there is no ${path} in the lane`, { at: path });
    }
    return openFile(join(this.#folder, path), path);
  }

  close(): void {}
}

/** Opens a regular file for positioned reads; a link or a special file put in its place since it was listed is refused. */
export function openFile(file: string, at: string): SourceFile {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) {
      closeSync(descriptor);
      throw new SealaneError("E_NOT_REGULAR", `${at} is not a regular file`, { at });
    }
    return {
      size: stat.size,
      read: (into, position) => {
        try {
          return readSync(descriptor, into, 0, into.length, position);
        } catch (cause) {
          throw ioError(cause, at);
        }
      },
      close: () => closeSync(descriptor),
    };
  } catch (cause) {
    throw ioError(cause, at);
  }
}
