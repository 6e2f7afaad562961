import type { AnswerRecord, GradeRecord, ReferenceRecord, TokenF1Protocol } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import { F1_RULES, type F1Rule, scoreTokenF1 } from "./token-f1.js";

/** What a grade is computed from. */
export interface Graded {
  readonly category: string;
  readonly answer: AnswerRecord;
  readonly reference: ReferenceRecord;
  /** SHA-256 of the canonical reference record. */
  readonly referenceSha256: string;
  readonly protocolSha256: string;
}

/** One way of grading whose verdict is computed from answer and reference alone, so that a verifier computes it again. */
export interface Endpoint {
  readonly id: string;
  readonly title: string;
  readonly protocol: TokenF1Protocol;
  /** Throws E_VERSION when the protocol asks for a rule this release does not have. */
  grade(protocol: TokenF1Protocol, graded: Graded): GradeRecord;
}

/**
 * LoCoMo's official rules by category (lib/judge/token-f1.ts). A question without a reference is right when the answer
 * says that it does not know.
 */
const TOKEN_F1_PROTOCOL: TokenF1Protocol = {
  schema: "sealane-token-f1/1",
  endpoint: "token-f1",
  normalisation: [
    "drop-commas",
    "lower-case",
    "drop-ascii-punctuation",
    "articles-and-to-blank",
    "collapse-white-space",
  ],
  stemmer: "porter-nltk-extensions",
  rules: [
    { category: "multi-hop", rule: "best-part-mean" },
    { category: "temporal", rule: "plain" },
    { category: "open-domain", rule: "first-clause" },
    { category: "single-hop", rule: "plain" },
    { category: "adversarial", rule: "abstention-phrase" },
  ],
  rule_otherwise: "plain",
  rule_without_reference: "abstention-phrase",
  abstention_phrases: ["no information available", "not mentioned"],
  failure_score: 0,
};

function ruleOf(protocol: TokenF1Protocol, { category, reference }: Graded): F1Rule {
  const named = protocol.rules.find((entry) => entry.category === category)?.rule ?? protocol.rule_otherwise;
  const label = reference.reference === null ? protocol.rule_without_reference : named;
  const rule = F1_RULES.find((known) => known === label);
  if (rule) return rule;
  throw new SealaneError("E_VERSION", `this release does not have the rule '${label}'`, {
    expected: F1_RULES.join(" | "),
    found: label,
  });
}

/** Answers that are results of a reader; the other statuses have nothing to grade and count as failures. */
const GRADABLE: readonly AnswerRecord["status"][] = ["answered"];

export const tokenF1: Endpoint = {
  id: "token-f1",
  title: "token F1 against the reference, by LoCoMo's official rules",
  protocol: TOKEN_F1_PROTOCOL,
  grade(protocol, graded) {
    const { answer, reference, referenceSha256, protocolSha256 } = graded;
    const rule = ruleOf(protocol, graded);
    const gradable = GRADABLE.includes(answer.status) && answer.answer !== undefined;
    const score = gradable
      ? scoreTokenF1(rule, answer.answer ?? "", reference.reference, protocol.abstention_phrases)
      : protocol.failure_score;
    return {
      question_id: answer.question_id,
      score,
      basis: gradable ? "rule" : "failure-zero",
      rule,
      answer_sha256: answer.answer_sha256 ?? null,
      reference_sha256: referenceSha256,
      protocol_sha256: protocolSha256,
    };
  },
};
