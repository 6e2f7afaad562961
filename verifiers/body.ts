// What a request body comes to. Bodies are nearly all of a lane, so this is worked out once for all checks, and can be worked out
// beside them.
import { sha256Hex } from "../lib/bytes/digest.js";
import { PieceCounter } from "../lib/evidence/piece-counter.js";
import { pinnedTokenizer, type Tokenizer } from "../lib/evidence/tokens.js";
import { SealaneError } from "../lib/finding.js";
import { type AroundEvidence, bodyAround, evidenceWithin, type RequestQuestion } from "../lib/reader/request.js";
import { type ScannedBody, scanBody } from "../lib/records/documents.js";
import type { LaneRow } from "../lib/records/rows.js";
import type { ReaderProtocol } from "../schemas/index.js";
import type { Check } from "./check.js";
import type { LaneEvidence } from "./evidence.js";
import { KnownBeginning } from "./known-beginning.js";

export interface ExaminedBody {
  readonly bodySha256: string | undefined;
  /** The evidence that the request holds, as UTF-8, if the request is what the reader protocol makes of the question and it. */
  readonly evidence: Buffer | undefined;
  readonly evidenceSha256: string | undefined;
  /** Counted by the lane's tokenizer; undefined when it is not one of this release's, or when nothing asks for tokens. */
  readonly evidenceTokens: number | "a word is too long" | undefined;
}

/** There is no body, or none that can be read. */
export const NO_BODY: ExaminedBody = {
  bodySha256: undefined,
  evidence: undefined,
  evidenceSha256: undefined,
  evidenceTokens: undefined,
};

/** What a body comes to, all but the tokens. */
export type DigestedBody = Omit<ExaminedBody, "evidenceTokens">;

export class BodyExaminer {
  readonly #protocol: ReaderProtocol | undefined;
  readonly #counter: PieceCounter | undefined;
  readonly #beginning = new KnownBeginning();
  /** The evidence that was counted last, by its digest: questions about one history are often given the same. */
  #counted: { readonly sha256: string; readonly tokens: ExaminedBody["evidenceTokens"] } | undefined;

  /**
   * @param protocol undefined when the lane's could not be read
   * @param tokenizer undefined when tokens are not to be counted
   */
  constructor(protocol: ReaderProtocol | undefined, tokenizer: Tokenizer | undefined) {
    this.#protocol = protocol;
    this.#counter = tokenizer && new PieceCounter(tokenizer);
  }

  /** @param asked the question that the body is a request of */
  examine(asked: RequestQuestion | undefined, body: Buffer | undefined): ExaminedBody {
    if (!body) return NO_BODY;
    const around = this.#around(asked);
    const evidence = around && evidenceWithin(around, body);
    const digested = { bodySha256: sha256Hex(body), evidence, evidenceSha256: evidence && sha256Hex(evidence) };
    return { ...digested, evidenceTokens: this.count(digested) };
  }

  /**
   * Scans a line of bodies/requests.jsonl and digests its body: all but the tokens. Undefined for a line that is not plainly a body's record.
   * A line that begins as one before it, evidence and all, is not gone through again: what is the same is known by comparing it.
   * @param out where body and evidence go: each as long as the line
   */
  digestLine(
    asked: RequestQuestion | undefined,
    line: Buffer,
    out: { readonly body: Buffer; readonly evidence: Buffer },
  ): (ScannedBody & DigestedBody) | undefined {
    const around = this.#around(asked);
    const known = this.#beginning.digest(around, line, out);
    if (known) return known;
    const scanned = scanBody(line, out.body);
    if (!scanned) return undefined;
    const { body } = scanned;
    const evidence = around && evidenceWithin(around, body, out.evidence);
    if (!evidence) return { ...scanned, bodySha256: sha256Hex(body), evidence, evidenceSha256: undefined };
    return { ...scanned, ...this.#beginning.learn(around, line, scanned, evidence) };
  }

  count({
    evidence,
    evidenceSha256: sha256,
  }: Pick<ExaminedBody, "evidence" | "evidenceSha256">): ExaminedBody["evidenceTokens"] {
    if (!evidence || sha256 === undefined || !this.#counter) return undefined;
    if (this.#counted?.sha256 !== sha256) {
      this.#counted = { sha256, tokens: this.#counter.count(evidence) ?? "a word is too long" };
    }
    return this.#counted.tokens;
  }

  #around(asked: RequestQuestion | undefined): AroundEvidence | undefined {
    return asked && this.#protocol && bodyAround(this.#protocol, asked);
  }
}

/** What a row's request asks. */
export function askedIn({ question, packet }: LaneRow<unknown>): RequestQuestion | undefined {
  return (
    question && {
      question: question.value.question,
      questionDate: question.value.question_date ?? null,
      temperature: packet?.value.temperature,
    }
  );
}

/** The lane's tokenizer: the user's copy of it, or this release's; undefined when neither is it. */
export function tokenizerAtHand({ preparation, tokenizer }: LaneEvidence): Tokenizer | undefined {
  if (!preparation.ok) return undefined;
  try {
    return pinnedTokenizer(preparation.value.tokenizer, tokenizer);
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

/** What is needed to examine the bodies of a lane under some checks; it can be sent to another thread. */
export interface BodyRules {
  readonly protocol: ReaderProtocol | undefined;
  readonly tokenizer: Parameters<typeof pinnedTokenizer>[0] | undefined;
}

export function bodyRulesOf(evidence: LaneEvidence, checks: readonly Check[]): BodyRules {
  const { reader, preparation } = evidence;
  const asked = checks.some((check) => check.id === "tokens");
  const counts = asked && preparation.ok && tokenizerAtHand(evidence) !== undefined;
  return {
    protocol: reader.ok ? reader.value : undefined,
    tokenizer: counts ? preparation.value.tokenizer : undefined,
  };
}

/** @param given the user's copy of the lane's tokenizer, when that is a file */
export function bodyExaminerOf({ protocol, tokenizer }: BodyRules, given?: Tokenizer): BodyExaminer {
  return new BodyExaminer(protocol, tokenizer && pinnedTokenizer(tokenizer, given));
}
