// LoCoMo (Maharana et al., 2024), the file locomo10.json. Categories are numbers in the file; their names follow the
// comments of the official evaluator and are told apart by their counts (282, 321, 96, 841, 446), never by guess.
import { MONTH_NAMES } from "../bytes/calendar.js";
import { parseStrictJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { historiesOf } from "./histories.js";
import { wholeFile } from "./one-file.js";
import { asArray, asObject, asString, type JsonObject, refuseDuplicates, wrongShape } from "./shape.js";
import type { AskedQuestion, DatasetAdapter, History, ParsedDataset, Reference, Session, Turn } from "./types.js";

/** The declared population: categories 1-4. Category 5 asks about what never happened and mostly has no answer field. */
const CATEGORIES = new Map<number, string>([
  [1, "multi-hop"],
  [2, "temporal"],
  [3, "open-domain"],
  [4, "single-hop"],
]);
const EXCLUDED_CATEGORY = 5;
const EXCLUDED_REASON = "adversarial";

const MONTHS = MONTH_NAMES.map((name) => name.toLowerCase());
const DATE = /^(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([A-Za-z]+), (\d{4})$/;

/** "4:10 pm on 26 October, 2023" as sortable local time; null for any other form. */
export function locomoTime(date: string): string | null {
  const [, hour, minute, half, day, monthName, year] = DATE.exec(date) ?? [];
  const month = MONTHS.indexOf(monthName?.toLowerCase() ?? "") + 1;
  if (hour === undefined || month === 0) return null;
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  const two = (value: number | string): string => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day ?? "")}T${two(hours)}:${minute}`;
}

function turnOf(value: unknown, session: number, position: number, at: string): Turn {
  const turn = asObject(value, at);
  const expected = `D${session}:${position}`;
  if (turn.dia_id !== expected) {
    throw new SealaneError("E_SCHEMA", `${at}/dia_id is not the turn's position`, {
      at,
      expected,
      found: String(turn.dia_id),
    });
  }
  const captions = turn.blip_caption === undefined ? [] : [asString(turn.blip_caption, `${at}/blip_caption`)];
  return { speaker: asString(turn.speaker, `${at}/speaker`), text: asString(turn.text, `${at}/text`), captions };
}

function sessionsOf(conversation: JsonObject, at: string): Session[] {
  // Dates without a session exist in the published file (16 of them) and are no sessions.
  const numbers = Object.keys(conversation)
    .map((key) => /^session_(\d+)$/.exec(key)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  return numbers.map((number, index) => {
    if (number !== index + 1) throw wrongShape(`${at}/session_${number}`, `session ${index + 1}: one is missing`);
    const dateValue = conversation[`session_${number}_date_time`];
    const date = dateValue === undefined ? null : asString(dateValue, `${at}/session_${number}_date_time`);
    const turns = asArray(conversation[`session_${number}`], `${at}/session_${number}`);
    return {
      date,
      time: date === null ? null : locomoTime(date),
      turns: turns.map((turn, position) => turnOf(turn, number, position + 1, `${at}/session_${number}/${position}`)),
    };
  });
}

/**
 * Support labels as [session, turn] pairs. Only a label that is exactly D<session>:<turn> and names a turn is resolved;
 * "D8:6; D9:17", "D", "D:11:26" and the zero-padded "D30:05" of the published file are kept verbatim as unresolved,
 * because to repair them would be to decide what the annotators meant.
 */
function evidenceOf(
  value: unknown,
  sessions: readonly Session[],
  at: string,
): Pick<Reference, "evidence" | "evidenceUnresolved"> {
  const evidence: [number, number][] = [];
  const evidenceUnresolved: string[] = [];
  for (const [index, item] of (value === undefined ? [] : asArray(value, at)).entries()) {
    const label = asString(item, `${at}/${index}`);
    const [, session, turn] = /^D([1-9]\d*):([1-9]\d*)$/.exec(label) ?? [];
    const pair: [number, number] = [Number(session), Number(turn)];
    if (session !== undefined && sessions[pair[0] - 1]?.turns[pair[1] - 1]) {
      if (!evidence.some(([s, t]) => s === pair[0] && t === pair[1])) evidence.push(pair);
    } else {
      evidenceUnresolved.push(label);
    }
  }
  return { evidence, evidenceUnresolved };
}

function parse(bytes: Uint8Array, at: string): ParsedDataset {
  const histories: History[] = [];
  const asked: AskedQuestion[] = [];
  const references: Reference[] = [];
  let questionsTotal = 0;
  let adversarial = 0;
  for (const [index, item] of asArray(parseStrictJson(bytes, at), at).entries()) {
    const place = `${at}#/${index}`;
    const sample = asObject(item, place);
    const historyId = asString(sample.sample_id, `${place}/sample_id`);
    const sessions = sessionsOf(asObject(sample.conversation, `${place}/conversation`), `${place}/conversation`);
    histories.push({ historyId, sessions });
    for (const [position, entry] of asArray(sample.qa, `${place}/qa`).entries()) {
      const here = `${place}/qa/${position}`;
      const qa = asObject(entry, here);
      questionsTotal += 1;
      if (qa.category === EXCLUDED_CATEGORY) {
        adversarial += 1;
        continue;
      }
      const category = CATEGORIES.get(qa.category as number);
      if (category === undefined) throw wrongShape(`${here}/category`, "a category from 1 to 5");
      if (typeof qa.answer !== "string" && typeof qa.answer !== "number") {
        throw wrongShape(`${here}/answer`, "a string or a number");
      }
      // The file names its questions by nothing but their place, which its digest fixes.
      const questionId = `${historyId}/${position}`;
      const question = asString(qa.question, `${here}/question`);
      asked.push({ questionId, historyId, category, question, questionDate: null, flags: [] });
      references.push({ questionId, reference: qa.answer, ...evidenceOf(qa.evidence, sessions, `${here}/evidence`) });
    }
  }
  refuseDuplicates(
    histories.map((history) => history.historyId),
    "history",
    at,
  );
  return {
    name: "LoCoMo, categories 1-4",
    licence: "CC BY-NC 4.0",
    histories: historiesOf(histories),
    asked,
    references,
    questionsTotal,
    excluded: [{ reason: EXCLUDED_REASON, category: "adversarial", count: adversarial }],
  };
}

export const locomo: DatasetAdapter = {
  id: "locomo",
  title: "LoCoMo: locomo10.json",
  origin: {
    citation: "LoCoMo by Maharana et al., 2024 (arXiv 2402.17753)",
    url: "https://github.com/snap-research/locomo",
  },
  published: [
    {
      name: "locomo10.json",
      sha256: "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
      bytes: 2805274,
      records: {
        questions: 1540,
        populationSha256: "07ce5fe28d5bccbec7728f2c9ea4278796354ac5ff693551e5d59ae4bcdd25d0",
        referencesSha256: "c188769471658e2a8af2a8d11ff301b991422a761dc3677810511bc3583474c1",
      },
    },
  ],
  exclusions: [EXCLUDED_REASON],
  ...wholeFile(parse),
};
