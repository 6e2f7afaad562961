import { byCodeUnit } from "../../lib/bytes/order.js";
import { pathsProblem } from "../../lib/manifest/paths.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { FileSeen } from "../../lib/records/rows.js";
import { type Check, findingOf } from "../check.js";
import { Notes } from "../outcome.js";

/** Every document is canonical, of its schema and of a version known here; the manifest's paths are in order and unlike. */
export const documents: Check = {
  id: "documents",
  how: "every byte against canonical JSON (RFC 8785) and the schemas",
  title: "Every document is canonical and of its schema",
  emits: ["E_UTF8", "E_JSON", "E_JSON_CANON", "E_SCHEMA", "E_VERSION", "E_LIMIT", "E_PATH", "E_IO"],
  needs: () => [],
  start: ({ manifest, statement, manifestSha256 }) => ({
    finish(seen) {
      const notes = new Notes();
      const sealed = new Map(manifest.ok ? manifest.value.files.map((file) => [file.path, file.sha256]) : []);
      if (statement.ok) sealed.set(LANE_FILES.manifest, statement.value.subject[0]?.digest.sha256 ?? "");
      for (const file of [...seen.values()].sort((a, b) => byCodeUnit(a.path, b.path))) {
        notes.examined();
        // A file that was changed after sealing says nothing about the author's documents; the check of files names it.
        const changed = sealed.has(file.path) && sealed.get(file.path) !== file.sha256;
        if (file.error && !changed && isAboutContent(file)) notes.add(findingOf(file.error, file.path));
      }
      const manifestChanged = statement.ok && statement.value.subject[0]?.digest.sha256 !== manifestSha256;
      if (manifest.ok && !manifestChanged) {
        const problem = pathsProblem(manifest.value.files.map((file) => file.path));
        if (problem !== undefined) notes.add({ code: "E_PATH", at: LANE_FILES.manifest, message: problem });
      }
      return notes.outcome({ code: "E_SCHEMA", at: LANE_FILES.manifest });
    },
  }),
};

/** Envelope base64 belongs to the signature check. */
function isAboutContent(file: FileSeen): boolean {
  return file.error?.code !== "E_BASE64";
}
