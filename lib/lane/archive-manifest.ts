// The manifest as the plan of an archive: which files stand in it, and in which order.
import type { Manifest } from "../../schemas/index.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import { pathsProblem } from "../manifest/paths.js";
import { LANE_FILES, parseDocument } from "../records/documents.js";

/** The two files that open every archive; the manifest cannot name them, as it cannot hold their digests. */
export const MANIFEST = LANE_FILES.manifest;
export const ENVELOPE = LANE_FILES.envelope;

/**
 * Reads the bytes of a manifest.json whose list of files can be laid out: sorted, each path once, every path one that
 * any file system keeps apart from the others. Throws E_UTF8, E_JSON, E_JSON_CANON, E_VERSION, E_SCHEMA, E_PATH,
 * E_LIMIT.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  const value = parseDocument("manifest", bytes, MANIFEST);
  const paths = value.files.map((file) => file.path);
  if (paths.length > LIMITS.filesMax) {
    throw new SealaneError("E_LIMIT", `${MANIFEST} names ${paths.length} files; the limit is ${LIMITS.filesMax}`, {
      at: MANIFEST,
    });
  }
  const problem = pathsProblem(paths);
  if (problem !== undefined) throw new SealaneError(problem.code, `${MANIFEST}: ${problem.why}`, { at: MANIFEST });
  return value;
}
