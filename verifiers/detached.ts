// A detached lane: without the dataset what its digests, grades and signatures prove; with it, the whole lane is made again in a
// folder of its own and verified as any other. The first is never taken for a verification.
import { join } from "node:path";
import { startSha256 } from "../lib/bytes/digest.js";
import { attributionOf } from "../lib/dataset/index.js";
import { EXIT, REASONS, SealaneError } from "../lib/finding.js";
import { FolderSource } from "../lib/io/folder-source.js";
import type { Input } from "../lib/io/input.js";
import { MemorySource } from "../lib/io/memory-source.js";
import type { LaneSource } from "../lib/io/source.js";
import { withTemporaryFolder } from "../lib/io/temporary.js";
import { type HydrateOptions, hydrateLane, wholeLaneIn } from "../lib/lane/hydrate.js";
import { DETACHED_FILES } from "../lib/records/detached.js";
import { LANE_FILES } from "../lib/records/documents.js";
import type { CheckReport, Report } from "../schemas/index.js";
import type { Check } from "./check.js";
import { findingOf } from "./check.js";
import { CHECKS } from "./checks/index.js";
import { signatures } from "./checks/signatures.js";
import { gatherLane, type LaneEvidence, type Policy } from "./evidence.js";
import { Notes, type Outcome } from "./outcome.js";
import { bySeverity } from "./verdict.js";
import { verifyLane } from "./verify.js";

/** Checks that hold a lane's files, digests, grades and times against each other, and need no text for it. */
const WITHOUT_TEXT: readonly string[] = [
  "signatures",
  "files",
  "documents",
  "protocols",
  "modes",
  "packets",
  "model",
  "trees",
  "checkpoints",
  "results",
  "amendments",
  "times",
];

/** What stands in a detached lane for a file of the whole one; nothing stands for references, whose digests the grades name. */
const STAND_INS: Readonly<Record<string, readonly string[]>> = {
  [LANE_FILES.population]: [DETACHED_FILES.population],
  [LANE_FILES.answers]: [DETACHED_FILES.answers],
  [LANE_FILES.receipts]: [DETACHED_FILES.receipts],
  [LANE_FILES.references]: [],
};

const WHOLE_TITLE = "The whole lane that it was made from is signed, and says the same of itself";

/** The whole lane's own manifest and signatures, and the population that both name. */
function wholeLane(source: LaneSource): Check {
  return {
    id: "whole",
    title: WHOLE_TITLE,
    how: "the manifest and envelope of the whole lane against the trust file and against the detached lane",
    emits: ["E_RECIPE", ...signatures.emits],
    needs: () => Object.values(DETACHED_FILES),
    start({ manifest }, { trust }) {
      const ids = startSha256();
      let count = 0;
      return {
        row({ question }) {
          if (!question) return;
          ids.update(`${question.value.question_id}\n`);
          count += 1;
        },
        finish() {
          if (!manifest.ok) return { kind: "not-run", why: "the manifest could not be read" };
          const notes = new Notes();
          try {
            const { manifestBytes, envelopeBytes } = wholeLaneIn(source, manifest.value);
            const files = new Map([
              [LANE_FILES.manifest, manifestBytes],
              [LANE_FILES.envelope, envelopeBytes],
            ]);
            const evidence = gatherLane(new MemorySource(files), undefined);
            const signed = evidence.statement.ok ? evidence.statement.value.subject[0]?.digest.sha256 : undefined;
            notes.expect(signed === evidence.manifestSha256, () => ({
              code: "E_RECIPE",
              at: DETACHED_FILES.envelope,
              message: "the whole lane's envelope is about another manifest",
            }));
            const outcome = signatures.start(evidence, { trust }).finish(new Map());
            if (outcome.kind !== "passed") return outcome;
            notes.examined(outcome.examined);
          } catch (error) {
            if (!(error instanceof SealaneError)) throw error;
            notes.add({ ...findingOf(error, DETACHED_FILES.manifest), code: "E_RECIPE" });
          }
          const { population } = manifest.value;
          const found = { count, ids_sha256: ids.digest("hex") };
          notes.examined();
          notes.expect(found.count === population.count && found.ids_sha256 === population.ids_sha256, () => ({
            code: "E_RECIPE",
            at: DETACHED_FILES.population,
            expected: `${population.count} questions, ${population.ids_sha256}`,
            found: `${found.count} questions, ${found.ids_sha256}`,
            message: "the questions are not those that the manifest declares",
          }));
          return notes.outcome({ code: "E_RECIPE", at: DETACHED_FILES.manifest });
        },
      };
    },
  };
}

/** The checks as they judge a detached lane: those that need its dataset's text are not run, and say so. */
function checksWithoutText(source: LaneSource, asked: readonly Check[]): Check[] {
  const notRun: Outcome = {
    kind: "not-run",
    why: "it takes the lane's dataset: --dataset",
  };
  const adapted = asked.map((check): Check => {
    if (check.id === "history")
      return { ...check, start: (evidence, policy) => check.start(asWhole(evidence), policy) };
    if (!WITHOUT_TEXT.includes(check.id)) return { ...check, needs: () => [], start: () => ({ finish: () => notRun }) };
    return { ...check, needs: (manifest) => check.needs(manifest).flatMap((path) => STAND_INS[path] ?? [path]) };
  });
  return [wholeLane(source), ...adapted];
}

