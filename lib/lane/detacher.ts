// One question of a whole lane -> what a detached lane holds of it: searched for left-over text, and made whole again at once.
import type { ReceiptRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import type { History } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import { readReply } from "../reader/reply.js";
import { DETACHED_FILES } from "../records/detached.js";
import { LANE_FILES, type Located } from "../records/documents.js";
import type { LaneRow } from "../records/rows.js";
import { type NamedText, PhraseIndex } from "../text/phrase-index.js";
import { quoted, withCopy } from "../text/quoting.js";
import type { DetachedRow, Rebuilder, WholeRecords } from "./detached-row.js";
import { type LeftoverText, stringsIn } from "./leftover-text.js";
import { type DatasetQuestion, historyTexts, ownTexts } from "./question-texts.js";

/** Why a lane cannot be detached. */
export const refused = (why: string, at: string, more: { expected?: string; found?: string } = {}): SealaneError =>
  new SealaneError("E_DETACH", `the lane cannot be detached: ${why}`, { at, ...more });

/** Makes the detached records of one history's questions after another. */
export class Detacher {
  readonly #rebuilder: Rebuilder;
  readonly #leftover: LeftoverText;
  readonly #length: number;
  #current: { readonly history: History; readonly index: PhraseIndex } | undefined;
  readonly held = new Set<string>();

  constructor(rebuilder: Rebuilder, leftover: LeftoverText, wordsMax: number) {
    this.#rebuilder = rebuilder;
    this.#leftover = leftover;
    this.#length = wordsMax + 1;
  }

  #of(historyId: string): PhraseIndex {
    if (this.#current?.history.historyId !== historyId) {
      this.finish();
      const history = this.#rebuilder.history(historyId);
      this.#current = { history, index: new PhraseIndex(historyTexts(history), this.#length) };
    }
    return this.#current!.index;
  }

  /** Every text that a response to this question may be made of. */
  *#texts(own: DatasetQuestion): Generator<NamedText> {
    yield* historyTexts(this.#rebuilder.history(own.asked.historyId));
    yield* ownTexts(own);
  }

  /** Throws E_DETACH_TEXT when literal text of this history's questions stands in the history. */
  finish(): void {
    if (!this.#current) return;
    const { history } = this.#current;
    this.#current = undefined;
    this.#leftover.holdAgainst(history);
    this.held.add(history.historyId);
  }

  /** Throws E_DETACH, E_DETACH_TEXT. */
  row({ question, packet, answer, receipt, ...rest }: LaneRow): DetachedRow {
    const { body, reference } = rest;
    const at = `${LANE_FILES.population}:${rest.index + 1}`;
    if (!question || !packet || !answer || !receipt || !body || !reference) throw refused("a record is missing", at);
    const { question_id, question: _text, question_date: _date, ...kept } = question.value;
    const own = this.#rebuilder.question(question_id);
    const index = this.#of(own.asked.historyId);
    const ownIndex = new PhraseIndex(ownTexts(own), this.#length);
    const detached: DetachedRow = {
      question: { ...kept, question_id, record_sha256: sha256Hex(question.bytes) },
      answer: (({ answer: _answer, ...bare }) => bare)(answer.value),
      receipt: { question_id, ...recipeOf(receipt.value, [ownIndex, index], this.#texts(own)) },
    };
    const place = `${DETACHED_FILES.receipts}:${rest.index + 1}`;
    const texts = [...ownTexts(own)];
    this.#leftover.addPieces(detached.receipt.data ?? [], texts, place);
    this.#leftover.addPieces(detached.receipt.error ?? [], texts, place);
    const bare = { ...detached, receipt: { ...detached.receipt, data: [], error: [] } };
    for (const value of stringsIn(bare)) this.#leftover.addText(value, texts, place);
    const { response } = receipt.value;
    // What is no UTF-8 stays as it is, and may hold text all the same.
    if (response?.encoding === "base64")
      this.#leftover.addText(Buffer.from(response.data, "base64").toString(), texts, place);
    this.#compare({ question, receipt, answer, body, reference }, detached, packet);
    return detached;
  }

  #compare(
    whole: { readonly [K in "question" | "receipt" | "answer" | "body" | "reference"]: Located<unknown> },
    detached: DetachedRow,
    packet: NonNullable<LaneRow["packet"]>,
  ): void {
    const made: WholeRecords = this.#rebuilder.records(detached, packet.value, LANE_FILES.population);
    const files = [
      [LANE_FILES.population, whole.question],
      [LANE_FILES.references, whole.reference],
      [LANE_FILES.bodies, whole.body],
      [LANE_FILES.receipts, whole.receipt],
      [LANE_FILES.answers, whole.answer],
    ] as const;
    for (const [path, { bytes, line }] of files) {
      if (!Buffer.from(made[path]!).equals(bytes))
        throw refused("a record is not what the dataset and the protocols make", `${path}:${line}`);
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The answer in a response, as the bytes of the response have it. */
function answerIn({ http_status, response }: ReceiptRecord): string | undefined {
  if (http_status === undefined || response?.encoding !== "utf8") return undefined;
  const reply = readReply(http_status, Buffer.from(response.data));
  return "breach" in reply ? undefined : reply.answer;
}

/** A receipt with its texts as pieces. */
function recipeOf(
  receipt: ReceiptRecord,
  indexes: readonly PhraseIndex[],
  texts: Iterable<NamedText>,
): Omit<DetachedRow["receipt"], "question_id"> {
  const { response, error } = receipt;
  const isText = response?.encoding === "utf8";
  const isEscaped = isText && isJson(response.data);
  const answer = isEscaped ? answerIn(receipt) : undefined;
  const record = {
    ...receipt,
    ...(isText ? { response: { ...response, data: "" } } : {}),
    ...(error === undefined ? {} : { error: "" }),
  };
  return {
    record,
    ...(isText ? { data: withCopy(response.data, answer, texts, (part) => quoted(part, isEscaped, indexes)) } : {}),
    ...(isEscaped ? { data_escaped: true as const } : {}),
    ...(error === undefined ? {} : { error: quoted(error, false, indexes) }),
  };
}
