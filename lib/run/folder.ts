// A run folder: a lane in the making. prepare writes it; each later stage adds files and checks what earlier ones wrote.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DocumentKind, Documents, Run } from "../../schemas/index.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { FolderSource, openFile } from "../io/folder-source.js";
import { hashFile } from "../io/hash.js";
import type { LaneSource, SourceEntry, SourceFile } from "../io/source.js";
import { LANE_FILES, RecordReader, readDocument, recordParser } from "../records/documents.js";

/** The rendered evidence of each packet: an intermediate of the run, not part of a lane, whose requests hold it. */
export const EVIDENCE_FILE = "bodies/evidence.jsonl";
export const RUN_FILE = "run.json";
export const LEDGER_FILE = "ledger.sqlite";

/** A line of a record file. */
export function recordLine(record: object): string {
  return `${canonicalJson(record)}\n`;
}

/** Files of a run by name. The folder is never listed, so that the reader's side works where it may not look into evaluator/. */
class NamedFiles implements LaneSource {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  entries(): readonly SourceEntry[] {
    throw new Error("named files are not listed");
  }

  open(path: string): SourceFile {
    const file = join(this.#folder, path);
    if (!existsSync(file))
      throw new SealaneError("E_RUN_CHANGED", `${path} is not there any more`, { at: file, expected: path });
    return openFile(file, path);
  }

  close(): void {}
}

export class RunFolder {
  readonly folder: string;
  readonly run: Run;
  /** Its files by name; `source` lists them all. */
  readonly files: LaneSource;

  /** Opens a run folder; throws E_MISSING, E_VERSION, or what is wrong with its run.json. */
  constructor(folder: string) {
    this.folder = folder;
    if (!existsSync(join(folder, RUN_FILE))) {
      const sealed = existsSync(join(folder, LANE_FILES.manifest));
      throw new SealaneError("E_MISSING", `${folder} is not a run folder: it has no ${RUN_FILE}`, {
        at: folder,
        next: sealed
          ? "This is a sealed lane; name the run folder it was sealed from."
          : "Make one with: sealane prepare",
      });
    }
    this.files = new NamedFiles(folder);
    this.run = readDocument(this.files, "run", RUN_FILE).value;
  }

  source(): FolderSource {
    return new FolderSource(this.folder);
  }

  path(inRun: string): string {
    return join(this.folder, inRun);
  }

  has(inRun: string): boolean {
    return existsSync(this.path(inRun));
  }

  /** Asks for files of an earlier stage; throws E_RUN_STAGE with what to run first. */
  require(paths: readonly string[], first: string): void {
    for (const path of paths) {
      if (!this.has(path)) {
        throw new SealaneError("E_RUN_STAGE", `${this.folder} has no ${path} yet`, {
          at: this.path(path),
          next: `First run: ${first}`,
        });
      }
    }
  }

  /** Records of one file, in order; the file closes itself when they are read to the end. */
  *records<K extends DocumentKind>(kind: K, path: string): Generator<Documents[K]> {
    const reader = new RecordReader(this.files, path, recordParser(kind));
    try {
      for (const { value } of reader) yield value;
    } finally {
      reader.finish();
    }
  }

  /** Holds files that prepare wrote against the digests it noted; throws E_RUN_CHANGED. */
  checkPrepared(paths: readonly string[]): void {
    for (const path of paths) {
      const noted = this.run.files.find((entry) => entry.path === path);
      const { sha256: found } = hashFile(this.files, path);
      if (found !== noted?.sha256) {
        throw new SealaneError("E_RUN_CHANGED", `${path} is not the file that prepare wrote`, {
          at: this.path(path),
          expected: noted?.sha256 ?? "no such file",
          found,
        });
      }
    }
  }
}
