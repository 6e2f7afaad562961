// The pure half of `sealane why`: which rows make a number, what touches it, and where two lanes part over it.
import t from "tap";
import { readCompared } from "../../../lib/compare/diff.js";
import { partings } from "../../../lib/compare/partings.js";
import { layersOf, numberNamed, numbersIn, numberText, rowAt, rowsOf } from "../../../lib/compare/why.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import type {
  AnswerRecord,
  CheckReport,
  GradeRecord,
  PacketRecord,
  PopulationRecord,
  ReaderProtocol,
  ReferenceRecord,
  RequestRecord,
  Results,
} from "../../../schemas/index.js";
import { editDocument, editRecords, goodLane, type LaneFiles, parsed } from "../../support/lane.js";

const GRADES = "evaluator/token-f1/grades.jsonl";
const OVERALL = { endpoint: "token-f1", category: null };
const TEMPORAL = { endpoint: "token-f1", category: "temporal" };

t.test("numbers by name", async (t) => {
  const files = await goodLane();
  const known = numbersIn(new MemorySource(files));
  const declared = parsed<Results>(files, "results.json").endpoints[0]!;
  t.strictSame(known.map(numberText), [
    "token-f1",
    ...declared.by_category.map(({ category }) => `token-f1/${category}`),
  ]);
  t.strictSame(numberNamed(known, undefined), OVERALL);
  t.strictSame(numberNamed(known, "token-f1/temporal"), TEMPORAL);
  for (const name of ["", "temporal", "token-f1/", "token-f1/Temporal", "f1/temporal", "token-f1/temporal/x"])
    t.throws(() => numberNamed(known, name), { code: "E_UNKNOWN" }, name);
  files.set("results.json", Buffer.from("{}"));
  t.strictSame(numbersIn(new MemorySource(files)), known, "also where the declared totals cannot be read");
});

t.test("the rows behind a number are those that results.json counts", async (t) => {
  const files = await goodLane();
  const { overall, by_category } = parsed<Results>(files, "results.json").endpoints[0]!;
  const source = new MemorySource(files);
  t.strictSame(rowsOf(source, OVERALL).recounted, overall);
  for (const { category, ...totals } of by_category) {
    const made = rowsOf(source, { endpoint: "token-f1", category });
    t.strictSame(made.recounted, totals, category);
    t.equal(made.ids.size, totals.questions);
    t.equal(made.rows.size, totals.questions);
  }
});

t.test("zeros are told apart by how the call ended", async (t) => {
  const files = await goodLane();
  editRecords<GradeRecord>(files, GRADES, (grades) => {
    for (const [index, grade] of grades.entries()) grade.score = index < 3 ? 0 : 1;
  });
  editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
    answers[1]!.status = "failed";
    answers[20]!.status = "failed";
  });
  const { zeros, recounted } = rowsOf(new MemorySource(files), OVERALL);
  t.strictSame(zeros, [
    { status: "answered", count: 2 },
    { status: "failed", count: 1 },
  ]);
  t.equal(recounted?.score_total, 33);
});

t.test("files that cannot be read to their end are not counted", async (t) => {
  for (const path of [GRADES, "answers.jsonl", "population.jsonl"]) {
    const gone = await goodLane();
    gone.delete(path);
    t.equal(rowsOf(new MemorySource(gone), OVERALL).recounted, null, path);
    const cut = await goodLane();
    cut.set(path, cut.get(path)!.subarray(0, 300));
    t.equal(rowsOf(new MemorySource(cut), OVERALL).recounted, null, path);
  }
});

t.test("the row that a place lies in", async (t) => {
  t.equal(rowAt("answers.jsonl:1"), 0);
  t.equal(rowAt("evaluator/token-f1/grades.jsonl:36"), 35);
  for (const at of [
    "answers.jsonl",
    "turns.jsonl:3",
    "amendments.jsonl:1",
    "results.json#/questions",
    "answers.jsonl:0",
  ])
    t.equal(rowAt(at), undefined, at);
});

interface Given {
  readonly code: string;
  readonly at: string;
  readonly question_id?: string;
}
const failed = (id: string, given: Given, total = 1): CheckReport => ({
  id,
  title: id,
  outcome: "failed",
  examined: 1,
  findings_total: total,
  findings: [{ message: "wrong", ...given }],
});

