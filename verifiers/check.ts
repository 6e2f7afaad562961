import type { Finding, ReasonCode, SealaneError } from "../lib/finding.js";
import type { Reply } from "../lib/reader/reply.js";
import type { FileSeen, LaneRow } from "../lib/records/rows.js";
import type { Manifest } from "../schemas/index.js";
import type { ExaminedBody } from "./body.js";
import type { LaneEvidence, Policy } from "./evidence.js";
import type { Outcome } from "./outcome.js";

/** A row, and what is worked out of it once for all checks. The bytes in it are valid until the next row is shown. */
export interface ExaminedRow extends LaneRow, ExaminedBody {
  /** The raw response that the receipt keeps; undefined when it keeps none, or none that can be decoded. */
  readonly response: Uint8Array | undefined;
  readonly reply: Reply | { readonly breach: string } | undefined;
}

/** One check at work on one lane: it is shown each row in order, then asked. */
export interface Examination {
  row?(row: ExaminedRow): void;
  finish(seen: ReadonlyMap<string, FileSeen>): Outcome;
}

/**
 * One check: evidence and policy in, outcome out, nothing else looked at. It recomputes first and compares afterwards.
 */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it holds against what; the check's row in README.md, word for word. */
  readonly how: string;
  /** Reason codes it may raise; each code belongs to one check. */
  readonly emits: readonly ReasonCode[];
  /** The mode does not need it: when it cannot run, the verdict names that as a limit and stands. */
  readonly optional?: true;
  /**
   * Files without which its answer would mean nothing: when one of them is missing, changed or unreadable, the check is not run
   * and the check of files or documents says why.
   */
  needs(manifest: Manifest): readonly string[];
  start(evidence: LaneEvidence, policy: Policy): Examination;
}

/** A finding's text for a digest or value that is not there. */
export const shown = (value: string | number | null | undefined): string =>
  value === undefined || value === null ? "none" : String(value);

/** An error of reading as a finding. */
export function findingOf({ code, at, expected, found, message }: SealaneError, path: string): Finding {
  return {
    code,
    at: at ?? path,
    ...(expected === undefined ? {} : { expected }),
    ...(found === undefined ? {} : { found }),
    message,
  };
}
