// Evidence and policy -> report. Pure: no clock, no network, no file; the same evidence and policy give the same report.

import { decodeBase64 } from "../lib/bytes/base64.js";
import { EXIT, REASONS, SealaneError, type Severity } from "../lib/finding.js";
import { readReply } from "../lib/reader/reply.js";
import { LANE_FILES } from "../lib/records/documents.js";
import type { FileSeen, LaneRow } from "../lib/records/rows.js";
import { TOOL } from "../lib/tool.js";
import type { Manifest, Report } from "../schemas/index.js";
import { askedIn, bodyExaminerOf, bodyRulesOf, type ExaminedBody } from "./body.js";
import type { Check, Examination, ExaminedRow } from "./check.js";
import { CHECKS } from "./checks/index.js";
import type { LaneEvidence, Policy } from "./evidence.js";
import { limitsOf } from "./limits.js";
import type { Outcome } from "./outcome.js";
import { exitCodeOf, isGap, reported, severitiesOf } from "./verdict.js";

/** A row with what its body came to, and with the response that its receipt keeps. */
function examined(row: LaneRow, body: ExaminedBody): ExaminedRow {
  const { receipt } = row;
  const response = receipt?.value.response && decoded(receipt.value.response);
  const status = receipt?.value.http_status;
  const reply = response === undefined || status === undefined ? undefined : readReply(status, response);
  return { ...row, ...body, response, reply };
}

