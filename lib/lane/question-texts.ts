// What a dataset says that belongs to one question, each text under a name: what an answer may quote.
import type { Dataset } from "../dataset/index.js";
import type { AskedQuestion, History, Reference } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import type { NamedText } from "../text/phrase-index.js";

export interface DatasetQuestion {
  readonly asked: AskedQuestion;
  readonly reference: Reference;
}

/** Questions of a dataset by their ids. */
export class DatasetQuestions {
  readonly #questions: ReadonlyMap<string, DatasetQuestion>;

  constructor({ asked, references }: Pick<Dataset, "asked" | "references">) {
    this.#questions = new Map(
      asked.map((question, index) => [question.questionId, { asked: question, reference: references[index]! }]),
    );
  }

  /** Throws E_DATASET for one that the dataset does not have. */
  get(questionId: string): DatasetQuestion {
    const found = this.#questions.get(questionId);
    if (found) return found;
    throw new SealaneError("E_DATASET", `the dataset has no question ${questionId}`, { found: questionId });
  }
}

/** Texts of the question itself: `question`, `date`, `reference`, `rubric.N`. */
export function* ownTexts({ asked, reference }: DatasetQuestion): Generator<NamedText> {
  yield { name: "question", text: asked.question };
  if (asked.questionDate !== null) yield { name: "date", text: asked.questionDate };
  if (typeof reference.reference === "string") yield { name: "reference", text: reference.reference };
  for (const [index, text] of (reference.rubric ?? []).entries()) yield { name: `rubric.${index + 1}`, text };
}

/** Texts of its history: `S` (a session's date), `S.T` (a turn), `S.T.N` (a turn's caption). */
export function* historyTexts(history: History): Generator<NamedText> {
  for (const [session, { date, turns }] of history.sessions.entries()) {
    if (date !== null) yield { name: String(session + 1), text: date };
    for (const [turn, { text, captions }] of turns.entries()) {
      const name = `${session + 1}.${turn + 1}`;
      yield { name, text };
      for (const [caption, shown] of captions.entries()) yield { name: `${name}.${caption + 1}`, text: shown };
    }
  }
}

/** A text of the question or of its history by its name; undefined when there is none. */
export function textOf(question: DatasetQuestion, history: History, name: string): string | undefined {
  const [session, turn, caption] = name.split(".").map(Number);
  if (session === undefined || Number.isNaN(session)) {
    for (const own of ownTexts(question)) if (own.name === name) return own.text;
    return undefined;
  }
  const there = history.sessions[session - 1];
  if (turn === undefined) return there?.date ?? undefined;
  if (caption === undefined) return there?.turns[turn - 1]?.text;
  return there?.turns[turn - 1]?.captions[caption - 1];
}
