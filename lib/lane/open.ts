// A lane or a run under whatever name the user gives it.
import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import { FolderSource } from "../io/folder-source.js";
import type { LaneSource } from "../io/source.js";
import { ENDPOINTS } from "../judge/index.js";
import { gradesPath, LANE_FILES, readDocument } from "../records/documents.js";
import { LaneRows, type RowForm, rowFormOf } from "../records/rows.js";
import { RUN_FILE, RunFolder } from "../run/folder.js";
import { openArchive } from "./archive-source.js";
import { ResultsBuilder } from "./results.js";

/** Opens a lane's folder or archive. Throws E_MISSING, E_FORMAT, and for an archive whatever does not hold together in it. */
export async function openLane(path: string): Promise<LaneSource> {
  if (!existsSync(path)) throw new SealaneError("E_MISSING", `${path}: there is no such file or folder`, { at: path });
  const named = statSync(path);
  if (named.isDirectory()) return new FolderSource(path);
  // A device or a pipe is no lane that was tampered with, and no lane at all.
  if (!named.isFile()) throw new SealaneError("E_FORMAT", `${path} is neither a folder nor a file`, { at: path });
  // The user may name his archive by a link; inside a lane none is followed.
  return openArchive(realpathSync(path));
}

export interface OpenedRecords {
  readonly source: LaneSource;
  /** The lane's id, or the run's path. */
  readonly name: string;
  readonly endpoints: readonly string[];
  /** How the rows of a detached lane are read; without it they are a whole one's. */
  readonly form?: RowForm;
}

/** Opens a lane or a run for reading its records; says nothing of whether they hold together. */
export async function openRecords(path: string): Promise<OpenedRecords> {
  if (existsSync(join(path, RUN_FILE))) {
    const run = new RunFolder(path);
    const endpoints = ENDPOINTS.map((endpoint) => endpoint.id).filter((id) => run.has(gradesPath(id)));
    return { source: run.source(), name: path, endpoints };
  }
  const source = await openLane(path);
  const { value: manifest } = readDocument(source, "manifest", LANE_FILES.manifest);
  const endpoints = manifest.protocols.endpoints.map((entry) => entry.endpoint);
  return { source, name: manifest.lane_id, endpoints, ...(manifest.detached ? { form: rowFormOf(manifest) } : {}) };
}

/** Totals counted from the rows, whatever a lane declares. Throws at a record that cannot be read. */
export function countResults({ source, endpoints, form }: OpenedRecords): Results {
  const builder = new ResultsBuilder(endpoints);
  const rows = new LaneRows(source, endpoints, undefined, form);
  for (const { question, packet, answer, grades } of rows) {
    if (!question) continue;
    const scores = new Map([...grades].map(([endpoint, grade]) => [endpoint, grade.value]));
    builder.add(question.value, packet?.value, answer?.value.status ?? "failed", scores);
  }
  for (const { error } of rows.seen) if (error) throw error;
  return builder.results();
}
