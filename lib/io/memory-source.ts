import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import type { LaneSource, SourceEntry, SourceFile } from "./source.js";

/** A lane held in memory, by path. */
export class MemorySource implements LaneSource {
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
  }

  entries(): SourceEntry[] {
    return [...this.#files]
      .map(([path, bytes]) => ({ path, size: bytes.length, regular: true }))
      .sort((a, b) => byCodeUnit(a.path, b.path));
  }

  open(path: string): SourceFile {
    const bytes = this.#files.get(path);
    if (!bytes) throw new SealaneError("E_FILE_MISSING", `there is no ${path} in the lane`, { at: path });
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return {
      size: bytes.length,
      read: (into, position) => view.copy(into, 0, position, position + into.length),
      close: () => {},
    };
  }

  close(): void {}
}
