// The forms in which `verify` prints a report.
import { SealaneError } from "../lib/finding.js";
import { proofText } from "../lib/report/proof.js";
import { sarifLog } from "../lib/report/sarif.js";
import { reportText } from "../lib/report/text.js";
import type { ProofReport, Report } from "../schemas/index.js";
import { marks, printJson, width } from "./ui.js";

interface ReportFormat {
  readonly id: string;
  lane(report: Report): void;
  proof(report: ProofReport): void;
}

/** To add one: how it looks in lib/report/<format>.ts, one entry here. */
const FORMATS: readonly ReportFormat[] = [
  {
    id: "text",
    lane: (report) => void process.stdout.write(reportText(report, marks(), width())),
    proof: (report) => void process.stdout.write(proofText(report, marks(), width())),
  },
  { id: "json", lane: printJson, proof: printJson },
  {
    id: "sarif",
    lane(report) {
      const { lane, mode, verdict, numbers } = report;
      printJson(sarifLog(report, { lane, mode, verdict, ...(numbers === undefined ? {} : { numbers }) }));
    },
    proof(report) {
      const { lane, question_id, tree, limits } = report;
      printJson(sarifLog(report, { lane, question_id, tree, limits }));
    },
  },
];

export const REPORT_FORMATS: readonly string[] = FORMATS.map(({ id }) => id);

/** The format asked for; `--json` is another word for `--format json`. Throws E_USAGE when the two disagree. */
export function reportFormat({ json, format }: { json: boolean; format: string | undefined }): ReportFormat {
  if (json && format !== undefined && format !== "json") {
    throw new SealaneError("E_USAGE", `--json and --format ${format} ask for two things`, {
      next: "Give one of the two.",
    });
  }
  return FORMATS.find(({ id }) => id === (json ? "json" : (format ?? "text")))!;
}
