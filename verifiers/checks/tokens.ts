import { LIMITS } from "../../lib/bytes/limits.js";
import { type Tokenizer, tokenizerOf } from "../../lib/evidence/tokens.js";
import { SealaneError } from "../../lib/finding.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { Check } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";

/** Every packet is counted again under the pinned tokenizer and stays within the ceiling. */
export const tokens: Check = {
  id: "tokens",
  how: "each packet counted again under the pinned tokenizer, and its ceiling",
  title: "Token counts are true and within the ceiling",
  emits: ["E_BUDGET", "E_WORD"],
  needs: () => [
    LANE_FILES.packets,
    LANE_FILES.preparation,
    LANE_FILES.population,
    LANE_FILES.bodies,
    LANE_FILES.reader,
  ],
  start({ preparation }) {
    const tokenizer = pinnedTokenizer(preparation);
    if (!preparation.ok || tokenizer === undefined) {
      return { finish: () => ({ kind: "not-run", why: "this release does not have the lane's tokenizer" }) };
    }
    const notes = new Notes();
    const counter = new PieceCounter(tokenizer);
    const ceiling = preparation.value.ceiling_tokens;
    let unread = 0;
    return {
      row({ packet, evidence }) {
        if (!packet) return;
        // Evidence that cannot be had from the request is the request check's finding.
        if (evidence === undefined) {
          unread += 1;
          return;
        }
        notes.examined();
        const { question_id: questionId, tokens: declared } = packet.value;
        const at = `${LANE_FILES.packets}:${packet.line}`;
        const counted = counter.count(evidence);
        if (counted === undefined) {
          const expected = `at most ${LIMITS.wordCharactersMax} characters without white space`;
          notes.add({
            code: "E_WORD",
            at,
            questionId,
            expected,
            message: "a word of the evidence is too long to be counted",
          });
          return;
        }
        notes.expect(counted === declared, () => ({
          code: "E_BUDGET",
          at,
          questionId,
          expected: `${counted} tokens`,
          found: `${declared} tokens`,
          message: "the packet's token count is not true",
        }));
        notes.expect(counted <= ceiling, () => ({
          code: "E_BUDGET",
          at,
          questionId,
          expected: `at most ${ceiling} tokens`,
          found: `${counted} tokens`,
          message: "the packet is over the ceiling",
        }));
      },
      finish(): Outcome {
        const outcome = notes.outcome({ code: "E_BUDGET", at: LANE_FILES.packets });
        if (unread === 0 || (outcome.kind === "failed" && outcome.examined > 0)) return outcome;
        return { kind: "not-run", why: `the evidence of ${unread} packets could not be read out of their requests` };
      },
    };
  },
};

function pinnedTokenizer(preparation: LaneEvidence["preparation"]): Tokenizer | undefined {
  if (!preparation.ok) return undefined;
  try {
    const tokenizer = tokenizerOf(preparation.value.tokenizer.id);
    return tokenizer.identity.sha256 === preparation.value.tokenizer.sha256 ? tokenizer : undefined;
  } catch (error) {
    if (error instanceof SealaneError) return undefined;
    throw error;
  }
}

function hasLongWord(text: string): boolean {
  for (const [word] of text.matchAll(/\S+/g)) if (word.length > LIMITS.wordCharactersMax) return true;
  return false;
}

/** Counts evidence piece by piece where the tokenizer's counts add up, remembering pieces: packets of one history share most of them. */
class PieceCounter {
  readonly #tokenizer: Tokenizer;
  readonly #known = new Map<string, number>();

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** @param evidence UTF-8. Undefined when a word is too long. */
  count(evidence: Buffer): number | undefined {
    if (!this.#tokenizer.addsUpAtLines) return this.#countText(evidence.toString("utf8"));
    // One character a byte: cutting and looking up need no decoding, which most pieces have been through before.
    const bytes = evidence.toString("latin1");
    let total = 0;
    let start = 0;
    while (start < bytes.length) {
      const end = pieceEnd(bytes, start);
      const count = this.#countPiece(bytes.slice(start, end));
      if (count === undefined) return undefined;
      total += count;
      start = end;
    }
    return total;
  }

  #countText(text: string): number | undefined {
    return hasLongWord(text) ? undefined : this.#tokenizer.count(text);
  }

  #countPiece(bytes: string): number | undefined {
    let count = this.#known.get(bytes);
    if (count === undefined) {
      // Bounded: a lane's distinct pieces are its segments and headers, but a hostile lane may have more.
      if (this.#known.size > 500_000) this.#known.clear();
      count = this.#countText(Buffer.from(bytes, "latin1").toString("utf8"));
      if (count !== undefined) this.#known.set(bytes, count);
    }
    return count;
  }
}

/** Past the next line feed that "[" or "(" follows, or the end. */
function pieceEnd(text: string, start: number): number {
  for (let at = text.indexOf("\n", start); at >= 0; at = text.indexOf("\n", at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next === 0x5b || next === 0x28) return at + 1;
  }
  return text.length;
}
