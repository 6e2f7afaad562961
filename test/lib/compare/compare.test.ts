import fc from "fast-check";
import t from "tap";
import { compareLanes } from "../../../lib/compare/compare.js";
import { readScored, type ScoredLane } from "../../../lib/compare/scored.js";
import { SealaneError } from "../../../lib/finding.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { comparisonText } from "../../../lib/report/comparison.js";
import { type GradeRecord, isDocument, type PopulationRecord, type ReferenceRecord } from "../../../schemas/index.js";
import { editRecords, goodLane, type LaneFiles } from "../../support/lane.js";

const OPTIONS = { dataset: "Some", seed: 7n, draws: 200 };

/** Scores of one side, with the history of each. */
function lane(name: string, scores: readonly number[], histories: readonly number[]): ScoredLane {
  return {
    name,
    endpoint: "judge",
    protocolSha256: "p",
    rows: scores.map((score, index) => ({
      questionId: `q${String(index).padStart(4, "0")}`,
      historyId: `h${histories[index]}`,
      category: index % 2 === 0 ? "even" : "odd",
      score,
      graded: true,
      identity: `i${index}`,
    })),
  };
}

const compared = (a: readonly number[], b: readonly number[], histories: readonly number[], more = {}) =>
  compareLanes(lane("a", a, histories), lane("b", b, histories), { ...OPTIONS, ...more });

const testOf = (comparison: ReturnType<typeof compared>, id: string) => comparison.tests.find((test) => test.id === id);

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof SealaneError ? error.code : String(error);
  }
}

/** 500 questions of which 19 are right in the first only and 20 in the second only, in fifty histories. */
function nearlyEqual(): ReturnType<typeof compared> {
  const index = Array.from({ length: 500 }, (_, place) => place);
  const a = index.map((place) => (place < 19 || place >= 39 ? 1 : 0));
  const b = index.map((place) => (place < 19 ? 0 : 1));
  return compared(
    a,
    b,
    index.map((place) => place % 50),
    { margin: 0.03 },
  );
}

t.test("0/1 scores: outcomes, exact tests, Tango, non-inferiority", async (t) => {
  const comparison = nearlyEqual();
  t.ok(isDocument("comparison", comparison));
  t.strictSame(comparison.outcomes, { both: 461, neither: 0, first_only: 19, second_only: 20 });
  t.equal(comparison.means.difference, -0.002);
  t.equal(testOf(comparison, "mcnemar-exact")?.p, 1);
  t.equal(testOf(comparison, "wilcoxon"), undefined);
  t.equal(comparison.noninferiority?.verdict, "non-inferior");
  t.equal((100 * comparison.noninferiority!.lower!).toFixed(1), "-2.3");
  t.match(
    comparison.intervals.map(({ id, seed, draws }) => [id, seed, draws]),
    [
      ["cluster-bootstrap", "7", 200],
      ["cluster-normal", null, null],
      ["tango", null, null],
    ],
  );
});

t.test("the caption names endpoint, population, level and seed, and every method is printed", async (t) => {
  const comparison = nearlyEqual();
  for (const word of ["judge", "500 questions of Some", "50 histories", "95 %", "seed 7", "200 draws"]) {
    t.ok(comparison.caption.includes(word), word);
  }
  const text = comparisonText(comparison, 10_000);
  for (const { method } of [...comparison.tests, ...comparison.intervals]) t.ok(text.includes(method), method);
});

t.test("41 gains and 16 losses of 500, whose interval is known", async (t) => {
  const index = Array.from({ length: 500 }, (_, place) => place);
  const a = index.map((place) => (place < 41 || place >= 57 ? 1 : 0));
  const b = index.map((place) => (place < 41 ? 0 : 1));
  const histories = index.map((place) => place % 50);
  const comparison = compared(a, b, histories);
  t.match(testOf(comparison, "mcnemar-exact"), { statistic: 25, n: 57 });
  t.equal(testOf(comparison, "mcnemar-exact")?.p?.toFixed(5), "0.00126");
  const tango = comparison.intervals.find(({ id }) => id === "tango");
  t.strictSame([tango?.lower?.toFixed(6), tango?.upper?.toFixed(6)], ["0.021122", "0.080976"]);
});

t.test("sign flips go over histories, not questions", async (t) => {
  // Six gains in one history: by question 2 / 2^6, by history no evidence at all.
  const comparison = compared([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 2]);
  t.equal(testOf(comparison, "mcnemar-exact")?.p, 2 ** -5);
  t.match(testOf(comparison, "sign-flip"), { p: 1, n: 1, statistic: 6 });
});

t.test("one history: intervals over histories are undefined, not zero", async (t) => {
  const { intervals } = compared([1, 0], [0, 0], [1, 1]);
  t.match(intervals.slice(0, 2), [
    { lower: null, upper: null },
    { lower: null, upper: null },
  ]);
  t.ok(intervals[0]?.why && intervals[1]?.why);
});

