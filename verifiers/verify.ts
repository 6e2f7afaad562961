// Evidence and policy -> report. Pure: no clock, no network, no file; the same evidence and policy give the same report.

import { decodeBase64 } from "../lib/bytes/base64.js";
import { EXIT, REASONS, SealaneError, type Severity } from "../lib/finding.js";
import { readReply } from "../lib/reader/reply.js";
import { evidenceOf } from "../lib/reader/request.js";
import { LANE_FILES } from "../lib/records/documents.js";
import type { FileSeen, LaneRow } from "../lib/records/rows.js";
import { TOOL } from "../lib/tool.js";
import type { Manifest, Report } from "../schemas/index.js";
import type { Check, ExaminedRow } from "./check.js";
import { CHECKS } from "./checks/index.js";
import type { LaneEvidence, Policy } from "./evidence.js";
import type { Outcome } from "./outcome.js";

/** What each row is worked out to once, for all checks. */
function examined(row: LaneRow, { reader }: LaneEvidence): ExaminedRow {
  const { question, body, receipt } = row;
  const asked = question && { question: question.value.question, questionDate: question.value.question_date ?? null };
  const evidence = asked && body && reader.ok ? evidenceOf(reader.value, asked, body.value.body) : undefined;
  const response = receipt?.value.response && decoded(receipt.value.response);
  const status = receipt?.value.http_status;
  const reply = response === undefined || status === undefined ? undefined : readReply(status, response);
  return { ...row, evidence, response, reply };
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

/**
 * Runs the checks over one lane, reading its rows once.
 * @param onRow told after each row how many of how many are done
 */
export function verifyLane(
  evidence: LaneEvidence,
  policy: Policy,
  checks: readonly Check[] = CHECKS,
  onRow: (done: number, total: number) => void = () => {},
): Report {
  const examinations = checks.map((check) => check.start(evidence, policy));
  const watching = examinations.filter((examination) => examination.row !== undefined);
  const total = evidence.manifest.ok ? evidence.manifest.value.population.count : 0;
  for (const row of evidence.rows) {
    const whole = examined(row, evidence);
    for (const examination of watching) examination.row?.(whole);
    onRow(row.index + 1, total);
  }
  const seen = new Map([...evidence.wholeFiles, ...evidence.rows.seen].map((file) => [file.path, file]));
  const manifest = evidence.manifest.ok ? evidence.manifest.value : undefined;
  const reasons = manifest
    ? unfit(manifest, evidence, seen)
    : new Map([[LANE_FILES.manifest, "manifest.json could not be read"]]);
  const outcomes = checks.map((check, index): Outcome => {
    const why = obstacle(check, manifest, reasons);
    return why === undefined ? examinations[index]!.finish(seen) : { kind: "not-run", why };
  });
  return reportOf(evidence, checks, outcomes);
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

/** Which of several failures speaks: what cannot be judged before what was judged wrong, that before what a policy asks. */
const PRECEDENCE: readonly Severity[] = ["unsupported", "limit", "malformed", "failed", "io", "policy"];

const INTEGRITY: Partial<Record<Severity, Report["verdict"]["integrity"]>> = {
  unsupported: "unsupported",
  limit: "limit-exceeded",
  malformed: "malformed",
  failed: "failed",
  io: "not-evaluated",
};

function reportOf(evidence: LaneEvidence, checks: readonly Check[], outcomes: readonly Outcome[]): Report {
  const severities = new Set(
    outcomes.flatMap((outcome) =>
      outcome.kind === "failed" ? outcome.findings.map((finding) => REASONS[finding.code].severity) : [],
    ),
  );
  const worst = PRECEDENCE.find((severity) => severities.has(severity));
  const worstIntegrity = PRECEDENCE.find((severity) => severity !== "policy" && severities.has(severity));
  const skipped = checks.filter((check, index) => outcomes[index]?.kind === "not-run" && !check.optional);
  const exitCode = worst === undefined ? (skipped.length > 0 ? EXIT.inconclusive : EXIT.ok) : EXIT[worst];
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
      policy: severities.has("policy") ? "not-met" : signed?.kind === "passed" ? "met" : "not-evaluated",
      protocol: { mode: "reference-verification", identities: identitiesOf(manifest, evidence) },
      limits: limitsOf(evidence, skipped, outcomes, checks),
    },
    exit_code: exitCode,
    checks: checks.map((check, index) => reported(check, outcomes[index]!)),
  };
}

function reported({ id, title }: Check, outcome: Outcome): Report["checks"][number] {
  switch (outcome.kind) {
    case "passed":
      return { id, title, outcome: "passed", examined: outcome.examined };
    case "failed":
      return {
        id,
        title,
        outcome: "failed",
        examined: outcome.examined,
        findings_total: outcome.findingsTotal,
        findings: outcome.findings.map(({ questionId, ...finding }) => ({
          ...finding,
          ...(questionId === undefined ? {} : { question_id: questionId }),
        })),
      };
    default:
      return { id, title, outcome: outcome.kind, why: outcome.why };
  }
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

function limitsOf(
  evidence: LaneEvidence,
  skipped: readonly Check[],
  outcomes: readonly Outcome[],
  checks: readonly Check[],
): string[] {
  const limits: string[] = [];
  if (!evidence.dataset) {
    limits.push(
      "No dataset was given: that questions, source spans and references are the dataset's own was not checked.",
    );
  }
  const reasons = new Map<string, string[]>();
  for (const check of skipped) {
    const outcome = outcomes[checks.indexOf(check)];
    const why = outcome?.kind === "not-run" ? outcome.why : "";
    reasons.set(why, [...(reasons.get(why) ?? []), check.id]);
  }
  for (const [why, ids] of reasons) limits.push(`Not run: ${ids.join(", ")} (${why}).`);
  limits.push("Rollback was not evaluated: nothing was given that tells which version was seen before.");
  limits.push(
    "No model was called: that the recorded calls were made as recorded, and no others, rests on the signer's word.",
  );
  return limits;
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
