import type { ExportFormat } from "./types.js";
import { passedProperties, policyOf, readReport, reportReference, verifierId, writeStatement } from "./verification.js";

/**
 * in-toto Simple Verification Result v0.2 (https://in-toto.io/attestation/svr/v0.2): v0.1 with `verifier.policies` required
 * (in-toto/attestation issue 551). It lists what holds, and nothing of what does not.
 */
export const svr: ExportFormat = {
  id: "svr",
  summary: "an in-toto simple verification result (v0.2) of --report, signed by --key",
  needs: ["report", "key", "time"],
  takes: ["trust", "verifier"],
  async write(task) {
    const report = readReport(task);
    writeStatement(task, "https://in-toto.io/attestation/svr/v0.2", {
      verifier: { id: verifierId(report, task.verifier), policies: [policyOf(report, task.trust)] },
      timeCreated: task.time,
      properties: passedProperties(report),
      ...reportReference(task, report),
    });
    return [""];
  },
};
