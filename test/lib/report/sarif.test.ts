// SARIF 2.1.0, held to the schema of its standard as @microsoft/jest-sarif ships it, and to what a report says.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { EXIT, REASONS, type ReasonCode, SealaneError } from "../../../lib/finding.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { sarifLog } from "../../../lib/report/sarif.js";
import type { AnswerRecord, CheckReport, Report } from "../../../schemas/index.js";
import { CHECKS } from "../../../verifiers/checks/index.js";
import { withNumbers } from "../../../verifiers/numbers.js";
import { checksOf, partialReport } from "../../../verifiers/only.js";
import { unreadableReport } from "../../../verifiers/verify.js";
import { authorTrust, editRecords, goodLane, type LaneFiles, reseal, verifyFiles } from "../../support/lane.js";

const require = createRequire(import.meta.url);
const schema = JSON.parse(
  readFileSync(join(dirname(require.resolve("@microsoft/jest-sarif")), "schemas", "sarif-2.1.0-rtm.5.json"), "utf8"),
) as Record<string, unknown>;
// Draft 4 and draft 7 read the keywords that it uses alike, but for the name of its id.
delete schema.$schema;
delete schema.id;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
ajv.addFormat("uri", (text) => URL.canParse(text));
ajv.addFormat(
  "uri-reference",
  (text) =>
    /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(text) &&
    !/%(?![0-9A-Fa-f]{2})/.test(text) &&
    URL.canParse(text, "file:///lane/"),
);
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
const validate = ajv.compile(schema);

interface Log {
  runs: [
    {
      tool: {
        driver: { name: string; version: string; rules: { id: string; defaultConfiguration: { level: string } }[] };
      };
      invocations: [
        { executionSuccessful: boolean; exitCode: number; toolExecutionNotifications: { message: { text: string } }[] },
      ];
      results: {
        ruleId: string;
        ruleIndex: number;
        level: string;
        message: { text: string };
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: string };
              region?: { startLine?: number; byteOffset?: number };
            };
            logicalLocations?: { name: string; kind: string }[];
          },
        ];
      }[];
      properties: object;
    },
  ];
}

function logOf(report: Report): Log {
  const log: unknown = JSON.parse(canonicalJson(sarifLog(report, { verdict: report.verdict })));
  t.ok(validate(log), JSON.stringify(validate.errors?.slice(0, 3)));
  return log as Log;
}

const FAULTS: readonly (readonly [string, (files: LaneFiles) => void])[] = [
  ["none", () => {}],
  ["a file less", (files) => files.delete("answers.jsonl")],
  ["a file more", (files) => files.set("a b/ü#/x?%.txt:1", Buffer.from("x"))],
  ["no manifest", (files) => files.delete("manifest.json")],
  ["no envelope", (files) => files.delete("manifest.dsse.json")],
  [
    "swapped answers",
    (files) => {
      editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
        const [a, b] = [answers[3]!, answers[4]!];
        [a.answer, b.answer] = [b.answer!, a.answer!];
      });
      reseal(files);
    },
  ],
  [
    "more findings than are kept",
    (files) => {
      editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
        for (const answer of answers)
          Object.assign(answer, { answer: "x", receipt_sha256: "0".repeat(64), status: "empty" });
      });
      reseal(files);
    },
  ],
];

t.test("every report is valid SARIF, a result for each finding and nothing else", async (t) => {
  for (const [why, fault] of FAULTS) {
    const files = await goodLane();
    fault(files);
    const report = withNumbers(verifyFiles(files), new MemorySource(files));
    const [run] = logOf(report).runs;
    const findings = report.checks.flatMap((check) => (check.outcome === "failed" ? check.findings : []));
    t.strictSame(
      run.results.map(({ ruleId, level }) => [ruleId, level]),
      findings.map(({ code }) => [
        code,
        run.tool.driver.rules.find(({ id }) => id === code)?.defaultConfiguration.level,
      ]),
      why,
    );
    for (const { ruleId, ruleIndex } of run.results) t.equal(run.tool.driver.rules[ruleIndex]?.id, ruleId);
    t.match(run.invocations[0], { executionSuccessful: true, exitCode: report.exit_code }, why);
    t.match(run.properties, { verdict: report.verdict });
    const told = run.invocations[0].toolExecutionNotifications.map(({ message }) => message.text).join("\n");
    for (const check of report.checks) {
      if (check.outcome === "not-run") t.match(told, `${check.id} was not run`, why);
      if (check.outcome === "failed" && check.findings_total > check.findings.length)
        t.match(told, String(check.findings_total));
    }
    t.equal(canonicalJson(sarifLog(report, {})), canonicalJson(sarifLog(report, {})), "the same bytes");
  }
});

