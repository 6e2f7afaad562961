import type { OnBytes, SignedLane } from "../lane/lane-files.js";
import type { KeyFile } from "../manifest/keys.js";

/** A document as the user gave it. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly at: string;
}

/** What an export may be given beside the lane. None of it comes from a clock. */
export interface ExportInputs {
  /** The key of whoever makes the statement. */
  readonly key?: KeyFile | undefined;
  /** What `sealane verify --json` printed. */
  readonly report?: GivenFile | undefined;
  /** UTC, RFC 3339. */
  readonly time?: string | undefined;
  /** The trust file that the report was made under. */
  readonly trust?: GivenFile | undefined;
  /** URI of whoever verified. */
  readonly verifier?: string | undefined;
  /** URI under which the lane is published. */
  readonly resource?: string | undefined;
}

export interface ExportTask extends ExportInputs {
  readonly lane: SignedLane;
  /** The last part of the lane's path, for formats that name what they describe. */
  readonly name: string;
  readonly out: string;
  readonly onBytes: OnBytes;
}

/** One way to hand a lane to other people's tools. */
export interface ExportFormat {
  readonly id: string;
  /** What it is, in one clause. */
  readonly summary: string;
  readonly needs: readonly (keyof ExportInputs)[];
  readonly takes: readonly (keyof ExportInputs)[];
  /** Writes `out`, a new file or folder, and returns the paths of what was written, relative to it ("" for itself). */
  write(task: ExportTask): Promise<readonly string[]>;
}