/** What is remembered of a lane is the whole one's manifest. */
function asWhole(evidence: LaneEvidence): LaneEvidence {
  const { manifest } = evidence;
  return { ...evidence, manifestSha256: manifest.ok ? manifest.value.detached?.manifest_sha256 : undefined };
}

/** What was not checked, and which dataset it takes. */
function limitsWithout({ manifest }: LaneEvidence, isGiven: boolean): string[] {
  return [
    "This is no verification of the lane: it is detached, and without its dataset only files, signatures, digests, grades' totals and times were checked.",
    ...(manifest.ok ? attributionOf(manifest.value.dataset) : []),
    ...(isGiven
      ? []
      : [
          "No dataset was given: that questions, source spans and references are the dataset's own, and packets those its arm makes, was not checked.",
        ]),
  ];
}

/**
 * What can be said of a detached lane without its dataset: never more than `partial`, with the exit code of what is missing.
 * @param isGiven whether there is a dataset, for later
 */
function withoutDataset(
  source: LaneSource,
  policy: Policy,
  asked: readonly Check[],
  options: HydrateOptions,
  isGiven: boolean,
): Report {
  const checks = checksWithoutText(source, asked);
  const evidence = gatherLane(source, undefined);
  const report = verifyLane(evidence, policy, checks, options.onProgress);
  const sound = report.checks.every(
    ({ id, outcome }) => outcome !== "failed" && ((id !== "signatures" && id !== "whole") || outcome === "passed"),
  );
  const limits = [...limitsWithout(evidence, isGiven), ...report.verdict.limits];
  const verdict = { ...report.verdict, limits };
  if (!sound) return { ...report, verdict };
  return { ...report, exit_code: EXIT.inconclusive, verdict: { ...verdict, integrity: "partial" } };
}

/** A report on a detached lane of which the dataset does not make the whole one. */
function notMade(report: Report, error: SealaneError): Report {
  const [severity = "failed"] = bySeverity([error.code]);
  const { questionId: _question, ...finding } = findingOf(error, DETACHED_FILES.receipts);
  const failed: CheckReport = { ...MADE, outcome: "failed", examined: 1, findings_total: 1, findings: [finding] };
  return {
    ...report,
    verdict: { ...report.verdict, integrity: severity === "malformed" ? "malformed" : "failed" },
    exit_code: EXIT[severity],
    checks: [failed, ...report.checks],
  };
}

const SIGNED = { id: "detached-signatures", title: "The detached lane is signed by keys trusted for it" } as const;
const MADE = { id: "detached", title: "The dataset and the detached lane make the whole one, byte for byte" } as const;

/** What is wrong with the lane or the dataset, not with the machine. */
function isVerdict(error: unknown): error is SealaneError {
  if (!(error instanceof SealaneError)) return false;
  const { severity } = REASONS[error.code];
  return severity === "failed" || severity === "malformed" || severity === "limit" || severity === "unsupported";
}

/**
 * Verifies a detached lane. With a dataset: its own files and signatures first, then the whole lane, made in a temporary folder
 * and given to `verifyWhole`, whose report it is. Throws E_CANCELLED and what reading the dataset throws.
 */
export async function verifyDetached(
  source: LaneSource,
  given: Input | undefined,
  policy: Policy,
  verifyWhole: (whole: LaneSource) => Promise<Report>,
  options: HydrateOptions & { readonly checks?: readonly Check[] },
): Promise<Report> {
  const asked = options.checks ?? CHECKS;
  if (given === undefined) return withoutDataset(source, policy, asked, options, false);
  // Rollback and anchors are about the whole lane's signatures, and judged there.
  const own = withoutDataset(source, { trust: policy.trust }, CHECKS, { ...options, onProgress: () => {} }, true);
  if (own.exit_code !== EXIT.inconclusive && own.exit_code !== EXIT.policy) return own;
  const asksWho = asked.some(({ id }) => id === "signatures");
  const unmet = asksWho ? own.checks.find(({ outcome }) => outcome === "failed") : undefined;
  return withTemporaryFolder(async (folder) => {
    const out = join(folder, "lane");
    try {
      await hydrateLane(source, given, out, options);
    } catch (error) {
      if (isVerdict(error)) return notMade(own, error);
      throw error;
    }
    const whole = new FolderSource(out);
    const report = await verifyWhole(whole);
    const made: CheckReport = { ...MADE, outcome: "passed", examined: whole.entries().length };
    if (!unmet) return { ...report, checks: [made, ...report.checks] };
    // The whole lane may be signed as the trust file asks; what was published in its stead is not.
    const exit_code =
      report.exit_code === EXIT.ok || report.exit_code === EXIT.inconclusive ? EXIT.policy : report.exit_code;
    const verdict: Report["verdict"] = { ...report.verdict, policy: "not-met" };
    return { ...report, exit_code, verdict, checks: [made, { ...unmet, ...SIGNED }, ...report.checks] };
  });
}
