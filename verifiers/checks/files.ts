import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Every file is the one that was sealed, and nothing else stands in the lane. */
export const files: Check = {
  id: "files",
  how: "every file against size and SHA-256 in the manifest; nothing unlisted, no links",
  title: "Every file is the one sealed, and none is there unlisted",
  emits: ["E_DIGEST", "E_SIZE", "E_FILE_MISSING", "E_FILE_EXTRA", "E_NOT_REGULAR", "E_MANIFEST_MISSING"],
  needs: () => [],
  start: ({ entries, manifest, manifestSha256, statement }) => ({
    finish(seen) {
      const notes = new Notes();
      const signedSha256 = statement.ok ? statement.value.subject[0]?.digest.sha256 : undefined;
      const there = new Map(entries.map((entry) => [entry.path, entry]));
      if (!there.has(LANE_FILES.manifest)) {
        notes.add({ code: "E_MANIFEST_MISSING", at: LANE_FILES.manifest, message: "there is no manifest.json" });
      } else if (signedSha256 !== undefined) {
        notes.examined();
        notes.expect(manifestSha256 === signedSha256, () => ({
          code: "E_DIGEST",
          at: LANE_FILES.manifest,
          expected: signedSha256,
          found: shown(manifestSha256),
          message: "the manifest is not the one that was signed",
        }));
      }
      for (const entry of entries) {
        notes.expect(entry.regular, () => ({
          code: "E_NOT_REGULAR",
          at: entry.path,
          message: "this is a link, an empty folder or a special file; a lane holds regular files only",
        }));
      }
      if (manifest.ok) {
        const listed = new Set<string>([LANE_FILES.manifest, LANE_FILES.envelope]);
        for (const { path, size, sha256 } of manifest.value.files) {
          notes.examined();
          listed.add(path);
          const found = seen.get(path);
          if (!there.get(path)?.regular) {
            notes.add({
              code: "E_FILE_MISSING",
              at: path,
              message: "the manifest names this file, but it is not there",
            });
          } else if (found && found.bytes >= 0 && found.bytes !== size) {
            notes.add({
              code: "E_SIZE",
              at: path,
              expected: `${size} bytes`,
              found: `${found.bytes} bytes`,
              message: "the file is not as long as the one sealed",
            });
          } else if (found?.sha256 !== sha256) {
            notes.add({
              code: "E_DIGEST",
              at: path,
              expected: sha256,
              found: shown(found?.sha256),
              message: "the file is not the one sealed",
            });
          }
        }
        for (const { path, regular } of entries) {
          notes.expect(!regular || listed.has(path), () => ({
            code: "E_FILE_EXTRA",
            at: path,
            message: "this file stands in the lane, but the manifest does not name it",
          }));
        }
      }
      return notes.outcome({ code: "E_MANIFEST_MISSING", at: LANE_FILES.manifest });
    },
  }),
};