t.test("a rule for each code that a check raises, and none for those of commands alone", async (t) => {
  const { rules } = logOf(verifyFiles(await goodLane())).runs[0].tool.driver;
  const ids = rules.map(({ id }) => id);
  for (const code of CHECKS.flatMap(({ emits }) => emits)) t.ok(ids.includes(code), code);
  t.notOk(ids.includes("E_USAGE"));
  t.equal(new Set(ids).size, ids.length);
  for (const { id, defaultConfiguration } of rules) {
    const { severity } = REASONS[id as ReasonCode];
    t.equal(defaultConfiguration.level, ["failed", "malformed", "policy"].includes(severity) ? "error" : "warning", id);
  }
});

t.test("where a finding is, and of which question", async (t) => {
  const files = await goodLane();
  FAULTS[5]![1](files);
  const [first] = logOf(verifyFiles(files)).runs[0].results;
  t.match(first?.locations[0], {
    physicalLocation: { artifactLocation: { uri: "answers.jsonl", uriBaseId: "LANE" }, region: { startLine: 4 } },
    logicalLocations: [{ name: "boatyard-04", kind: "question" }],
  });
  const foreign = await goodLane();
  FAULTS[2]![1](foreign);
  const [extra] = logOf(verifyFiles(foreign)).runs[0].results;
  const { uri } = extra!.locations[0].physicalLocation.artifactLocation;
  t.equal(decodeURIComponent(uri), "a b/ü#/x?%.txt:1");
});

t.test("a container that does not hold together", async (t) => {
  const error = new SealaneError("E_TAR_BYTES", "a byte differs", { at: "lane.tar@1234", expected: "00", found: "01" });
  const [run] = logOf(unreadableReport(error)).runs;
  t.match(run.results, [
    {
      ruleId: "E_TAR_BYTES",
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "lane.tar" }, region: { byteOffset: 1234 } } }],
    },
  ]);
  t.match(run.invocations[0], { executionSuccessful: true, exitCode: EXIT.failed });
  t.equal(run.invocations[0].toolExecutionNotifications.length, CHECKS.length, "each check was not run");
});

t.test("a report on some checks says in SARIF too that it is no verification", async (t) => {
  const report = partialReport(verifyFiles(await goodLane(), authorTrust()), checksOf(["grades"]));
  const [run] = logOf(report).runs;
  t.match(run.properties, { verdict: { integrity: "partial" } });
  t.equal(run.invocations[0].toolExecutionNotifications.length, CHECKS.length - 1);
});

t.test("whatever stands in a finding, the log is valid", async (t) => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const optional = { nil: undefined };
  const finding = fc.record({
    code: fc.constantFrom(...CHECKS.flatMap(({ emits }) => emits)),
    at: text,
    message: text,
    expected: fc.option(text, optional),
    found: fc.option(text, optional),
    question_id: fc.option(fc.constantFrom("a", "conv-26/0"), optional),
  });
  const whole = verifyFiles(await goodLane());
  const holds = (): void =>
    fc.assert(
      fc.property(fc.array(finding, { minLength: 1, maxLength: 5 }), (findings) => {
        const plain = findings.map((each) => JSON.parse(JSON.stringify(each)) as (typeof findings)[number]);
        const check = { id: "x", title: "x", outcome: "failed", examined: 1, findings_total: 9, findings: plain };
        const log = JSON.parse(JSON.stringify(sarifLog({ ...whole, checks: [check as CheckReport] }, {}))) as object;
        return validate(log);
      }),
    );
  t.doesNotThrow(holds);
});
