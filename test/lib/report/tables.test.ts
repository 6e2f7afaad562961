import t from "tap";
import { TABLE_FORMATS } from "../../../lib/report/table-formats.js";
import { lanesTables, type PrintedTable, scoreTables, type TabulatedLane } from "../../../lib/report/tables.js";
import type { Results, Retrieval } from "../../../schemas/index.js";

const POPULATION = "a".repeat(64);
const PROTOCOL = "b".repeat(64);

const totals = (questions: number, score_total: number) => ({
  questions,
  score_total,
  score_mean: questions === 0 ? null : score_total / questions,
});

function lane(name: string, measured: Partial<TabulatedLane["measured"]> = {}, endpoint = "judge"): TabulatedLane {
  const recall = { any: 0.5, all: 0.25, fraction: 1 / 3 };
  const row = {
    category: null,
    questions: 4,
    labelled: 3,
    labelled_sessions: 2,
    turn: recall,
    session: recall,
    evidence_tokens: { mean: 10.25, median: 9.5, max: 20 },
    history_share: null,
  };
  const results: Results = {
    schema: "sealane-results/1",
    questions: 4,
    answers: { answered: 3, empty: 0, "output-limit": 0, interrupted: 0, failed: 1 },
    evidence_tokens: { total: 41, min: 1, max: 20, mean: 10.25, median: 9.5 },
    endpoints: [
      {
        endpoint,
        overall: totals(4, 3),
        by_category: [
          { category: "a", ...totals(4, 3) },
          { category: "b", ...totals(0, 0) },
        ],
      },
    ],
  };
  const retrieval: Retrieval = { schema: "sealane-retrieval/1", rows: [row] };
  return {
    name,
    measured: {
      dataset: "Some",
      questions: 4,
      population_sha256: POPULATION,
      protocols: { [endpoint]: PROTOCOL },
      ...measured,
    },
    lengths: { evidence_tokens: { mean: 10.25, median: 9.5, p95: 19.25, max: 20 }, call_ms: null },
    results,
    retrieval,
  };
}

const render = (id: string, tables: readonly PrintedTable[]): string =>
  TABLE_FORMATS.find((format) => format.id === id)!.render(tables);

t.test("every caption has population and endpoint, every table its figures", async (t) => {
  const tables = lanesTables([lane("x"), lane("y")], true);
  t.strictSame(
    tables.map(({ id }) => id),
    [
      "scores/judge",
      "account",
      "retrieval/x/turns",
      "retrieval/x/sessions",
      "retrieval/y/turns",
      "retrieval/y/sessions",
    ],
  );
  for (const { caption, head, rows } of tables) {
    for (const word of ["4 questions", "Some", POPULATION.slice(0, 12)])
      t.ok(caption.includes(word), `${caption}: ${word}`);
    for (const row of rows) t.equal(row.length, head.length);
  }
  t.ok(tables[0]?.caption.includes("judge") && tables[0].caption.includes(PROTOCOL.slice(0, 12)));
  t.strictSame(tables[0]?.rows, [
    ["a", "4", "75.00", "75.00"],
    ["b", "0", "-", "-"],
    ["all", "4", "75.00", "75.00"],
  ]);
  t.strictSame(
    tables.slice(2, 4).map(({ rows }) => rows[0]?.[1]),
    ["3 of 4", "2 of 4"],
    "turns and sessions are labelled for questions of their own",
  );
  t.strictSame(scoreTables([lane("x")], false)[0]?.rows, [["all", "4", "75.00"]]);
});

t.test("other populations and judges are marked in caption and column", async (t) => {
  const others = [
    lane("y", { population_sha256: "c".repeat(64) }),
    lane("y", { protocols: { judge: "d".repeat(64) } }),
    lane("y", { dataset: "Other" }),
    lane("y", { questions: 5 }),
  ];
  for (const other of others) {
    const [scores] = lanesTables([lane("x"), other, lane("z")], true);
    t.strictSame(scores?.head, ["category", "N", "x [1]", "y [2]", "z [1]"]);
    t.match(scores?.caption, /NOT COMPARABLE.*\[1\].*\[2\]/);
  }
  const account = lanesTables([lane("x"), others[0]!], true).find(({ id }) => id === "account");
  t.strictSame(account?.head, ["account", "x [1]", "y [2]"]);
  const unjudged = lanesTables([lane("x"), others[1]!], true).find(({ id }) => id === "account");
  t.strictSame(unjudged?.head, ["account", "x", "y"], "how calls ended is no matter of the judge");
});

