import t from "tap";
import { MemorySource } from "../../../lib/io/memory-source.js";
import type { LaneSource } from "../../../lib/io/source.js";
import { proveQuestion } from "../../../lib/lane/prove.js";
import { signCheckpoint } from "../../../lib/manifest/checkpoint.js";
import { parseProof } from "../../../lib/manifest/proof.js";
import { TREE_NAMES } from "../../../lib/manifest/trees.js";
import type { Manifest, PopulationRecord, TreeName } from "../../../schemas/index.js";
import { editRecords, goodLane, type LaneFiles, parsed } from "../../support/lane.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const ID = "kitchen-03";
const FILES: Readonly<Record<TreeName, readonly string[]>> = {
  reader: ["checkpoints/reader", "manifest.json", "packets.jsonl", "population.jsonl", "requests.jsonl"],
  evaluator: [
    "checkpoints/evaluator",
    "evaluator/references.jsonl",
    "evaluator/token-f1/grades.jsonl",
    "manifest.json",
    "population.jsonl",
  ],
  item: [
    "answers.jsonl",
    "checkpoints/item",
    "evaluator/references.jsonl",
    "evaluator/token-f1/grades.jsonl",
    "manifest.json",
    "packets.jsonl",
    "population.jsonl",
    "requests.jsonl",
  ],
};

/** A lane that notes which of its files were opened. */
function watched(files: LaneFiles): { source: LaneSource; opened: Set<string> } {
  const source = new MemorySource(files);
  const opened = new Set<string>();
  const open = (path: string) => {
    opened.add(path);
    return source.open(path);
  };
  return { source: { entries: () => source.entries(), open, close: () => {} }, opened };
}

const proveIn = (files: LaneFiles, tree: TreeName, id = ID) => proveQuestion(new MemorySource(files), tree, id);

t.test("a tree is proved from the files it is made of, and no other is opened", async (t) => {
  const files = await goodLane();
  for (const tree of TREE_NAMES) {
    const { source, opened } = watched(files);
    const whole = proveQuestion(source, tree, ID);
    t.strictSame([...opened].sort(), FILES[tree], tree);
    const part: LaneFiles = new Map(FILES[tree].map((path) => [path, files.get(path)!]));
    t.equal(proveIn(part, tree).proof, whole.proof, `${tree}: nothing else need be there`);
    for (const path of FILES[tree]) {
      const less = new Map(part);
      less.delete(path);
      t.equal(
        codeOf(() => proveIn(less, tree)),
        "E_FILE_MISSING",
        `${tree} without ${path}`,
      );
    }
  }
});

t.test("progress is told by the row", async (t) => {
  const told: [number, number][] = [];
  const files = await goodLane();
  const { index } = proveQuestion(new MemorySource(files), "item", ID, (done, total) => told.push([done, total]));
  t.strictSame(
    told,
    Array.from({ length: 36 }, (_, done) => [done + 1, 36]),
  );
  const { document } = parseProof(Buffer.from(proveIn(files, "item").proof), "proof");
  t.match(document.leaf, { question_id: ID, ordinal: index });
});

t.test("nothing is proved that would not hold", async (t) => {
  const refused = async (why: string, edit: (files: LaneFiles) => void, code: string, id = ID) => {
    const files = await goodLane();
    edit(files);
    t.equal(
      codeOf(() => proveIn(files, "item", id)),
      code,
      why,
    );
  };
  const edited = (path: string, edit: (records: object[]) => unknown) => (files: LaneFiles) =>
    editRecords<object>(files, path, (records) => {
      edit(records);
    });
  const setCheckpoint = (note: (manifest: Manifest) => string) => (files: LaneFiles) => {
    files.set("checkpoints/item", Buffer.from(note(parsed<Manifest>(files, "manifest.json"))));
  };
  const author = testKey("author");
  await refused("a question that there is not", () => {}, "E_UNKNOWN", "nobody-1");
  await refused(
    "a row less",
    edited("packets.jsonl", (records) => records.splice(-1)),
    "E_TREE",
  );
  await refused(
    "a row more",
    edited("population.jsonl", (records) => records.push(records[0]!)),
    "E_TREE",
  );
  await refused(
    "rows in another order",
    edited("requests.jsonl", (records) => records.reverse()),
    "E_TREE",
  );
  await refused("no rows", (files) => files.set("answers.jsonl", Buffer.alloc(0)), "E_TREE");
  await refused(
    "another question's text is not in the leaf, but its id is",
    (files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
        records[0]!.question_id = "boatyard-99";
      }),
    "E_TREE",
  );
  await refused("a record that is none", (files) => files.set("answers.jsonl", Buffer.from("{}\n")), "E_SCHEMA");
  await refused(
    "a record that is not canonical",
    (files) => files.set("packets.jsonl", Buffer.from(` ${files.get("packets.jsonl")!}`)),
    "E_JSON_CANON",
  );
  await refused(
    "the checkpoint of another tree",
    setCheckpoint((manifest) => signCheckpoint(manifest, "reader", author)),
    "E_CHECKPOINT",
  );
  await refused(
    "the checkpoint of another version",
    setCheckpoint((manifest) => signCheckpoint({ ...manifest, lane_version: 2 }, "item", author)),
    "E_CHECKPOINT",
  );
  await refused(
    "a checkpoint that is none",
    setCheckpoint(() => "checkpoint\n"),
    "E_CHECKPOINT",
  );
  await refused(
    "a checkpoint longer than any",
    setCheckpoint(() => "a".repeat(2 ** 20 + 1)),
    "E_LIMIT",
  );
});