function decoded(response: { encoding: "utf8" | "base64"; data: string }): Uint8Array | undefined {
  if (response.encoding === "utf8") return Buffer.from(response.data);
  try {
    return decodeBase64(response.data, "response");
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

/** Files that are not what was sealed, or could not be read to their end: what rests on them is not judged. */
function unfit(
  manifest: Manifest,
  { statement, manifestSha256, entries }: LaneEvidence,
  seen: ReadonlyMap<string, FileSeen>,
): Map<string, string> {
  const reasons = new Map<string, string>();
  if (statement.ok && statement.value.subject[0]?.digest.sha256 !== manifestSha256) {
    reasons.set(LANE_FILES.manifest, "manifest.json is not the one signed");
  }
  const there = new Set(entries.filter((entry) => entry.regular).map((entry) => entry.path));
  for (const { path, sha256 } of manifest.files) {
    const file = seen.get(path);
    if (!there.has(path)) reasons.set(path, `${path} is not there`);
    else if (file?.sha256 !== sha256) reasons.set(path, `${path} is not the one sealed`);
    else if (file.error) reasons.set(path, `${path} could not be read to its end`);
  }
  return reasons;
}

/** Told after each row how many of how many are done. */
export type OnRow = (done: number, total: number) => void;

/** The checks at work on one lane: shown every row in order, then asked for the report. */
export class Verification {
  readonly #evidence: LaneEvidence;
  readonly #checks: readonly Check[];
  readonly #examinations: readonly Examination[];
  readonly #watching: readonly Examination[];
  readonly #onRow: OnRow;

  constructor(evidence: LaneEvidence, policy: Policy, checks: readonly Check[], onRow: OnRow) {
    this.#evidence = evidence;
    this.#checks = checks;
    this.#examinations = checks.map((check) => check.start(evidence, policy));
    this.#watching = this.#examinations.filter((examination) => examination.row !== undefined);
    this.#onRow = onRow;
  }

  row(row: LaneRow, body: ExaminedBody): void {
    const whole = examined(row, body);
    for (const examination of this.#watching) examination.row?.(whole);
    const { manifest } = this.#evidence;
    this.#onRow(row.index + 1, manifest.ok ? manifest.value.population.count : 0);
  }

  /** @param rowFiles what reading the rows found out about their files */
  report(rowFiles: readonly FileSeen[]): Report {
    const { wholeFiles, manifest: read } = this.#evidence;
    const seen = new Map([...wholeFiles, ...rowFiles].map((file) => [file.path, file]));
    const manifest = read.ok ? read.value : undefined;
    const reasons = manifest
      ? unfit(manifest, this.#evidence, seen)
      : new Map([[LANE_FILES.manifest, "manifest.json could not be read"]]);
    const outcomes = this.#checks.map((check, index): Outcome => {
      const why = obstacle(check, manifest, reasons);
      return why === undefined ? this.#examinations[index]!.finish(seen) : { kind: "not-run", why };
    });
    return reportOf(this.#evidence, this.#checks, outcomes);
  }
}

/** Runs the checks over one lane, reading its rows once. */
export function verifyLane(
  evidence: LaneEvidence,
  policy: Policy,
  checks: readonly Check[] = CHECKS,
  onRow: OnRow = () => {},
): Report {
  const verification = new Verification(evidence, policy, checks, onRow);
  const examiner = bodyExaminerOf(bodyRulesOf(evidence, checks), evidence.tokenizer);
  for (const row of evidence.rows) verification.row(row, examiner.examine(askedIn(row), row.body?.value.body));
  return verification.report(evidence.rows.seen);
}

/** The three checks that look at the lane's bytes themselves run whatever state these are in. */
const ALWAYS_RUN = new Set(["signatures", "files", "documents"]);

function obstacle(
  check: Check,
  manifest: Manifest | undefined,
  reasons: ReadonlyMap<string, string>,
): string | undefined {
  if (ALWAYS_RUN.has(check.id)) return undefined;
  const needs = [LANE_FILES.manifest, ...(manifest ? check.needs(manifest) : [])];
  for (const path of needs) {
    const reason = reasons.get(path);
    if (reason !== undefined) return reason;
    const listed = path === LANE_FILES.manifest || manifest?.files.some((file) => file.path === path);
    if (!listed) return `the manifest lists no ${path}`;
  }
  return undefined;
}

const INTEGRITY: Partial<Record<Severity, Report["verdict"]["integrity"]>> = {
  unsupported: "unsupported",
  limit: "limit-exceeded",
  malformed: "malformed",
  failed: "failed",
  io: "not-evaluated",
};

function reportOf(evidence: LaneEvidence, checks: readonly Check[], outcomes: readonly Outcome[]): Report {
  const severities = severitiesOf(outcomes);
  const worstIntegrity = severities.find((severity) => severity !== "policy");
  const skipped = checks.filter((check, index) => isGap(outcomes[index]!) && !check.optional);
  const signed = outcomes[checks.findIndex((check) => check.id === "signatures")];
  const manifest = evidence.manifest.ok ? evidence.manifest.value : undefined;
  const integrity = worstIntegrity === undefined ? undefined : INTEGRITY[worstIntegrity];
  return {
    schema: "sealane-report/1",
    tool: TOOL,
    lane:
      manifest && evidence.manifestSha256 !== undefined
        ? { lane_id: manifest.lane_id, lane_version: manifest.lane_version, manifest_sha256: evidence.manifestSha256 }
        : null,
    mode: "reference-verification",
    verdict: {
      integrity: integrity ?? (skipped.length > 0 ? "not-evaluated" : "verified"),
      policy: severities.includes("policy") ? "not-met" : signed?.kind === "passed" ? "met" : "not-evaluated",
      protocol: { mode: "reference-verification", identities: identitiesOf(manifest, evidence) },
      limits: limitsOf(evidence, skipped, outcomes, checks),
    },
    exit_code: exitCodeOf(severities, skipped.length > 0),
    checks: checks.map((check, index) => reported(check, outcomes[index]!)),
  };
}

type Identity = Report["verdict"]["protocol"]["identities"][number];

/** What the lane declares, what this verification saw of it itself, and whether the two are equal. */
function identitiesOf(
  manifest: Manifest | undefined,
  { dataset, manifestSha256, statement }: LaneEvidence,
): Identity[] {
  if (!manifest) return [];
  const identity = (name: string, declared: string | null, observed: string | null): Identity => ({
    name,
    declared,
    observed,
    equal: declared === null || observed === null ? null : declared === observed,
  });
  const signed = statement.ok ? (statement.value.subject[0]?.digest.sha256 ?? null) : null;
  return [
    identity("manifest", signed, manifestSha256 ?? null),
    identity("dataset", manifest.dataset.sha256, dataset?.identity.sha256 ?? null),
    identity("reader-model", manifest.model.digest, null),
  ];
}

/** The report on something that could not be opened as a lane at all. */
export function unreadableReport(error: SealaneError): Report {
  const severity = REASONS[error.code].severity;
  return {
    schema: "sealane-report/1",
    tool: TOOL,
    lane: null,
    mode: "reference-verification",
    verdict: {
      integrity: INTEGRITY[severity] ?? "not-evaluated",
      policy: "not-evaluated",
      protocol: { mode: "reference-verification", identities: [] },
      limits: ["Nothing inside was looked at, because the container itself does not hold together."],
    },
    exit_code: EXIT[severity],
    checks: [
      {
        id: "container",
        title: "The archive is, byte for byte, what its manifest implies",
        outcome: "failed",
        examined: 1,
        findings_total: 1,
        findings: [
          {
            code: error.code,
            at: error.at ?? "archive",
            ...(error.expected === undefined ? {} : { expected: error.expected }),
            ...(error.found === undefined ? {} : { found: error.found }),
            message: error.message,
          },
        ],
      },
      ...CHECKS.map((check) => ({
        id: check.id,
        title: check.title,
        outcome: "not-run" as const,
        why: "the archive could not be opened",
      })),
    ],
  };
}
