// sealane's own dataset format (schemas/dataset.schema.json): any histories and questions, any JSON layout.
import { daysInMonth } from "../bytes/calendar.js";
import { parseStrictJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import { historiesOf } from "./histories.js";
import { wholeFile } from "./one-file.js";
import { refuseDuplicates } from "./shape.js";
import type { DatasetAdapter, ParsedDataset } from "./types.js";

/** "2024-05-03" or "2024-05-03 14:20" as sortable local time; null for any other form, or no day, which is shown but not sorted by. */
export function ownTime(date: string): string | null {
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d))?$/.exec(date) ?? [];
  if (Number(day) < 1 || !(Number(day) <= daysInMonth(Number(year), Number(month)))) return null;
  return `${year}-${month}-${day}T${time ?? "00:00"}`;
}

function parse(bytes: Uint8Array, at: string): ParsedDataset {
  const value = checked("dataset", parseStrictJson(bytes, at), at);
  refuseDuplicates(
    value.histories.map((history) => history.history_id),
    "history",
    at,
  );
  refuseDuplicates(
    value.questions.map((question) => question.question_id),
    "question",
    at,
  );
  const histories = new Map(value.histories.map((history) => [history.history_id, history]));
  for (const [index, question] of value.questions.entries()) {
    const place = `${at}#/questions/${index}`;
    const history = histories.get(question.history_id);
    if (!history) {
      throw new SealaneError("E_POPULATION", `${place} is asked over a history that the file does not hold`, {
        at: place,
        found: question.history_id,
        next: "Add the history, or name one that is there.",
      });
    }
    for (const [session, turn] of question.evidence ?? []) {
      if (!history.sessions[session - 1]?.turns[turn - 1]) {
        throw new SealaneError("E_POPULATION", `${place} names evidence that the history does not hold`, {
          at: place,
          found: `session ${session}, turn ${turn}`,
          next: "Sessions and turns are counted from one.",
        });
      }
    }
  }
  return {
    name: value.name,
    licence: value.licence,
    histories: historiesOf(
      value.histories.map((history) => ({
        historyId: history.history_id,
        sessions: history.sessions.map((session) => ({
          date: session.date ?? null,
          time: session.date === undefined ? null : ownTime(session.date),
          turns: session.turns.map(({ speaker, text, captions }) => ({ speaker, text, captions: captions ?? [] })),
        })),
      })),
    ),
    asked: value.questions.map((question) => ({
      questionId: question.question_id,
      historyId: question.history_id,
      category: question.category,
      question: question.question,
      questionDate: question.question_date ?? null,
      flags: question.flags ?? [],
    })),
    references: value.questions.map((question) => ({
      questionId: question.question_id,
      reference: question.reference,
      evidence: question.evidence ?? [],
      evidenceUnresolved: [],
    })),
    questionsTotal: value.questions.length,
    excluded: [],
  };
}

export const own: DatasetAdapter = {
  id: "own",
  title: "sealane's own dataset format",
  published: [],
  exclusions: [],
  ...wholeFile(parse),
};
