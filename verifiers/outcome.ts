import { LIMITS } from "../lib/bytes/limits.js";
import type { Finding, ReasonCode } from "../lib/finding.js";

/** Wrong, not known and not asked are different outcomes. */
export type Outcome =
  | { readonly kind: "passed"; readonly examined: number; readonly limits: readonly string[] }
  | {
      readonly kind: "failed";
      readonly examined: number;
      readonly findings: readonly Finding[];
      readonly findingsTotal: number;
      readonly limits: readonly string[];
    }
  | { readonly kind: "not-applicable"; readonly why: string }
  /** `stands`: for want of what another check says is missing, so that this one takes nothing from the verdict. */
  | { readonly kind: "not-run"; readonly why: string; readonly stands?: true; readonly limits?: readonly string[] };

/** Counts what a check examined and keeps its findings, up to a bound. */
export class Notes {
  #examined = 0;
  #total = 0;
  readonly #findings: Finding[] = [];
  readonly #limits: string[] = [];

  examined(count = 1): void {
    this.#examined += count;
  }

  add(finding: Finding): void {
    this.#total += 1;
    if (this.#findings.length < LIMITS.findingsMax) this.#findings.push(finding);
  }

  /** Adds a finding unless `holds`. */
  expect(holds: boolean, finding: () => Finding): void {
    if (!holds) this.add(finding());
  }

  /** What the outcome does not say, or rests on, as a sentence of the verdict's limits. */
  limit(sentence: string): void {
    this.#limits.push(sentence);
  }

  /** Passed on nothing is a failure, because a check that looked at nothing has shown nothing. */
  outcome(whenNothing: { readonly code: ReasonCode; readonly at: string }): Outcome {
    if (this.#total > 0) {
      const findings = this.#findings;
      return { kind: "failed", examined: this.#examined, findings, findingsTotal: this.#total, limits: this.#limits };
    }
    if (this.#examined > 0) return { kind: "passed", examined: this.#examined, limits: this.#limits };
    const finding: Finding = { ...whenNothing, message: "there is nothing to examine" };
    return { kind: "failed", examined: 0, findings: [finding], findingsTotal: 1, limits: this.#limits };
  }
}
