import type { ExportFormat } from "./types.js";
import { passedProperties, policyOf, readReport, reportReference, verifierId, writeStatement } from "./verification.js";

/**
 * SLSA Verification Summary Attestation v1 (https://slsa.dev/spec/v1.1/verification_summary). It knows PASSED and FAILED
 * alone: whatever is not wholly verified is FAILED, and the exit code in the report's member says which way. Levels are
 * names of our own, as the specification allows; a lane has no SLSA level. Input attestations are left out, because a report
 * does not say which signatures stood in the envelope.
 */
export const vsa: ExportFormat = {
  id: "vsa",
  summary: "a SLSA verification summary (v1) of --report, signed by --key",
  needs: ["report", "key", "time"],
  takes: ["trust", "verifier", "resource"],
  async write(task) {
    const report = readReport(task);
    // The exit code alone does not say so: a report on some checks only ends with 0 as well.
    const passed = report.exit_code === 0 && report.verdict.integrity === "verified";
    const { lane_id, lane_version } = task.lane.manifest;
    writeStatement(task, "https://slsa.dev/verification_summary/v1", {
      verifier: { id: verifierId(report, task.verifier), version: { [report.tool.name]: report.tool.version } },
      timeVerified: task.time,
      resourceUri: task.resource ?? `https://sealane.dev/lane/${lane_id}/${lane_version}`,
      policy: policyOf(report, task.trust),
      verificationResult: passed ? "PASSED" : "FAILED",
      verifiedLevels: passed ? passedProperties(report).filter((name) => !name.includes("_CHECK_")) : ["FAILED"],
      ...reportReference(task, report),
    });
    return [""];
  },
};
