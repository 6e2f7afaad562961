// BEAM (Tavakoli et al., 2025): a folder of conversations, each a folder with chat.json and probing_questions.json. The names
// of those folders are the names of the questions: <folder>/<ability>/<number>, as the dataset gives its questions no ids.
import { sha256Hex } from "../bytes/digest.js";
import { parseStrictJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import type { Input } from "../io/input.js";
import { type Chat, chatOf } from "./beam-chat.js";
import { HistoriesOnDisk } from "./histories.js";
import type { DatasetReader } from "./reader.js";
import { asArray, asObject, asString, type JsonObject, refuseDuplicates, wrongShape } from "./shape.js";
import type { AskedQuestion, DatasetAdapter, ParsedDataset, Reference } from "./types.js";

const ABILITIES: readonly string[] = [
  "abstention",
  "contradiction_resolution",
  "event_ordering",
  "information_extraction",
  "instruction_following",
  "knowledge_update",
  "multi_session_reasoning",
  "preference_following",
  "summarization",
  "temporal_reasoning",
];
/** Where the abilities keep their gold text: each question has exactly one of these. */
const GOLD_KEYS = ["answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance"];

const CHAT = "chat.json";
const QUESTIONS = ["probing_questions/probing_questions.json", "probing_questions.json"];
/** Questions of all conversations in one file, for those that have no file of their own: rows with size, conversation, ability, index. */
const ALL_QUESTIONS = "all_2000_probing_questions.jsonl";
/** Parts of a 10M conversation by themselves: its own chat.json holds them all, under other message ids. */
const PLAN_PART = /(?:^|\/)plan-\d+\//;

/** What the folders of an input hold. */
interface Conversation {
  /** Path of its folder; "" when the input is the conversation. */
  readonly folder: string;
  chat?: string;
  questions?: string;
}

/** Paths part by part, numbers by their value: 100K/2 stands before 100K/10. */
function byPart(a: string, b: string): number {
  const [first, second] = [a.split("/"), b.split("/")];
  for (let index = 0; index < Math.min(first.length, second.length); index += 1) {
    const [one, other] = [first[index]!, second[index]!];
    const bothNumbers = /^\d{1,9}$/.test(one) && /^\d{1,9}$/.test(other);
    const order = (bothNumbers ? Number(one) - Number(other) : 0) || byCodeUnit(one, other);
    if (order !== 0) return order;
  }
  return first.length - second.length;
}

function folderOf(path: string, name: string): string | undefined {
  if (path === name) return "";
  return path.endsWith(`/${name}`) ? path.slice(0, -name.length - 1) : undefined;
}

function conversationsOf(paths: readonly string[]): Conversation[] {
  const byFolder = new Map<string, Conversation>();
  const at = (folder: string): Conversation => {
    const conversation = byFolder.get(folder) ?? { folder };
    byFolder.set(folder, conversation);
    return conversation;
  };
  for (const path of paths) {
    const chatFolder = folderOf(path, CHAT);
    if (chatFolder !== undefined) at(chatFolder).chat = path;
    const folder = QUESTIONS.map((name) => folderOf(path, name)).find((found) => found !== undefined);
    if (folder !== undefined) at(folder).questions ??= path;
  }
  return [...byFolder.values()].sort((a, b) => byPart(a.folder, b.folder));
}

function files(input: Input): readonly string[] {
  const { at, kind, source } = input;
  if (kind === "file") {
    throw new SealaneError("E_IO", `${at} is a file; BEAM is a folder of conversations`, {
      at,
      next: `Name the folder in which the conversations' folders stand, each with ${CHAT} and ${QUESTIONS[0]}.`,
    });
  }
  const entries = source.entries().filter(({ path }) => !PLAN_PART.test(path));
  const special = entries.find(({ path, regular }) => !regular && path.endsWith(CHAT));
  if (special) throw new SealaneError("E_IO", `${at}/${special.path} is a link or special file`, { at });
  const paths = entries.filter(({ regular }) => regular).map(({ path }) => path);
  const used = conversationsOf(paths).flatMap(({ chat, questions }) => [chat, questions]);
  const chosen = [...used, paths.find((path) => path === ALL_QUESTIONS)].filter((path) => path !== undefined);
  if (!chosen.some((path) => folderOf(path, CHAT) !== undefined)) {
    throw new SealaneError("E_MISSING", `${at} holds no conversation of BEAM`, {
      at,
      expected: `<conversation>/${CHAT}`,
    });
  }
  return chosen.sort(byCodeUnit);
}

/** A question as it is found, with what the files call it. */
interface Probe {
  readonly ability: string;
  readonly index: number;
  readonly object: JsonObject;
  readonly at: string;
}

function probesIn(bytes: Uint8Array, at: string): Probe[] {
  return Object.entries(asObject(parseStrictJson(bytes, at), at)).flatMap(([ability, list]) =>
    asArray(list, `${at}#/${ability}`).map((probe, index) => {
      const place = `${at}#/${ability}/${index}`;
      return { ability, index, object: asObject(probe, place), at: place };
    }),
  );
}

/** The rows of the file of all questions, by "<size>/<conversation>". */
function probesByConversation(bytes: Buffer, at: string): Map<string, Probe[]> {
  const probes = new Map<string, Probe[]>();
  const lines = bytes.toString("latin1").split("\n");
  let offset = 0;
  for (const [number, line] of lines.entries()) {
    const raw = bytes.subarray(offset, offset + line.length);
    offset += line.length + 1;
    if (raw.length === 0 && number === lines.length - 1) continue;
    const place = `${at}:${number + 1}`;
    const object = asObject(parseStrictJson(raw, place), place);
    const { conversation, index } = object;
    if (!Number.isSafeInteger(conversation)) throw wrongShape(`${place}#/conversation`, "a number");
    if (!Number.isSafeInteger(index)) throw wrongShape(`${place}#/index`, "a number");
    const key = `${asString(object.size, `${place}#/size`)}/${conversation}`;
    const probe = { ability: asString(object.ability, `${place}#/ability`), index: index as number, object, at: place };
    probes.set(key, [...(probes.get(key) ?? []), probe]);
  }
  return probes;
}

/**
 * Message ids anywhere in a label (lists, lists of lists, objects of lists), in order, each once. What is no id of one message
 * is kept verbatim.
 */
function evidenceOf(value: unknown, places: Chat["places"]): Pick<Reference, "evidence" | "evidenceUnresolved"> {
  const evidence: (readonly [number, number])[] = [];
  const evidenceUnresolved: string[] = [];
  const collect = (label: unknown): void => {
    if (label === null || label === undefined) return;
    if (typeof label === "object") {
      for (const part of Object.values(label)) collect(part);
      return;
    }
    const place = typeof label === "number" ? places.get(label) : undefined;
    if (place === undefined) evidenceUnresolved.push(String(label));
    else if (!evidence.includes(place)) evidence.push(place);
  };
  collect(value);
  return { evidence, evidenceUnresolved };
}

function goldOf({ object, at }: Probe): string {
  const keys = GOLD_KEYS.filter((key) => object[key] !== undefined);
  if (keys.length !== 1) throw wrongShape(at, `a question with one of ${GOLD_KEYS.join(", ")}`);
  return asString(object[keys[0]!], `${at}/${keys[0]}`);
}

function read(reader: DatasetReader): ParsedDataset {
  const histories = new HistoriesOnDisk();
  const asked: AskedQuestion[] = [];
  const references: Reference[] = [];
  const left = new Map<string, number>();
  let questionsTotal = 0;
  const shared = reader.paths.includes(ALL_QUESTIONS)
    ? probesByConversation(reader.whole(ALL_QUESTIONS), reader.placeOf(ALL_QUESTIONS))
    : new Map<string, Probe[]>();
  const excludeAll = (probes: readonly Probe[]): void => {
    for (const probe of probes) left.set(abilityOf(probe), (left.get(probe.ability) ?? 0) + 1);
  };
  for (const { folder, chat, questions } of conversationsOf(reader.paths)) {
    const common = folder.split("/").slice(-2).join("/");
    const probes = questions
      ? probesIn(reader.whole(questions), reader.placeOf(questions))
      : (shared.get(common) ?? []);
    shared.delete(common);
    questionsTotal += probes.length;
    if (chat === undefined) {
      excludeAll(probes);
      continue;
    }
    const historyId = folder === "" ? "chat" : folder;
    const bytes = reader.whole(chat);
    const part = { path: chat, start: 0, end: bytes.length, sha256: sha256Hex(bytes) };
    const load = (from: Uint8Array): Chat => chatOf(from, historyId, reader.placeOf(chat));
    const { history, places } = load(bytes);
    histories.add(history, () => load(reader.part(part)).history);
    for (const probe of probes) {
      const { object, index, at } = probe;
      const category = abilityOf(probe);
      const questionId = `${historyId}/${category}/${index}`;
      const question = asString(object.question, `${at}/question`);
      asked.push({ questionId, historyId, category, question, questionDate: null, flags: [] });
      references.push({
        questionId,
        reference: goldOf(probe),
        ...evidenceOf(object.source_chat_ids, places),
        rubric: asArray(object.rubric, `${at}/rubric`).map((item, number) => asString(item, `${at}/rubric/${number}`)),
      });
    }
  }
  const homeless = [...shared.values()].flat();
  questionsTotal += homeless.length;
  excludeAll(homeless);
  refuseDuplicates(
    asked.map(({ questionId }) => questionId),
    "question",
    reader.input.at,
  );
  const excluded = ABILITIES.filter((ability) => left.has(ability)).map((ability) => ({
    reason: EXCLUDED_REASON,
    category: ability,
    count: left.get(ability)!,
  }));
  return { name: "BEAM", licence: "CC BY-SA 4.0", histories, asked, references, questionsTotal, excluded };
}

/** Why a question is left out: its conversation is not in the folder. */
const EXCLUDED_REASON = "no-history";

function abilityOf({ ability, at }: Probe): string {
  if (ABILITIES.includes(ability)) return ability;
  throw new SealaneError("E_SCHEMA", `${at} is of no ability that BEAM has`, {
    at,
    expected: ABILITIES.join(" | "),
    found: ability,
  });
}

export const beam: DatasetAdapter = {
  id: "beam",
  title: "BEAM: the folder of its conversations (chats)",
  origin: {
    citation: "BEAM by Tavakoli et al., 2025 (arXiv 2510.27246)",
    url: "https://github.com/mohammadtavakoli78/BEAM",
  },
  published: [],
  exclusions: [EXCLUDED_REASON],
  files,
  read,
};
