import { publishedRecords } from "../lib/dataset/index.js";
import { HF_TOKENIZER_ID } from "../lib/evidence/tokens.js";
import type { Check } from "./check.js";
import type { LaneEvidence } from "./evidence.js";
import type { Outcome } from "./outcome.js";

/** What the verdict does not cover, or rests on: what was not given, what was not run, and what the checks say of themselves. */
export function limitsOf(
  evidence: LaneEvidence,
  skipped: readonly Check[],
  outcomes: readonly Outcome[],
  checks: readonly Check[],
): string[] {
  const limits: string[] = [];
  // What a detached lane is without its dataset is for verifiers/detached.ts to say.
  if (!evidence.dataset && !(evidence.manifest.ok && evidence.manifest.value.detached)) {
    // The checks of population and references hold those of a published file against its digests.
    const known = evidence.manifest.ok && publishedRecords(evidence.manifest.value.dataset) !== undefined;
    limits.push(
      known
        ? "No dataset was given: that source spans are the dataset's own, and packets those its arm makes, was not checked."
        : "No dataset was given: that questions, source spans and references are the dataset's own, and packets those its arm makes, was not checked.",
    );
  }
  if (lacksTokenizer(evidence)) {
    limits.push("No tokenizer was given: that token counts are true and within the ceiling was not checked.");
  }
  const reasons = new Map<string, string[]>();
  for (const check of skipped) {
    const outcome = outcomes[checks.indexOf(check)];
    const why = outcome?.kind === "not-run" ? outcome.why : "";
    reasons.set(why, [...(reasons.get(why) ?? []), check.id]);
  }
  for (const [why, ids] of reasons) limits.push(`Not run: ${ids.join(", ")} (${why}).`);
  for (const outcome of outcomes) if ("limits" in outcome) limits.push(...(outcome.limits ?? []));
  const history = outcomes[checks.findIndex((check) => check.id === "history")];
  if (history === undefined || history.kind === "not-applicable") {
    limits.push("Rollback was not evaluated: nothing was given that tells which version was seen before.");
  }
  const anchored = outcomes[checks.findIndex((check) => check.id === "anchors")];
  if (anchored === undefined || anchored.kind === "not-applicable") {
    limits.push("No trusted time: when the lane was signed rests on the signer's word, as no anchor was given.");
  }
  limits.push(
    "No model was called: that the recorded calls were made as recorded, and no others, rests on the signer's word.",
  );
  return limits;
}

/** Whether the lane's tokenizer is a file that only the user can give, and he gave none. */
export function lacksTokenizer({ preparation, tokenizer }: LaneEvidence): boolean {
  return preparation.ok && preparation.value.tokenizer.id === HF_TOKENIZER_ID && tokenizer === undefined;
}
