import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../lib/bytes/limits.js";
import { REASONS, SealaneError } from "../../lib/finding.js";
import { packageRoot } from "../../lib/io/package-root.js";
import { readFile } from "../../lib/io/read-file.js";
import type { LaneSource } from "../../lib/io/source.js";
import { openLane } from "../../lib/lane/open.js";
import { parseTrust } from "../../lib/manifest/trust.js";
import { reportText } from "../../lib/report/text.js";
import type { Report, Trust } from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { unreadableReport, verifyLane } from "../../verifiers/verify.js";
import { command } from "../command.js";
import { marks, Progress, printJson, width } from "../ui.js";

/** The keys this project trusts for the lanes it released; a user's own lanes need a trust file of his. */
const SHIPPED_TRUST = join("manifests", "trust.json");

function trustAt(path: string | undefined): Trust | undefined {
  const file = path ?? join(packageRoot(), SHIPPED_TRUST);
  if (path === undefined && !existsSync(file)) return undefined;
  return parseTrust(readFile(file, LIMITS.documentBytesMax), path ?? SHIPPED_TRUST);
}

/** What a container does not hold together by is a result of verification; what could not be read at all is an error. */
function isVerdict(error: unknown): error is SealaneError {
  if (!(error instanceof SealaneError)) return false;
  const { severity } = REASONS[error.code];
  return severity === "failed" || severity === "malformed" || severity === "limit" || severity === "unsupported";
}

async function reportOn(lane: string, trust: Trust | undefined, dataset: string | undefined): Promise<Report> {
  let source: LaneSource;
  try {
    source = await openLane(lane);
  } catch (error) {
    if (isVerdict(error)) return unreadableReport(error);
    throw error;
  }
  const progress = new Progress("verifying", "questions");
  try {
    const given = dataset === undefined ? undefined : { bytes: readFile(dataset, LIMITS.datasetBytesMax), at: dataset };
    return verifyLane(gatherLane(source, given), { trust }, CHECKS, progress.update);
  } finally {
    progress.end();
    source.close();
  }
}

export default command({
  positionals: "<lane>",
  examples: [
    ["$0 verify lanes/bm25-locomo1540-24k-v1 --trust trust.json", "signature, files, records, arithmetic; offline"],
    ["$0 verify lane.tar.gz --trust trust.json --dataset locomo10.json", "and that its text is the dataset's"],
    ["$0 verify lane --json", "the report as JSON"],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .option("trust", {
        type: "string",
        describe: "who may sign which lane; by default the keys of sealane's own releases",
      })
      .option("dataset", { type: "string", describe: "your own copy of the dataset" }),
  async run(options) {
    const report = await reportOn(options.lane, trustAt(options.trust), options.dataset);
    if (options.json) printJson(report);
    else process.stdout.write(reportText(report, marks(), width()));
    return report.exit_code;
  },
});
