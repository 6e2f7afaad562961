// One question of a detached lane -> its records in the whole lane, from the dataset, the packet and the recipes.
import type {
  AnswerRecord,
  DetachedQuestion,
  DetachedReceipt,
  PacketRecord,
  ReaderProtocol,
} from "../../schemas/index.js";
import { decodeBase64 } from "../bytes/base64.js";
import { canonicalJson } from "../bytes/json.js";
import type { Dataset } from "../dataset/index.js";
import { populationRecord, referenceRecord } from "../dataset/records.js";
import type { History } from "../dataset/types.js";
import { HistoryRenderer, type Renderer } from "../evidence/render.js";
import { SealaneError } from "../finding.js";
import { readReply } from "../reader/reply.js";
import { isKnownLayout, requestBody } from "../reader/request.js";
import { receiptIn } from "../records/detached.js";
import { LANE_FILES } from "../records/documents.js";
import { assembled } from "../text/pieces.js";
import { type DatasetQuestion, DatasetQuestions, textOf } from "./question-texts.js";

/** What a detached lane holds of a question, beside what it shares with the whole one. */
export interface DetachedRow {
  readonly question: DetachedQuestion;
  readonly answer: AnswerRecord;
  readonly receipt: DetachedReceipt;
}

/** Records of the whole lane as canonical text, by the path of their file. */
export type WholeRecords = Readonly<Record<string, string>>;

/** Makes the records of the whole lane, question by question; questions of one history should follow each other. */
export class Rebuilder {
  readonly #dataset: Dataset;
  readonly #questions: DatasetQuestions;
  readonly #renderer: Renderer;
  readonly #reader: ReaderProtocol;
  #current: { readonly history: History; readonly renderer: HistoryRenderer } | undefined;

  /** Throws E_VERSION for a reader protocol whose requests this release cannot make. */
  constructor(dataset: Dataset, renderer: Renderer, reader: ReaderProtocol) {
    if (!isKnownLayout(reader))
      throw new SealaneError("E_VERSION", "requests of this reader protocol are not known to this release", {
        at: LANE_FILES.reader,
      });
    this.#dataset = dataset;
    this.#questions = new DatasetQuestions(dataset);
    this.#renderer = renderer;
    this.#reader = reader;
  }

  /** Throws E_DATASET. */
  question(questionId: string): DatasetQuestion {
    return this.#questions.get(questionId);
  }

  /** Throws E_DATASET. */
  history(historyId: string): History {
    return this.#of(historyId).history;
  }

  #of(historyId: string): { readonly history: History; readonly renderer: HistoryRenderer } {
    if (this.#current?.history.historyId === historyId) return this.#current;
    this.#current = undefined;
    const history = this.#dataset.histories.get(historyId);
    if (!history) throw new SealaneError("E_DATASET", `the dataset has no history ${historyId}`, { found: historyId });
    this.#current = { history, renderer: new HistoryRenderer(history, this.#renderer) };
    return this.#current;
  }

  /** Throws E_DATASET for what the dataset does not have, E_RECIPE for what cannot be made from it. */
  records({ question, answer, receipt: recipe }: DetachedRow, packet: PacketRecord, at: string): WholeRecords {
    const own = this.#questions.get(question.question_id);
    const { history, renderer } = this.#of(own.asked.historyId);
    const spans = packet.spans.map(([session, turn, start, end]) => ({ session, turn, start, end }));
    const evidence = renderer.render(spans);
    if (!evidence) throw new SealaneError("E_RECIPE", `the dataset has not the spans of the packet`, { at });
    if (this.#reader.temperature !== undefined && packet.temperature === undefined)
      throw new SealaneError("E_RECIPE", "the packet has no temperature, by which the reader protocol goes", { at });
    const { question: text, questionDate } = own.asked;
    const body = requestBody(
      this.#reader,
      { question: text, questionDate, temperature: packet.temperature },
      evidence.toString(),
    );
    const named = (name: string): string | undefined => textOf(own, history, name);
    const receipt = receiptIn(recipe, at);
    const { response } = receipt;
    const whole = {
      ...receipt,
      ...(response && recipe.data
        ? { response: { ...response, data: assembled(recipe.data, named, recipe.data_escaped === true, at) } }
        : {}),
      ...(recipe.error ? { error: assembled(recipe.error, named, false, at) } : {}),
    };
    return {
      [LANE_FILES.population]: canonicalJson(populationRecord(own.asked, question.ordinal)),
      [LANE_FILES.bodies]: canonicalJson({ question_id: question.question_id, body }),
      [LANE_FILES.receipts]: canonicalJson(whole),
      [LANE_FILES.answers]: canonicalJson(withAnswer(answer, whole)),
      [LANE_FILES.references]: canonicalJson(referenceRecord(own.reference)),
    };
  }
}

/** An answer record with the text that its receipt says. */
function withAnswer(answer: AnswerRecord, { response, http_status }: ReturnType<typeof receiptIn>): AnswerRecord {
  if (answer.answer_sha256 === undefined || !response || http_status === undefined) return answer;
  const bytes = response.encoding === "utf8" ? Buffer.from(response.data) : decodeBase64(response.data, "response");
  const reply = readReply(http_status, bytes);
  return "breach" in reply ? answer : { ...answer, answer: reply.answer };
}