t.test("a layer fails by findings that touch the number, and by no others", async (t) => {
  const made = { ids: new Set(["a", "b"]), rows: new Set([0, 1]), recounted: null, zeros: [] };
  const outcome = (layer: string, ...checks: CheckReport[]) =>
    layersOf(checks, TEMPORAL, made, undefined).find((entry) => entry.layer === layer)!;
  const answers = (given: Partial<Given>, total?: number) =>
    outcome("answers", failed("answers", { code: "E_ANSWER", at: "answers.jsonl", ...given }, total));
  t.match(answers({ question_id: "a" }), {
    outcome: "fails",
    questions: ["a"],
    codes: ["E_ANSWER"],
    findings_total: 1,
  });
  t.equal(answers({}).outcome, "fails", "one that is of no question touches all");
  t.equal(answers({ question_id: "c", at: "answers.jsonl:9" }).outcome, "holds", "another category's question");
  t.equal(
    answers({ question_id: "c", at: "answers.jsonl:2" }).outcome,
    "fails",
    "whose record stands in this number's row",
  );
  t.equal(answers({ question_id: "c", at: "answers.jsonl:9" }, 101).outcome, "not-judged", "not all are listed");
  const grade = (endpoint: string) =>
    outcome(
      "grades",
      failed("grades", { code: "E_GRADE", at: `evaluator/${endpoint}/grades.jsonl:1`, question_id: "a" }),
    );
  t.equal(grade("token-f1").outcome, "fails");
  t.equal(grade("other").outcome, "holds");
  const file = (code: string, at: string) => outcome("files", failed("files", { code, at })).outcome;
  t.strictSame(
    [
      file("E_DIGEST", "answers.jsonl"),
      file("E_DIGEST", "amendments.jsonl"),
      file("E_DIGEST", "checkpoints/item"),
      file("E_FILE_EXTRA", "x"),
    ],
    ["fails", "holds", "holds", "holds"],
  );
  const gone: CheckReport = { id: "dataset", title: "", outcome: "not-run", why: "no dataset" };
  t.equal(outcome("dataset", gone).outcome, "not-asked");
  t.equal(outcome("packets", { ...gone, id: "tokens" }).outcome, "not-judged");
  const results = failed("results", { code: "E_ARITH", at: "results.json#/evidence_tokens/min" });
  t.equal(outcome("results", results).outcome, "holds", "another figure than the number's");
  const apart = layersOf([results], TEMPORAL, made, "results.json: apart")[0];
  t.match(apart, { layer: "results", outcome: "fails", codes: ["E_ARITH"], why: "results.json: apart" });
});

async function partedBy(
  edit: (files: LaneFiles) => void,
  number: { endpoint: string; category: string | null } = OVERALL,
) {
  const files = await goodLane();
  edit(files);
  const [mine, theirs] = [readCompared(new MemorySource(files)), readCompared(new MemorySource(await goodLane()))];
  return partings(mine, theirs, number);
}
const grade = (files: LaneFiles, scores: Record<number, number>): void =>
  editRecords<GradeRecord>(files, GRADES, (grades) => {
    for (const [index, score] of Object.entries(scores)) grades[Number(index)]!.score = score;
  });

t.test("a lane and itself part nowhere", async (t) => {
  t.strictSame(await partedBy(() => {}), {
    same_experiment: true,
    documents: [],
    only_here: 0,
    only_there: 0,
    same_score: 36,
    score_difference: 0,
    causes: [],
  });
});

t.test("each changed grade is put to the furthest upstream layer that differs", async (t) => {
  const parted = await partedBy((files) => {
    const zero = "0".repeat(64);
    grade(files, { 0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 });
    editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
      records[0]!.question += "?";
    });
    editRecords<ReferenceRecord>(files, "evaluator/references.jsonl", (records) => {
      records[1]!.reference = "x";
    });
    editRecords<PacketRecord>(files, "packets.jsonl", (records) => {
      for (const index of [0, 2, 30]) records[index]!.evidence_sha256 = zero;
    });
    editRecords<RequestRecord>(files, "requests.jsonl", (records) => {
      for (const index of [0, 2, 3]) records[index]!.body_sha256 = zero;
    });
    editRecords<AnswerRecord>(files, "answers.jsonl", (records) => {
      for (const index of [0, 1, 2, 3, 4, 31]) records[index]!.answer_sha256 = zero;
    });
    editDocument<ReaderProtocol>(files, "protocols/reader.json", (reader) => {
      reader.options.seed = 1;
    });
  });
  t.strictSame(
    parted.causes.map(({ layer, questions, higher, lower }) => [layer, questions, higher, lower]),
    [
      ["question", ["boatyard-01"], 1, 0],
      ["references", ["boatyard-02"], 1, 0],
      ["packets", ["boatyard-03"], 1, 0],
      ["requests", ["boatyard-04"], 1, 0],
      ["answers", ["boatyard-05"], 1, 0],
      ["grades token-f1", ["boatyard-06"], 1, 0],
    ],
    "and what differs without another grade is no cause",
  );
  t.equal(parted.same_score, 30);
  t.notOk(parted.same_experiment);
  t.strictSame(parted.documents, ["reader protocol"]);
  const together = parted.causes.reduce((sum, cause) => sum + cause.score_difference, 0);
  t.ok(Math.abs(together - parted.score_difference) < 1e-12, "causes add up to the difference");
});

t.test("questions that one side lacks count, and do not shift the causes of the others", async (t) => {
  const dropFirst = (files: LaneFiles): void => {
    for (const path of [...files.keys()].filter((name) => /jsonl$/.test(name) && !/turns|amendments/.test(name)))
      editRecords(files, path, (records) => records.slice(1));
    editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
      for (const [index, record] of records.entries()) record.ordinal = index;
    });
  };
  const parted = await partedBy((files) => {
    dropFirst(files);
    grade(files, { 0: 1 });
  });
  t.match(parted, { only_here: 0, only_there: 1, same_score: 34 });
  t.strictSame(
    parted.causes.map(({ layer, questions }) => [layer, questions]),
    [["grades token-f1", ["boatyard-02"]]],
  );
});

t.test("of a category, its questions alone", async (t) => {
  const temporal = [...rowsOf(new MemorySource(await goodLane()), TEMPORAL).rows];
  const parted = await partedBy((files) => grade(files, { [temporal[0]!]: 0.5, [temporal[1]!]: 0.25 }), TEMPORAL);
  t.equal(parted.score_difference, 0.75);
  t.equal(parted.same_score, temporal.length - 2);
  const other = await partedBy((files) => grade(files, { [temporal[0]!]: 0.5 }), {
    endpoint: "token-f1",
    category: "multi-hop",
  });
  t.strictSame([other.score_difference, other.causes], [0, []]);
});
