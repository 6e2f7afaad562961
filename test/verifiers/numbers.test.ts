// What findings leave of a published number: known ranges, and the property that whatever stood in the rows in doubt, the true
// number lies in the range.
import fc from "fast-check";
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { AnswerRecord, CheckReport, GradeRecord, PacketRecord, Report, Results } from "../../schemas/index.js";
import { isDocument } from "../../schemas/index.js";
import { doubtOf, withNumbers } from "../../verifiers/numbers.js";
import {
  authorTrust,
  editDocument,
  editRecords,
  goodLane,
  harbourBytes,
  type LaneFiles,
  parsed,
  reseal,
  verifyFiles,
} from "../support/lane.js";

const GRADES = "evaluator/token-f1/grades.jsonl";
type Numbers = NonNullable<Report["numbers"]>;

async function numbersAfter(fault: (files: LaneFiles) => void): Promise<Numbers> {
  const files = await goodLane();
  fault(files);
  const report = withNumbers(verifyFiles(files, authorTrust(), harbourBytes()), new MemorySource(files));
  t.ok(isDocument("report", report));
  return report.numbers ?? [];
}
const overallOf = (numbers: Numbers): Numbers[number] => numbers.find(({ category }) => category === null)!;
const scoresOf = (files: LaneFiles): GradeRecord[] => {
  let records: GradeRecord[] = [];
  editRecords<GradeRecord>(files, GRADES, (grades) => {
    records = grades.map((grade) => ({ ...grade }));
  });
  return records;
};

function flip(files: LaneFiles, path: string, at: number): void {
  const bytes = files.get(path)!;
  bytes[at] = bytes[at]! ^ 1;
}

t.test("a lane without fault has no such numbers", async (t) => {
  t.strictSame(await numbersAfter(() => {}), []);
});

t.test("a number is bounded by its rows in doubt, counted once as wrong and once as right", async (t) => {
  const good = await goodLane();
  const scores = scoresOf(good).map(({ score }) => score);
  const numbers = await numbersAfter((files) => {
    editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
      const [a, b] = [answers[3]!, answers[4]!];
      [a.answer, b.answer] = [b.answer!, a.answer!];
    });
    reseal(files);
  });
  const rest = scores.reduce((sum, score, index) => (index === 3 || index === 4 ? sum : sum + score), 0);
  const { low, high, doubtful, missing, questions, published, recounted, unbounded_by } = overallOf(numbers);
  t.strictSame([doubtful, missing, questions, unbounded_by], [2, 0, 36, null]);
  t.equal(published, recounted);
  t.ok(Math.abs(low! - rest / 36) < 1e-12);
  t.ok(Math.abs(high! - (rest + 2) / 36) < 1e-12);
  const inDoubt = numbers.filter(({ category, doubtful: count }) => category !== null && count > 0);
  t.equal(
    inDoubt.reduce((sum, { doubtful: count }) => sum + count, 0),
    2,
    "by category as well",
  );
  for (const { category, doubtful: count, low: least, high: most, recounted: mean } of numbers)
    if (category !== null && count === 0) t.strictSame([least, most], [mean, mean], `${category} stands`);
});

t.test("a declared total that is not the one of the rows leaves the rows as they are", async (t) => {
  const good = parsed<Results>(await goodLane(), "results.json").endpoints[0]!.overall.score_mean!;
  const number = overallOf(
    await numbersAfter((files) => {
      editDocument<Results>(files, "results.json", (results) => {
        results.endpoints[0]!.overall.score_mean = 0.75;
      });
      reseal(files);
    }),
  );
  t.match(number, { published: 0.75, recounted: good, doubtful: 0, low: good, high: good, unbounded_by: null });
});

t.test("what is wrong beyond single questions takes every bound away, and is named", async (t) => {
  const cases: [string, (files: LaneFiles) => void, RegExp | null][] = [
    ["a byte of the answers", (files) => flip(files, "answers.jsonl", 70), /answers\.jsonl/],
    ["no grades", (files) => void files.delete(GRADES), /grades\.jsonl/],
    ["a byte of the signature", (files) => flip(files, "manifest.dsse.json", 200), /./],
    ["a file more", (files) => void files.set("notes.txt", Buffer.from("x")), null],
    [
      "a byte of the amendments",
      (files) => void files.set("amendments.jsonl", Buffer.from("{}\n")),
      /amendments\.jsonl/,
    ],
    ["a byte of a checkpoint", (files) => flip(files, "checkpoints/item", 3), null],
  ];
  for (const [why, fault, by] of cases) {
    const number = overallOf(await numbersAfter(fault));
    if (by) t.match(number.unbounded_by, by, why);
    t.equal(number.low === null, by !== null, why);
    t.equal(number.high === null, by !== null, why);
  }
});

t.test("rows that cannot be counted to their end are not counted", async (t) => {
  const number = overallOf(await numbersAfter((files) => files.delete(GRADES)));
  t.equal(number.recounted, null);
  t.type(number.published, "number");
});

