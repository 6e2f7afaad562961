// A lane for other people's tools. Nothing here signs anew what the lane's signers signed, and nothing is written into a lane.
// To add a format: one file, one line here.
import { daysInMonth } from "../bytes/calendar.js";
import { SealaneError } from "../finding.js";
import type { LaneSource } from "../io/source.js";
import { type OnBytes, openSignedLane } from "../lane/lane-files.js";
import { bagit } from "./bagit.js";
import { oms } from "./oms.js";
import { roCrate } from "./ro-crate.js";
import { sha256sum } from "./sha256sum.js";
import { signatures } from "./signatures.js";
import { sigstoreBundle } from "./sigstore-bundle.js";
import { svr } from "./svr.js";
import type { ExportFormat, ExportInputs } from "./types.js";
import { vsa } from "./vsa.js";

export type { ExportFormat, ExportInputs } from "./types.js";

export const EXPORTS: readonly ExportFormat[] = [sha256sum, bagit, roCrate, oms, sigstoreBundle, signatures, vsa, svr];

export function exportOf(id: string): ExportFormat {
  const format = EXPORTS.find((candidate) => candidate.id === id);
  if (!format) {
    throw new SealaneError("E_UNKNOWN", `there is no export '${id}'`, {
      expected: EXPORTS.map((known) => known.id).join(", "),
      found: id,
    });
  }
  return format;
}

/** A day that there is and a time of it, in UTC: RFC 3339 with "Z", no leap second. */
function isUtcTime(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const days = daysInMonth(year, month);
  return day >= 1 && day <= days;
}

/** Absolute, and of printable ASCII alone. */
function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(text) && URL.canParse(text);
}

function refuseUnfit({ id, needs, takes }: ExportFormat, inputs: ExportInputs): void {
  const given = (Object.keys(inputs) as (keyof ExportInputs)[]).filter((name) => inputs[name] !== undefined);
  const missing = needs.find((name) => !given.includes(name));
  if (missing) throw new SealaneError("E_USAGE", `the export '${id}' needs --${missing}`, { at: missing });
  const idle = given.find((name) => !needs.includes(name) && !takes.includes(name));
  if (idle) throw new SealaneError("E_USAGE", `the export '${id}' has no use for --${idle}`, { at: idle });
  if (inputs.time !== undefined && !isUtcTime(inputs.time)) {
    const more = { expected: "such as 2026-01-02T15:04:05Z", found: inputs.time };
    throw new SealaneError("E_USAGE", "--time is no time in UTC", more);
  }
  for (const name of ["verifier", "resource"] as const) {
    const text = inputs[name];
    if (text !== undefined && !isUri(text)) throw new SealaneError("E_USAGE", `--${name} is no URI`, { found: text });
  }
}

export interface ExportRequest {
  readonly format: string;
  readonly inputs: ExportInputs;
  /** The last part of the lane's path. */
  readonly name: string;
  readonly out: string;
  readonly onBytes?: OnBytes;
}

/**
 * Exports a lane into a new file or folder, which must not lie in the lane. Signatures are not judged: that is for `verify`.
 *
 * Throws E_UNKNOWN for a format that is not in the list, E_USAGE for inputs that it lacks or has no use for, what
 * `openSignedLane` throws, E_SIZE and E_DIGEST where it reads content, E_EXISTS, E_IO, and what its inputs can be refused for.
 * @returns paths of what was written, relative to `out`; "" is `out` itself
 */
export async function exportLane(source: LaneSource, request: ExportRequest): Promise<readonly string[]> {
  const format = exportOf(request.format);
  refuseUnfit(format, request.inputs);
  const { inputs, name, out, onBytes = () => {} } = request;
  return format.write({ ...inputs, lane: openSignedLane(source), name, out, onBytes });
}
