import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../lib/bytes/limits.js";
import { REASONS, SealaneError } from "../../lib/finding.js";
import { replaceFileWith } from "../../lib/io/atomic.js";
import { systemClock } from "../../lib/io/clock.js";
import { openInput } from "../../lib/io/input.js";
import { keepMemorySmall } from "../../lib/io/memory.js";
import { packageRoot } from "../../lib/io/package-root.js";
import { readFile } from "../../lib/io/read-file.js";
import type { LaneSource } from "../../lib/io/source.js";
import { openLane } from "../../lib/lane/open.js";
import { emptyState, parseState, remembered, stateText } from "../../lib/manifest/state.js";
import { parseTrust, type Trust } from "../../lib/manifest/trust.js";
import { LANE_FILES, readDocument } from "../../lib/records/documents.js";
import { VectorStore } from "../../lib/run/vector-store.js";
import type { Report, State } from "../../schemas/index.js";
import { gatherLane, type Policy } from "../../verifiers/evidence.js";
import { verifyProof } from "../../verifiers/proof.js";
import { isVerified } from "../../verifiers/verdict.js";
import { anchorsOf } from "../anchor-options.js";
import { command } from "../command.js";
import { refuseInside } from "../outside.js";
import { readProof, subjectOf } from "../proof-options.js";
import { REPORT_FORMATS, reportFormat } from "../report-format.js";
import { tokenizerAt } from "../tokenizer-option.js";
import { Progress, stopSignals } from "../ui.js";

/** The keys this project trusts for the lanes it released; a user's own lanes need a trust file of his. */
const SHIPPED_TRUST = join("manifests", "trust.json");