t.test("other endpoints have tables of their own", async (t) => {
  const tables = scoreTables([lane("x"), lane("y", {}, "strict")]);
  t.strictSame(
    tables.map(({ id, head }) => [id, head.at(-1)]),
    [
      ["scores/judge", "x"],
      ["scores/strict", "y"],
    ],
  );
});

t.test("lengths and times: mean, median, 95th percentile, maximum; a dash where none was measured", async (t) => {
  const rows = new Map(lanesTables([lane("x")], true)[1]?.rows.map(([name, cell]) => [name, cell]));
  t.strictSame(
    ["mean", "median", "95th percentile", "maximum"].map((what) => rows.get(`evidence tokens, ${what}`)),
    ["10.3", "9.5", "19.3", "20"],
  );
  t.equal(rows.get("call in ms, mean"), "-");
  t.equal(rows.get("failed"), "1");
});

t.test("a run that was not answered has dashes, no zeros", async (t) => {
  const tables = lanesTables([{ ...lane("x"), results: null }], true);
  t.notOk(tables.some(({ id }) => id.startsWith("scores/")));
  t.strictSame(tables[0]?.rows[1], ["answered", "-"]);
});

const HARD: PrintedTable = {
  id: "a/b c",
  caption: "50 % of _x_ | y & \\z",
  head: ["name", 'l"a,b', "c#1"],
  rows: [
    ["{r}", "1.00", "-"],
    ["s~^$", "line\nend", "\u001b[31m"],
  ],
};

t.test("formats", async (t) => {
  t.strictSame(
    TABLE_FORMATS.map(({ id }) => id),
    ["text", "md", "csv", "latex"],
  );
  t.equal(
    render("csv", [HARD]),
    [
      "table,caption,row,column,value",
      'a/b c,50 % of _x_ | y & \\z,{r},"l""a,b",1.00',
      "a/b c,50 % of _x_ | y & \\z,{r},c#1,",
      'a/b c,50 % of _x_ | y & \\z,s~^$,"l""a,b","line\nend"',
      "a/b c,50 % of _x_ | y & \\z,s~^$,c#1,\u001b[31m",
      "",
    ].join("\n"),
  );
  t.equal(
    render("md", [HARD]),
    [
      "50 % of \\_x\\_ \\| y & \\\\z",
      "",
      '| name | l"a,b | c#1 |',
      "| :--- | ---: | ---: |",
      "| {r} | 1.00 | - |",
      "| s~^$ | line\\\\nend | \\\\u{1b}\\[31m |",
      "",
    ].join("\n"),
  );
  t.equal(
    render("latex", [HARD]),
    [
      "\\begin{table}",
      "\\centering",
      "\\caption{50 \\% of \\_x\\_ | y \\& \\textbackslash{}z}",
      "\\label{tab:a-b-c}",
      "\\begin{tabular}{lrr}",
      "\\hline",
      'name & l"a,b & c\\#1 \\\\',
      "\\hline",
      "\\{r\\} & 1.00 & - \\\\",
      "s\\textasciitilde{}\\textasciicircum{}\\$ & line\\textbackslash{}nend & \\textbackslash{}u\\{1b\\}[31m \\\\",
      "\\hline",
      "\\end{tabular}",
      "\\end{table}",
      "",
    ].join("\n"),
  );
  t.notMatch(render("text", [HARD]), /\u001b/, "nothing that steers a terminal");
  for (const { id } of TABLE_FORMATS) t.ok(render(id, lanesTables([lane("x")], true)).endsWith("\n"), id);
});
