import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../lib/bytes/limits.js";
import { EXIT, REASONS, SealaneError } from "../../lib/finding.js";
import { replaceFileWith } from "../../lib/io/atomic.js";
import { systemClock } from "../../lib/io/clock.js";
import { keepMemorySmall } from "../../lib/io/memory.js";
import { packageRoot } from "../../lib/io/package-root.js";
import { readFile } from "../../lib/io/read-file.js";
import type { LaneSource } from "../../lib/io/source.js";
import { openLane } from "../../lib/lane/open.js";
import { emptyState, parseState, remembered, stateText } from "../../lib/manifest/state.js";
import { parseTrust, type Trust } from "../../lib/manifest/trust.js";
import { proofText } from "../../lib/report/proof.js";
import { reportText } from "../../lib/report/text.js";
import type { Report, State } from "../../schemas/index.js";
import { gatherLane, type Policy } from "../../verifiers/evidence.js";
import { verifyProof } from "../../verifiers/proof.js";
import { command } from "../command.js";
import { refuseInside } from "../outside.js";
import { readProof, subjectOf } from "../proof-options.js";
import { marks, Progress, printJson, width } from "../ui.js";

/** The keys this project trusts for the lanes it released; a user's own lanes need a trust file of his. */
const SHIPPED_TRUST = join("manifests", "trust.json");

function trustAt(path: string | undefined): Trust | undefined {
  const file = path ?? join(packageRoot(), SHIPPED_TRUST);
  if (path === undefined && !existsSync(file)) return undefined;
  return parseTrust(readFile(file, LIMITS.documentBytesMax), path ?? SHIPPED_TRUST);
}

/** The state in a file; one that is not there yet is empty, and is made after the first lane that is found good. */
function stateAt(path: string): State {
  return existsSync(path) ? parseState(readFile(path, LIMITS.documentBytesMax), path) : emptyState();
}

/** Writes down that a lane was found good. The file is read again, so that little is lost to another process that does the same. */
function remember(path: string, lane: NonNullable<Report["lane"]>): void {
  const before = stateAt(path);
  const after = remembered(before, lane, systemClock.now());
  if (after !== before) replaceFileWith(path, (write) => write(stateText(after)));
}

/** What a container does not hold together by is a result of verification; what could not be read at all is an error. */
function isVerdict(error: unknown): error is SealaneError {
  if (!(error instanceof SealaneError)) return false;
  const { severity } = REASONS[error.code];
  return severity === "failed" || severity === "malformed" || severity === "limit" || severity === "unsupported";
}

async function reportOn(lane: string, policy: Policy, dataset: string | undefined): Promise<Report> {
  keepMemorySmall();
  // Loaded when a lane is verified: a proof of one question needs no tokenizers.
  const { unreadableReport } = await import("../../verifiers/verify.js");
  const { verifyOnTwoThreads } = await import("../../verifiers/verify-on-two-threads.js");
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
    return await verifyOnTwoThreads(gatherLane(source, given), policy, undefined, progress.update);
  } finally {
    progress.end();
    source.close();
  }
}

export default command({
  positionals: "[lane]",
  examples: [
    ["$0 verify lanes/bm25-locomo1540-24k-v1 --trust trust.json", "signature, files, records, arithmetic; offline"],
    ["$0 verify lane.tar.gz --trust trust.json --dataset locomo10.json", "and that its text is the dataset's"],
    ["$0 verify lane --trust trust.json --state seen.json", "and that no newer version of it was seen here before"],
    [
      "$0 verify --question conv-26/0 --proof conv-26-0.tlog-proof --manifest manifest.json --trust trust.json",
      "one question, without the rest of its lane",
    ],
    ["$0 verify lane --json", "the report as JSON"],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .option("trust", {
        type: "string",
        describe: "who may sign which lane; by default the keys of sealane's own releases",
      })
      .option("dataset", { type: "string", describe: "your own copy of the dataset" })
      .option("state", {
        type: "string",
        describe: "remember in this file the newest version seen of each lane, and refuse an older or another one",
      })
      .option("proof", { type: "string", describe: "instead of a lane: the proof of one question, by `sealane prove`" })
      .option("question", { type: "string", describe: "with --proof: the question's id" })
      .option("manifest", { type: "string", describe: "with --proof: the lane's manifest.json" })
      .option("envelope", {
        type: "string",
        describe: "with --proof: the manifest's signatures; by default manifest.dsse.json beside it",
      })
      .option("request", { type: "string", describe: "with --proof: a request body that should be the one sent" })
      .option("answer", { type: "string", describe: "with --proof: a text that should be the answer, to the byte" }),
  async run(options) {
    const subject = subjectOf(options);
    if (options.state !== undefined && "lane" in subject) refuseInside(subject.lane, options.state);
    const state = options.state === undefined ? undefined : stateAt(options.state);
    const policy = { trust: trustAt(options.trust), state };
    if ("proof" in subject) {
      const report = verifyProof(readProof(subject.proof), policy);
      if (options.json) printJson(report);
      else process.stdout.write(proofText(report, marks(), width()));
      return report.exit_code;
    }
    const report = await reportOn(subject.lane, policy, options.dataset);
    if (options.state !== undefined && report.lane && report.exit_code === EXIT.ok)
      remember(options.state, report.lane);
    if (options.json) printJson(report);
    else process.stdout.write(reportText(report, marks(), width()));
    return report.exit_code;
  },
});
