import { seenOf } from "../../lib/manifest/state.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

const AT = LANE_FILES.manifest;

/** The lane goes on from the highest version that was seen of it here, or is that version. */
export const history: Check = {
  id: "history",
  how: "with `--state`: the version against the newest one seen here (E_ROLLBACK, E_FORK, E_CHAIN, E_FAST_FORWARD)",
  title: "The version is the one seen before, or the next",
  emits: ["E_ROLLBACK", "E_FORK", "E_CHAIN", "E_FAST_FORWARD"],
  needs: () => [],
  start: ({ manifest, manifestSha256 }, { state }) => ({
    finish() {
      if (!state) return { kind: "not-applicable", why: "no earlier version is remembered; see --state" };
      if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
      const { lane_id, lane_version, previous_manifest_sha256 } = manifest.value;
      const notes = new Notes();
      notes.examined();
      const seen = seenOf(state, lane_id);
      if (!seen) {
        notes.limit("Rollback was not evaluated: no version of this lane was seen here before.");
      } else if (lane_version < seen.version) {
        notes.add({
          code: "E_ROLLBACK",
          at: `${AT}#/lane_version`,
          expected: `version ${seen.version} or later`,
          found: `version ${lane_version}`,
          message: "a newer version of this lane was seen here before",
        });
      } else if (lane_version === seen.version) {
        notes.expect(manifestSha256 === seen.manifest_sha256, () => ({
          code: "E_FORK",
          at: AT,
          expected: seen.manifest_sha256,
          found: shown(manifestSha256),
          message: "another lane of this name and version was seen here before",
        }));
      } else if (lane_version === seen.version + 1) {
        notes.expect(previous_manifest_sha256 === seen.manifest_sha256, () => ({
          code: "E_CHAIN",
          at: `${AT}#/previous_manifest_sha256`,
          expected: seen.manifest_sha256,
          found: shown(previous_manifest_sha256),
          message: "the lane follows another version than the one that was seen here",
        }));
      } else {
        notes.add({
          code: "E_FAST_FORWARD",
          at: `${AT}#/lane_version`,
          expected: `version ${seen.version + 1}`,
          found: `version ${lane_version}`,
          message: "the versions in between were never seen here",
        });
      }
      return notes.outcome({ code: "E_CHAIN", at: AT });
    },
  }),
};
