import { leavesOf, TREE_NAMES, TreeBuilder } from "../../lib/manifest/trees.js";
import { gradesPath, LANE_FILES } from "../../lib/records/documents.js";
import type { Check } from "../check.js";
import { Notes } from "../outcome.js";

/** The three Merkle roots of the manifest are the roots over the lane's records. */
export const trees: Check = {
  id: "trees",
  how: "the reader, evaluator and item trees (RFC 6962) against the records",
  title: "The Merkle trees are those of the records",
  emits: ["E_TREE"],
  needs: (manifest) => [
    LANE_FILES.population,
    LANE_FILES.packets,
    LANE_FILES.requests,
    LANE_FILES.answers,
    LANE_FILES.references,
    ...manifest.protocols.endpoints.map(({ endpoint }) => gradesPath(endpoint)),
  ],
  start({ manifest, endpoints }) {
    const builder = new TreeBuilder();
    return {
      row(row) {
        builder.add(leavesOf(row, [...endpoints.keys()]));
      },
      finish() {
        if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
        const notes = new Notes();
        const computed = builder.trees();
        for (const name of TREE_NAMES) {
          const [expected, found] = [computed[name], manifest.value.trees[name]];
          notes.examined();
          notes.expect(expected.size === found.size && expected.root === found.root, () => ({
            code: "E_TREE",
            at: `${LANE_FILES.manifest}#/trees/${name}`,
            expected: `${expected.root} over ${expected.size} leaves`,
            found: `${found.root} over ${found.size} leaves`,
            message: `the ${name} tree of the manifest is not the one over the lane's records`,
          }));
        }
        return notes.outcome({ code: "E_TREE", at: LANE_FILES.manifest });
      },
    };
  },
};
