// A failed report as a stranger reads it: which question, which document, what was expected and found, what is left of the
// number; within the columns there are, and the same words with colour and without.
import t from "tap";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { numberSentence, percentsApart, standingOf } from "../../../lib/report/numbers.js";
import { type Marks, reportText } from "../../../lib/report/text.js";
import { contrasted } from "../../../lib/report/values.js";
import type { AnswerRecord, CheckReport, GradeRecord, Report, Results } from "../../../schemas/index.js";
import { withNumbers } from "../../../verifiers/numbers.js";
import { editDocument, editRecords, goodLane, type LaneFiles, reseal, verifyFiles } from "../../support/lane.js";

const plain = (text: string): string => text;
const PLAIN: Marks = { good: plain, bad: plain, warn: plain, dim: plain, strong: plain };
const mark = (code: number) => (text: string) => (text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`);
const COLOUR: Marks = { good: mark(32), bad: mark(31), warn: mark(33), dim: mark(2), strong: mark(1) };

async function reportAfter(fault: (files: LaneFiles) => void): Promise<Report> {
  const files = await goodLane();
  fault(files);
  return withNumbers(verifyFiles(files), new MemorySource(files));
}

const swapped = (files: LaneFiles): void => {
  editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
    const [a, b] = [answers[3]!, answers[4]!];
    [a.answer, b.answer] = [b.answer!, a.answer!];
  });
  reseal(files);
};
const regraded = (files: LaneFiles): void => {
  editRecords<GradeRecord>(files, "evaluator/token-f1/grades.jsonl", (grades) => {
    for (const index of [1, 5, 9, 12, 20]) grades[index]!.score = grades[index]!.score === 1 ? 0.5 : 1;
  });
  reseal(files);
};
const total = (files: LaneFiles): void => {
  editDocument<Results>(files, "results.json", (results) => {
    results.endpoints[0]!.overall.score_mean = 0.75;
  });
  reseal(files);
};

t.test("fits its columns, and colour changes no word", async (t) => {
  const faults = [() => {}, swapped, regraded, total, (files: LaneFiles) => files.delete("answers.jsonl")];
  for (const [index, fault] of faults.entries()) {
    const report = await reportAfter(fault);
    const text = reportText(report, PLAIN, 80);
    t.strictSame(
      text.split("\n").filter((line) => [...line].length > 80),
      [],
      `fault ${index}`,
    );
    t.notMatch(text, / $/m, "no blanks at the end of a line");
    const coloured = reportText(report, COLOUR, 80);
    t.match(coloured, /\u001b\[3[12]m/);
    t.equal(coloured.replace(/\u001b\[\d+m/g, "").replace(/ +$/gm, ""), text.replace(/ +$/gm, ""), `fault ${index}`);
  }
});

t.test("names document, line, question, both values and the number's range", async (t) => {
  const text = reportText(await reportAfter(swapped), PLAIN, 80);
  t.match(text, "answers.jsonl:4, question boatyard-04");
  t.match(text, /^ {6}expected I was not asked/m);
  t.match(text, /^ {6}found {4}I pulled the keel bolts/m);
  t.match(text, /^NUMBERS .*token-f1/m);
  t.match(text, /2 of 36/);
  t.match(text, /^ {2}token-f1 +3\.70 +3\.70 +36 +2 +3\.70 to 9\.26$/m);
});

t.test("findings of one kind are counted, and the first three shown", async (t) => {
  const text = reportText(await reportAfter(regraded), PLAIN, 80);
  t.match(text, /\(5 times\)/);
  t.equal(text.match(/^ {4}- evaluator\/token-f1\/grades\.jsonl:\d+, question /gm)?.length, 3);
  t.match(text, /and 2 more/);
  t.match(text, /^ {6}expected score /m, "of two grades, the field that differs alone");
});

t.test("a published number that the rows do not give", async (t) => {
  const text = reportText(await reportAfter(total), PLAIN, 80);
  t.match(text, /^NUMBERS .*75\.00 %.*3\.70 %/m);
});

t.test("a report in which every number stands has no table of them", async (t) => {
  const extra = await reportAfter((files) => files.set("x", Buffer.from("x")));
  t.equal(extra.exit_code, 1);
  t.notMatch(reportText(extra, PLAIN, 80), "lies in");
});

t.test("text of a lane cannot command the terminal", async (t) => {
  const hostile = "\u001b[2J\u202e\u0007x\ny".repeat(40);
  const check: CheckReport = {
    id: "x",
    title: "x",
    outcome: "failed",
    examined: 1,
    findings_total: 1,
    findings: [{ code: "E_ANSWER", at: hostile, message: hostile, expected: hostile, found: `${hostile}z` }],
  };
  const report = { ...(await reportAfter(() => {})), checks: [check] };
  t.notMatch(reportText(report, PLAIN, 80), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

t.test("two values, shown where they part", async (t) => {
  t.strictSame(contrasted({ expected: "1", found: "2" }), { expected: "1", found: "2" });
  t.strictSame(contrasted({ expected: undefined, found: "2" }), { expected: undefined, found: "2" });
  t.strictSame(contrasted({ expected: '{"a":1,"b":"x","c":[1]}', found: '{"a":1,"b":"y","d":null}' }), {
    expected: "b x, c [1], d none",
    found: "b y, c none, d null",
  });
  t.equal(contrasted({ expected: '{"a_sha256":"1","z":1}', found: '{"a_sha256":"2","z":2}' }).found, "z 2, a_sha256 2");
  t.strictSame(contrasted({ expected: "{no object", found: '{"a":1}' }), { expected: "{no object", found: '{"a":1}' });
  const same = "a".repeat(500);
  const { expected, found } = contrasted({ expected: `${same}b${same}`, found: `${same}c${same}` });
  t.match(expected, /^\[476 the same\] a{24}ba+ \[365 more\]$/);
  t.match(found, /^\[476 the same\] a{24}ca+ \[365 more\]$/);
  const shorter = contrasted({ expected: same, found: same.slice(1) });
  t.not(shorter.expected, shorter.found, "also where one is the start of the other");
});

t.test("percentages keep digits enough to tell two numbers apart", async (t) => {
  t.strictSame(percentsApart(0.5, 0.5), ["50.00", "50.00"]);
  t.strictSame(percentsApart(0.5, 0.500001), ["50.0000", "50.0001"]);
  t.strictSame(percentsApart(1 / 3, 2 / 3), ["33.33", "66.67"]);
});

t.test("a number in words", async (t) => {
  const number = {
    endpoint: "judge",
    category: null,
    questions: 500,
    published: 0.926,
    recounted: 0.924,
    doubtful: 0,
    missing: 0,
    low: 0.924,
    high: 0.924,
    unbounded_by: null,
  };
  t.equal(standingOf(number), "lost");
  t.equal(standingOf({ ...number, recounted: 0.926 }), "stands");
  t.equal(standingOf({ ...number, recounted: 0.926, missing: 1 }), "range");
  t.equal(standingOf({ ...number, recounted: 0.926, low: null, high: null }), "lost");
  t.equal(standingOf({ ...number, recounted: null }), "lost");
  const words = numberSentence({ ...number, doubtful: 2, missing: 1, low: 0.9, high: 0.95 });
  for (const part of ["92.60 %", "92.40 %", "2 of 500 questions are", "1 question is missing", "90.00 %", "95.00 %"])
    t.match(words, part);
  t.match(numberSentence({ ...number, doubtful: 1 }), "1 of 500 questions is");
  t.match(numberSentence({ ...number, low: null, high: null, unbounded_by: "E_DIGEST at x" }), "E_DIGEST at x");
});
