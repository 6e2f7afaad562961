// What a request body comes to. Bodies are nearly all of a lane, so this is worked out once for all checks, and can be worked out
// beside them.
import { sha256Hex } from "../lib/bytes/digest.js";
import { PieceCounter } from "../lib/evidence/piece-counter.js";
import { pinnedTokenizer, type Tokenizer } from "../lib/evidence/tokens.js";
import { SealaneError } from "../lib/finding.js";
import { evidenceOf, type RequestQuestion } from "../lib/reader/request.js";
import type { LaneRow } from "../lib/records/rows.js";
import type { ReaderProtocol } from "../schemas/index.js";
import type { Check } from "./check.js";
import type { LaneEvidence } from "./evidence.js";

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

export class BodyExaminer {
  readonly #protocol: ReaderProtocol | undefined;
  readonly #counter: PieceCounter | undefined;

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
    const digested = this.digest(asked, body);
    return { ...digested, evidenceTokens: this.count(digested.evidence) };
  }

  /**
   * All but the tokens.
   * @param out where the evidence goes, when it is to stand in memory of the caller's: as long as the body at least
   */
  digest(asked: RequestQuestion | undefined, body: Buffer, out?: Buffer): Omit<ExaminedBody, "evidenceTokens"> {
    const evidence = asked && this.#protocol && evidenceOf(this.#protocol, asked, body, out);
    return { bodySha256: sha256Hex(body), evidence, evidenceSha256: evidence && sha256Hex(evidence) };
  }

  count(evidence: Buffer | undefined): ExaminedBody["evidenceTokens"] {
    return evidence && this.#counter && (this.#counter.count(evidence) ?? "a word is too long");
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