t.test("scores that are not 0/1", async (t) => {
  const halves = compared([1, 0.5, 0.25, 0.75], [0, 0.5, 0.5, 0.25], [1, 2, 3, 4], { margin: 0.1 });
  t.equal(halves.binary, false);
  t.equal(halves.outcomes, null);
  t.equal(testOf(halves, "mcnemar-exact")?.p, null);
  t.match(testOf(halves, "sign-flip"), { statistic: 1.25, n: 3, p: 0.5 }, "quarters are counted exactly");
  t.match(testOf(halves, "wilcoxon"), { n: 3 });
  t.equal(halves.noninferiority?.verdict, "undefined");
  t.ok(isDocument("comparison", halves));
  const thirds = compared([1 / 3, 1], [2 / 3, 0], [1, 2]);
  t.match(testOf(thirds, "sign-flip"), { p: null });
  t.ok(testOf(thirds, "sign-flip")?.why);
  t.type(thirds.intervals[0]?.lower, "number", "the bootstrap takes any score");
  // 0.3 - 0.2 and 0.2 - 0.1 are two doubles and one difference.
  const tied = compared([0.3, 0.2, 0.9], [0.2, 0.1, 0.1], [1, 2, 3]);
  t.match(testOf(tied, "wilcoxon")?.method, /ties/);
});

t.test("nothing, and lanes that are equal", async (t) => {
  const none = compared([], [], [], { margin: 0.03 });
  t.match(none, { questions: 0, means: { first: null, difference: null }, noninferiority: { verdict: "undefined" } });
  t.ok(isDocument("comparison", none));
  const equal = compared([1, 0, 1], [1, 0, 1], [1, 2, 3]);
  t.strictSame(
    equal.tests.map(({ p }) => p),
    [1, 1],
  );
  t.equal(equal.kappa, 1);
  t.match(equal.intervals[0], { lower: 0, upper: 0 });
  for (const comparison of [none, equal]) t.ok(comparisonText(comparison, 10_000).endsWith("\n"));
});

t.test("order of rows decides nothing, and sides mirror each other", async () => {
  const cell = fc.record({ a: fc.integer({ min: 0, max: 1 }), b: fc.integer({ min: 0, max: 1 }), h: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 30 }), (cells) => {
      const [a, b, h] = [cells.map((one) => one.a), cells.map((one) => one.b), cells.map((one) => one.h)];
      const [first, second] = [lane("a", a, h), lane("b", b, h)];
      const here = compareLanes(first, second, { ...OPTIONS, draws: 20 });
      const turned = { ...first, rows: [...first.rows].reverse() };
      const same = JSON.stringify(compareLanes(turned, second, { ...OPTIONS, draws: 20 })) === JSON.stringify(here);
      const there = compareLanes(second, first, { ...OPTIONS, draws: 20 });
      const mirrored =
        there.means.difference === -here.means.difference! ||
        (there.means.difference === 0 && here.means.difference === 0);
      return same && mirrored && here.tests.every(({ p }, index) => p === there.tests[index]!.p);
    }),
    { numRuns: 60 },
  );
});

const ENDPOINT = "token-f1";

const laneIn = (files: LaneFiles): ScoredLane =>
  readScored({ source: new MemorySource(files), name: "lane", endpoints: [ENDPOINT] }, ENDPOINT);

t.test("other populations, references, protocols and endpoints are refused", async (t) => {
  const first = laneIn(await goodLane());
  const against = async (edit: (files: LaneFiles) => void): Promise<string> => {
    const files = await goodLane();
    edit(files);
    return codeOf(() => compareLanes(first, laneIn(files), OPTIONS));
  };
  t.equal(await against(() => {}), "none");
  t.equal(
    await against((files) =>
      editRecords<GradeRecord>(files, "evaluator/token-f1/grades.jsonl", (grades) => {
        grades[0]!.score = 0.125;
      }),
    ),
    "none",
    "other grades are what is compared",
  );
  t.equal(
    await against((files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (population) => {
        population[0]!.question += "?";
      }),
    ),
    "E_PAIRING",
  );
  t.equal(
    await against((files) => editRecords(files, "population.jsonl", (population) => population.slice(0, -1))),
    "E_PAIRING",
    "a question fewer",
  );
  t.equal(
    await against((files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (population) => {
        population[0]!.question_id = "another";
      }),
    ),
    "E_PAIRING",
  );
  t.equal(
    await against((files) =>
      editRecords<ReferenceRecord>(files, "evaluator/references.jsonl", (references) => {
        references[0]!.evidence = [];
      }),
    ),
    "E_PAIRING",
  );
  t.equal(await against((files) => files.set("protocols/token-f1.json", Buffer.from("{}"))), "E_PAIRING");
  t.equal(
    codeOf(() => readScored({ source: new MemorySource(new Map()), name: "x", endpoints: [] }, "judge")),
    "E_UNKNOWN",
  );
});

t.test("a question without a grade counts with nothing, and is counted", async (t) => {
  const files = await goodLane();
  editRecords(files, "evaluator/token-f1/grades.jsonl", (grades) => grades.slice(0, -1));
  const comparison = compareLanes(laneIn(files), laneIn(await goodLane()), OPTIONS);
  t.strictSame(comparison.ungraded, { first: 1, second: 0 });
});
