import t from "tap";
import { diffLanes, fieldDifferences, type LaneDiff } from "../../../lib/compare/diff.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import type {
  AnswerRecord,
  GradeRecord,
  Manifest,
  PacketRecord,
  PopulationRecord,
  ReaderProtocol,
} from "../../../schemas/index.js";
import { editDocument, editRecords, goodLane, type LaneFiles } from "../../support/lane.js";

async function diffAfter(edit: (files: LaneFiles) => void): Promise<LaneDiff> {
  const edited = await goodLane();
  edit(edited);
  return diffLanes(new MemorySource(await goodLane()), new MemorySource(edited));
}

const differing = (diff: LaneDiff): string[] => diff.layers.filter((layer) => !layer.equal).map((layer) => layer.layer);

t.test("a lane and itself", async (t) => {
  const diff = await diffAfter(() => {});
  t.ok(diff.identical);
  t.ok(diff.same_experiment);
  t.strictSame(differing(diff), []);
});

t.test("another answer and grade are another outcome of the same experiment", async (t) => {
  const diff = await diffAfter((files) => {
    editDocument<Manifest>(files, "manifest.json", (manifest) => {
      manifest.lane_version = 2;
    });
    editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
      answers[3]!.answer_sha256 = "0".repeat(64);
    });
    editRecords<GradeRecord>(files, "evaluator/token-f1/grades.jsonl", (grades) => {
      grades[3]!.score = 0.125;
    });
  });
  t.notOk(diff.identical);
  t.ok(diff.same_experiment);
  t.strictSame(differing(diff), ["answers", "grades token-f1"]);
  t.strictSame(diff.layers.find((layer) => layer.layer === "answers")?.questions, ["boatyard-04"]);
});

t.test("other evidence, options or questions make another experiment", async (t) => {
  const edits: [string, (files: LaneFiles) => void][] = [
    [
      "packets",
      (files) =>
        editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
          packets[0]!.evidence_sha256 = "1".repeat(64);
        }),
    ],
    [
      "reader protocol",
      (files) =>
        editDocument<ReaderProtocol>(files, "protocols/reader.json", (reader) => {
          reader.options.seed = 1;
        }),
    ],
    [
      "population",
      (files) =>
        editRecords<PopulationRecord>(files, "population.jsonl", (population) => {
          population[0]!.question += "?";
        }),
    ],
    [
      "dataset",
      (files) =>
        editDocument<Manifest>(files, "manifest.json", (manifest) => {
          manifest.dataset.sha256 = "2".repeat(64);
        }),
    ],
  ];
  for (const [layer, edit] of edits) {
    const diff = await diffAfter(edit);
    t.notOk(diff.same_experiment, layer);
    t.strictSame(differing(diff), [layer]);
  }
});

t.test("a question that one side lacks differs in every record layer", async (t) => {
  const diff = await diffAfter((files) => {
    for (const path of [
      "population.jsonl",
      "packets.jsonl",
      "requests.jsonl",
      "bodies/requests.jsonl",
      "receipts/reader.jsonl",
      "answers.jsonl",
      "evaluator/references.jsonl",
      "evaluator/token-f1/grades.jsonl",
    ]) {
      editRecords(files, path, (records) => records.slice(0, -1));
    }
  });
  for (const layer of ["population", "packets", "requests", "answers", "references", "grades token-f1"]) {
    t.strictSame(diff.layers.find((entry) => entry.layer === layer)?.questions, ["choir-12"], layer);
  }
});

t.test("fields that differ are named by their place", async (t) => {
  t.strictSame(fieldDifferences({ a: [1, { b: 2 }], c: 1 }, { a: [1, { b: 3 }], d: null }), [
    { at: "/a/1/b", a: 2, b: 3 },
    { at: "/c", a: 1, b: null },
  ]);
  t.strictSame(fieldDifferences([], {}), [{ at: "", a: [], b: {} }]);
});
