// LongMemEval (Wu et al., 2025): one JSON array of questions, each with a history of its own. S, M and oracle are one format.
// Session ids are read on the evaluator's side alone: a session's name begins with "answer_" when it holds the answer, and
// one id may stand at two positions, so that a session is known by its position here and in every packet.
import { sha256Hex } from "../bytes/digest.js";
import { parseStrictJson } from "../bytes/json.js";
import { type JsonElement, jsonElements } from "../bytes/json-elements.js";
import { HistoriesOnDisk } from "./histories.js";
import { theFile } from "./one-file.js";
import type { DatasetReader } from "./reader.js";
import { asArray, asObject, asString, type JsonObject, refuseDuplicates, wrongShape } from "./shape.js";
import type { AskedQuestion, DatasetAdapter, History, ParsedDataset, Reference, Session } from "./types.js";

const QUESTION_TYPES: readonly string[] = [
  "single-session-user",
  "single-session-assistant",
  "single-session-preference",
  "multi-session",
  "knowledge-update",
  "temporal-reasoning",
];

const DATE = /^(\d{4})\/(\d{2})\/(\d{2}) \([A-Z][a-z]{2}\) (\d{2}):(\d{2})$/;

/** "2023/05/20 (Sat) 02:21" as sortable local time; null for any other form. */
export function longmemevalTime(date: string): string | null {
  const [, year, month, day, hour, minute] = DATE.exec(date) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}T${hour}:${minute}`;
}

/** A question with its history and labels, as they stand in the file. */
interface Item {
  readonly history: History;
  readonly object: JsonObject;
  /** By position. */
  readonly sessionIds: readonly string[];
  /** [session, turn] of the turns that are labelled as evidence. */
  readonly evidence: readonly (readonly [number, number])[];
}

function itemOf(bytes: Uint8Array, at: string): Item {
  const object = asObject(parseStrictJson(bytes, at, 1), at);
  const evidence: [number, number][] = [];
  const dates = asArray(object.haystack_dates, `${at}/haystack_dates`);
  const ids = asArray(object.haystack_session_ids, `${at}/haystack_session_ids`);
  const talks = asArray(object.haystack_sessions, `${at}/haystack_sessions`);
  if (dates.length !== talks.length || ids.length !== talks.length) {
    throw wrongShape(at, `a question whose sessions, dates and session ids are equally many`);
  }
  const sessions = talks.map((talk, index): Session => {
    const place = `${at}/haystack_sessions/${index}`;
    const date = asString(dates[index], `${at}/haystack_dates/${index}`);
    const turns = asArray(talk, place).map((entry, position) => {
      const here = `${place}/${position}`;
      const turn = asObject(entry, here);
      if (turn.has_answer === true) evidence.push([index + 1, position + 1]);
      else if (turn.has_answer !== undefined && turn.has_answer !== false && turn.has_answer !== null) {
        throw wrongShape(`${here}/has_answer`, "true or false");
      }
      return {
        speaker: asString(turn.role, `${here}/role`),
        text: asString(turn.content, `${here}/content`),
        captions: [],
      };
    });
    return { date, time: longmemevalTime(date), turns };
  });
  return {
    history: { historyId: asString(object.question_id, `${at}/question_id`), sessions },
    object,
    sessionIds: ids.map((id, index) => asString(id, `${at}/haystack_session_ids/${index}`)),
    evidence,
  };
}

/** Answer sessions by position, each copy of an id that stands twice; ids that name no session stay as they are. */
function referenceOf({ object, history, sessionIds, evidence }: Item, at: string): Reference {
  const { answer } = object;
  if (typeof answer !== "string" && typeof answer !== "number")
    throw wrongShape(`${at}/answer`, "a string or a number");
  const named = asArray(object.answer_session_ids, `${at}/answer_session_ids`).map((id, index) =>
    asString(id, `${at}/answer_session_ids/${index}`),
  );
  return {
    questionId: history.historyId,
    reference: answer,
    evidence,
    evidenceSessions: sessionIds.flatMap((id, index) => (named.includes(id) ? [index + 1] : [])),
    evidenceUnresolved: named.filter((id) => !sessionIds.includes(id)),
  };
}

function askedOf({ object, history }: Item, at: string): AskedQuestion {
  const category = asString(object.question_type, `${at}/question_type`);
  if (!QUESTION_TYPES.includes(category)) throw wrongShape(`${at}/question_type`, QUESTION_TYPES.join(" or "));
  const { historyId } = history;
  return {
    questionId: historyId,
    historyId,
    category,
    question: asString(object.question, `${at}/question`),
    questionDate: asString(object.question_date, `${at}/question_date`),
    // The official evaluator's own test of what it grades as an abstention.
    flags: historyId.includes("_abs") ? ["abstention"] : [],
  };
}

function read(reader: DatasetReader): ParsedDataset {
  const path = reader.input.at;
  const histories = new HistoriesOnDisk();
  const asked: AskedQuestion[] = [];
  const references: Reference[] = [];
  const add = ({ bytes, index, start, end }: JsonElement): void => {
    const at = `${path}#/${index}`;
    const part = { path, start, end, sha256: sha256Hex(bytes) };
    const item = itemOf(bytes, at);
    asked.push(askedOf(item, at));
    references.push(referenceOf(item, at));
    histories.add(item.history, () => itemOf(reader.part(part), at).history);
  };
  for (const element of jsonElements(reader.chunks(path), path)) add(element);
  refuseDuplicates(
    asked.map(({ questionId }) => questionId),
    "question",
    path,
  );
  return {
    name: "LongMemEval",
    licence: "MIT",
    histories,
    asked,
    references,
    questionsTotal: asked.length,
    excluded: [],
  };
}

export const longmemeval: DatasetAdapter = {
  id: "longmemeval",
  title: "LongMemEval: longmemeval_s_cleaned.json, longmemeval_m_cleaned.json, longmemeval_oracle.json",
  origin: {
    citation: "LongMemEval by Wu et al., 2025 (arXiv 2410.10813)",
    url: "https://github.com/xiaowu0162/LongMemEval",
  },
  published: [
    {
      name: "longmemeval_s_cleaned.json",
      dataset: "LongMemEval-S",
      sha256: "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
      bytes: 277383467,
    },
    {
      name: "longmemeval_m_cleaned.json",
      dataset: "LongMemEval-M",
      sha256: "9d79e5524794a2e6900a3aa9cb7d9152c5a3e8319c9a87c25494ba1eacee495f",
    },
    {
      name: "longmemeval_oracle.json",
      dataset: "LongMemEval-oracle",
      sha256: "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    },
  ],
  exclusions: [],
  files: theFile,
  read,
};