const finding = (code: string, more: object = {}) => ({ code, at: "population.jsonl", message: "x", ...more });
const failed = (id: string, ...findings: ReturnType<typeof finding>[]): CheckReport => ({
  id,
  title: id,
  outcome: "failed",
  examined: 1,
  findings_total: findings.length,
  findings: findings as Extract<CheckReport, { outcome: "failed" }>["findings"],
});
const doubt = (...checks: CheckReport[]) => doubtOf({ checks }, "a", ["a", "b"]);

t.test("missing questions are counted from what the population's findings say", async (t) => {
  const gone = finding("E_POPULATION", { expected: "40", found: "36" });
  const ids = finding("E_POPULATION", { expected: "0".repeat(64), found: "1".repeat(64) });
  t.match(doubt(failed("population", gone)), { missing: 4, unboundedBy: undefined });
  t.type(doubt(failed("population", gone, ids)).unboundedBy, "string", "which ids are others is not known");
  const dataset: CheckReport = { id: "dataset", title: "", outcome: "passed", examined: 1 };
  t.match(
    doubt(dataset, failed("population", gone, ids)),
    { missing: 4, unboundedBy: undefined },
    "held to the dataset",
  );
  const more = finding("E_POPULATION", { expected: "36", found: "40" });
  t.equal(doubt(dataset, failed("population", more)).missing, 0);
});

/** What a lane without fault would be left with under a report of these checks. */
async function left(...checks: CheckReport[]): Promise<Numbers[number]> {
  const files = await goodLane();
  return overallOf(withNumbers({ ...verifyFiles(files), checks }, new MemorySource(files)).numbers ?? []);
}

t.test("a finding puts the question it names and the row it stands in in doubt", async (t) => {
  const finds = (at: string) => left(failed("answers", finding("E_ANSWER", { at, question_id: "boatyard-04" })));
  t.equal((await finds("answers.jsonl:4")).doubtful, 1);
  t.equal((await finds("answers.jsonl")).doubtful, 1);
  t.equal((await finds("answers.jsonl:6")).doubtful, 2, "the record of another question stands in this row");
});

t.test("missing questions widen the range at both ends", async (t) => {
  const good = parsed<Results>(await goodLane(), "results.json").endpoints[0]!.overall.score_total;
  const { low, high, missing, doubtful, recounted } = await left(
    failed("population", finding("E_POPULATION", { expected: "40", found: "36" })),
  );
  t.strictSame([missing, doubtful], [4, 0]);
  t.equal(recounted, good / 36, "the rows as they stand");
  t.ok(Math.abs(low! - good / 40) < 1e-12, "all four wrong");
  t.ok(Math.abs(high! - (good + 4) / 40) < 1e-12, "all four right");
});

t.test("findings about another endpoint, about policy and about commitments touch no row", async (t) => {
  const other = finding("E_GRADE", { at: "evaluator/b/grades.jsonl:3", question_id: "q" });
  const own = finding("E_GRADE", { at: "evaluator/a/grades.jsonl:3", question_id: "q" });
  t.equal(doubt(failed("grades", other)).questions.size, 0);
  t.strictSame([...doubt(failed("grades", other, own)).questions], ["q"]);
  t.equal(doubt(failed("signatures", finding("E_UNTRUSTED_KEY"))).unboundedBy, undefined);
  t.type(doubt(failed("signatures", finding("E_SIG"))).unboundedBy, "string");
  t.equal(doubt(failed("trees", finding("E_TREE"))).unboundedBy, undefined);
  t.type(doubt(failed("some-new-check", finding("E_GRADE", { at: "x" }))).unboundedBy, "string");
});

t.test("questions beyond the findings that are listed are not known", async (t) => {
  const one = failed("grades", finding("E_GRADE", { at: "evaluator/a/grades.jsonl:3", question_id: "q" }));
  t.type(doubt({ ...one, findings_total: 101 } as CheckReport).unboundedBy, "string");
  t.type(doubt({ id: "tokens", title: "", outcome: "not-run", why: "no tokenizer" }).unboundedBy, "string");
  t.equal(doubt({ id: "dataset", title: "", outcome: "not-run", why: "not given" }).unboundedBy, undefined);
});

t.test("whatever the rows in doubt should have said, the number lies in the range", async (t) => {
  const good = await goodLane();
  const grades = scoresOf(good);
  const truth = grades.map(({ score }) => score);
  const rows = fc.uniqueArray(fc.record({ at: fc.nat(35), was: fc.double({ min: 0, max: 1, noNaN: true }) }), {
    selector: ({ at }) => at,
    maxLength: 20,
    minLength: 1,
  });
  const holds = fc.assert(
    fc.asyncProperty(rows, async (faults) => {
      const numbers = await numbersAfter((files) => {
        editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
          for (const { at } of faults) packets[at]!.tokens += 1;
        });
        reseal(files);
      });
      const { low, high, doubtful } = overallOf(numbers);
      const was = new Map(faults.map(({ at, was: score }) => [at, score]));
      const number = truth.reduce((sum, score, index) => sum + (was.get(index) ?? score), 0) / 36;
      return doubtful === faults.length && low! <= number + 1e-12 && number - 1e-12 <= high!;
    }),
    { numRuns: 15 },
  );
  await t.resolves(holds);
});
