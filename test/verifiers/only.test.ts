// Some of the checks: what was asked for is judged, and nobody can take it for a verification of the lane.
import t from "tap";
import { SealaneError } from "../../lib/finding.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { GradeRecord, Report } from "../../schemas/index.js";
import { isDocument } from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { checksOf, partialReport } from "../../verifiers/only.js";
import { isVerified } from "../../verifiers/verdict.js";
import { unreadableReport, verifyLane } from "../../verifiers/verify.js";
import {
  authorTrust,
  codesOf,
  editRecords,
  goodLane,
  harbourBytes,
  type LaneFiles,
  reseal,
  verifyFiles,
} from "../support/lane.js";

function verifyOnly(files: LaneFiles, ...ids: string[]): Report {
  const checks = checksOf(ids);
  return partialReport(
    verifyLane(gatherLane(new MemorySource(files), undefined), { trust: authorTrust() }, checks),
    checks,
  );
}

t.test("each check alone, on a good lane, holds and is no verification", async (t) => {
  const files = await goodLane();
  for (const { id } of CHECKS) {
    const report = verifyOnly(files, id);
    t.ok(isDocument("report", report), id);
    t.equal(report.exit_code, 0, id);
    t.equal(report.verdict.integrity, "partial", id);
    t.equal(report.verdict.policy, id === "signatures" ? "met" : "not-evaluated", id);
    t.notOk(isVerified(report), id);
    const left = CHECKS.filter((check) => check.id !== id);
    for (const check of left)
      t.match(report.verdict.limits[0], new RegExp(`\\b${check.id}\\b`), `${id} names ${check.id}`);
    t.strictSame(
      report.checks.map((check) => [check.id, check.outcome === "not-asked"]),
      CHECKS.map((check) => [check.id, check.id !== id]),
      "in the order of the report",
    );
  }
});

t.test("what was asked for is judged as ever, and what was not is not", async (t) => {
  const files = await goodLane();
  editRecords<GradeRecord>(files, "evaluator/token-f1/grades.jsonl", (grades) => {
    grades[3]!.score = 1;
  });
  reseal(files);
  const grades = verifyOnly(files, "grades");
  t.strictSame([grades.exit_code, grades.verdict.integrity, codesOf(grades)], [1, "failed", ["E_GRADE"]]);
  const packets = verifyOnly(files, "packets", "answers");
  t.strictSame([packets.exit_code, packets.verdict.integrity, codesOf(packets)], [0, "partial", []]);
});

t.test("what cannot be judged is inconclusive, asked for alone or not", async (t) => {
  const files = await goodLane();
  files.delete("answers.jsonl");
  const report = verifyOnly(files, "answers");
  t.equal(report.exit_code, 6, "the check of files was not asked why");
  t.equal(report.verdict.integrity, "not-evaluated");
});

t.test("all of them asked for is the report itself", async (t) => {
  const files = await goodLane();
  t.strictSame(verifyOnly(files, ...CHECKS.map((check) => check.id).reverse()), verifyFiles(files));
});

t.test("a container that cannot be opened fails, whatever was asked", async (t) => {
  const whole = unreadableReport(new SealaneError("E_TAR_BYTES", "a byte differs", { at: "lane.tar@0" }));
  const report = partialReport(whole, checksOf(["grades"]));
  t.ok(isDocument("report", report));
  t.equal(report.exit_code, 1);
  t.equal(report.checks[0]?.id, "container");
  t.equal(report.checks.find((check) => check.id === "grades")?.outcome, "not-run");
  t.equal(report.checks.find((check) => check.id === "files")?.outcome, "not-asked");
});

t.test("an id that no check has", async (t) => {
  for (const id of ["", "grade", "Grades", "container"])
    t.throws(() => checksOf(["grades", id]), { code: "E_UNKNOWN" }, id);
});

t.test("verified is said of a whole report without fault alone", async (t) => {
  const files = await goodLane();
  t.ok(isVerified(verifyFiles(files, authorTrust(), harbourBytes())));
  t.notOk(isVerified({ ...verifyFiles(files), exit_code: 3 }));
});