/** The trust file; with `firstRoot`, only the chain that begins with that version is believed. Throws E_ROOT_CHAIN. */
function trustAt(path: string | undefined, firstRoot: string | undefined): Trust | undefined {
  const file = path ?? join(packageRoot(), SHIPPED_TRUST);
  if (path === undefined && firstRoot === undefined && !existsSync(file)) return undefined;
  const at = path ?? SHIPPED_TRUST;
  const trust = parseTrust(readFile(file, LIMITS.documentBytesMax), at);
  if (firstRoot !== undefined && trust.firstRootSha256 !== firstRoot) {
    const more = { at, expected: firstRoot, found: trust.firstRootSha256 };
    throw new SealaneError("E_ROOT_CHAIN", `${at} is another chain than the one that you know`, more);
  }
  return trust;
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

/** Whether a lane says that it is detached; one whose manifest cannot be read is judged as any other. */
function isDetached(source: LaneSource): boolean {
  try {
    return readDocument(source, "manifest", LANE_FILES.manifest).value.detached !== undefined;
  } catch (error) {
    if (error instanceof SealaneError) return false;
    throw error;
  }
}

interface Asked {
  readonly policy: Policy;
  readonly dataset: string | undefined;
  readonly tokenizer: string | undefined;
  readonly vectors: string | undefined;
  /** Ids of checks; undefined: all of them. */
  readonly only: readonly string[] | undefined;
}

async function reportOn(lane: string, { policy, dataset, tokenizer, vectors, only }: Asked): Promise<Report> {
  const workedThrough = keepMemorySmall();
  // Loaded when a lane is verified: a proof of one question needs no tokenizers.
  const { unreadableReport } = await import("../../verifiers/verify.js");
  const { verifyOnTwoThreads } = await import("../../verifiers/verify-on-two-threads.js");
  const { CHECKS } = await import("../../verifiers/checks/index.js");
  const { checksOf, partialReport } = await import("../../verifiers/only.js");
  const { withNumbers } = await import("../../verifiers/numbers.js");
  const checks = only === undefined ? CHECKS : checksOf(only);
  let source: LaneSource;
  try {
    source = await openLane(lane);
  } catch (error) {
    if (isVerdict(error)) return partialReport(unreadableReport(error), checks);
    throw error;
  }
  const progress = new Progress("verifying", "questions");
  let store: VectorStore | undefined;
  try {
    const given = dataset === undefined ? undefined : openInput(dataset);
    const counter = tokenizer === undefined ? undefined : await tokenizerAt(tokenizer);
    store = vectors === undefined ? undefined : new VectorStore(vectors);
    const whole = async (lane: LaneSource, onRow = progress.update): Promise<Report> => {
      // Nearly all of a lane is its request bodies.
      const bytes = lane.entries().find(({ path }) => path === LANE_FILES.bodies)?.size ?? 0;
      const evidence = gatherLane(lane, given, counter, store);
      const report = await verifyOnTwoThreads(evidence, policy, checks, (done, total) => {
        workedThrough((bytes * done) / Math.max(1, total));
        onRow(done, total);
      });
      return withNumbers(partialReport(report, checks), lane);
    };
    if (!isDetached(source)) return await whole(source);
    const { verifyDetached } = await import("../../verifiers/detached.js");
    const { stop, release } = stopSignals("Stopping.");
    try {
      const onRow: typeof progress.update = (done, total) => {
        if (stop.aborted) throw new SealaneError("E_CANCELLED", "stopped before it was finished");
        progress.update(done, total);
      };
      const options = { stop, onProgress: progress.update, checks };
      const report = await verifyDetached(source, given, policy, (lane) => whole(lane, onRow), options);
      return given === undefined ? partialReport(report, checks) : report;
    } finally {
      release();
    }
  } finally {
    progress.end();
    store?.close();
    source.close();
  }
}

export default command({
  positionals: "[lane]",
  repeatable: ["only", "anchor", "bitcoin-header"],
  examples: [
    ["$0 verify lanes/bm25-locomo1540-24k-v1 --trust trust.json", "signature, files, records, arithmetic; offline"],
    [
      "$0 verify lane.tar.gz --trust trust.json --dataset locomo10.json",
      "and that its text is the dataset's, and its packets those that the arm makes of it",
    ],
    ["$0 verify lane --trust trust.json --state seen.json", "and that no newer version of it was seen here before"],
    [
      "$0 verify --question conv-26/0 --proof conv-26-0.tlog-proof --manifest manifest.json --trust trust.json",
      "one question, without the rest of its lane",
    ],
    ["$0 verify lane --only grades --only results", "these checks alone; the report names what was not asked"],
    ["$0 verify lane --format sarif > lane.sarif", "for tools that show findings beside files; --json for programs"],
    [
      "$0 verify lane --trust trust.json --anchor lane.tsr --anchor bob.note",
      "and what an authority and a witness say of when it was signed",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .option("trust", {
        type: "string",
        describe: "who may sign which lane; by default the keys of sealane's own releases",
      })
      .option("first-root", {
        type: "string",
        describe: "the SHA-256 that the first version of the trust file must have, as `sealane trust show` prints it",
      })
      .option("anchor", {
        type: "string",
        describe:
          "what others say of when the lane was signed: a cosigned checkpoint, an RFC 3161 token (or its request) or an OpenTimestamps proof; may be repeated",
      })
      .option("bitcoin-header", {
        type: "string",
        describe: "with --anchor: HEIGHT:HEX, the 80 bytes of a block's header that you vouch for; may be repeated",
      })
      .option("dataset", { type: "string", describe: "your own copy of the dataset: its file or folder" })
      .option("tokenizer", {
        type: "string",
        describe: "your own copy of the lane's tokenizer.json, when its tokenizer is one",
      })
      .option("vectors", {
        type: "string",
        implies: "dataset",
        describe: "with --dataset: your own copy of the vectors that a model made for the lane's arm",
      })
      .option("state", {
        type: "string",
        describe: "remember in this file the newest version seen of each lane, and refuse an older or another one",
      })
      .option("only", {
        type: "string",
        array: true,
        nargs: 1,
        describe:
          "run this check alone, repeat it for more; 0 then means that what was asked holds, never that the lane is verified, and --state remembers nothing",
      })
      .option("format", { choices: REPORT_FORMATS, describe: "how to print the report; --json is --format json" })
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
    const format = reportFormat(options);
    const subject = subjectOf(options);
    if (options.state !== undefined && "lane" in subject) refuseInside(subject.lane, options.state);
    const state = options.state === undefined ? undefined : stateAt(options.state);
    const policy = { trust: trustAt(options.trust, options["first-root"]), state, ...anchorsOf(options) };
    if ("proof" in subject) {
      const report = verifyProof(readProof(subject.proof), policy);
      format.proof(report);
      return report.exit_code;
    }
    const report = await reportOn(subject.lane, {
      policy,
      dataset: options.dataset,
      tokenizer: options.tokenizer,
      vectors: options.vectors,
      only: options.only,
    });
    if (options.state !== undefined && report.lane && isVerified(report)) remember(options.state, report.lane);
    format.lane(report);
    return report.exit_code;
  },
});
