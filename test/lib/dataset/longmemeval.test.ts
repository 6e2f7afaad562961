import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { type Dataset, identifyDataset, openDataset, readDataset } from "../../../lib/dataset/index.js";
import { longmemeval, longmemevalTime } from "../../../lib/dataset/longmemeval.js";
import { populationRecord, referenceRecord } from "../../../lib/dataset/records.js";
import { bytesInput, openInput } from "../../../lib/io/input.js";
import { isDocument } from "../../../schemas/index.js";
import { repositoryFile, shared } from "../../support/shared.js";
import { ARM_IDS, packetFaults, packetsOf } from "../evidence/packets.js";

const FILE = repositoryFile("fixtures/datasets/lanterns-longmemeval.json");
const bytes = readFileSync(FILE);

interface RawTurn {
  role: string;
  content: string;
  has_answer?: unknown;
}
interface RawQuestion {
  question_id: string;
  question_type: string;
  question: string;
  answer: unknown;
  question_date: string;
  haystack_dates: string[];
  haystack_session_ids: string[];
  haystack_sessions: RawTurn[][];
  answer_session_ids: string[];
}
const raw = (): RawQuestion[] => JSON.parse(bytes.toString("utf8")) as RawQuestion[];
const read = (value: unknown): Dataset =>
  readDataset(longmemeval, Buffer.from(JSON.stringify(value)), "small.json", true);
const lanterns = openDataset(longmemeval, openInput(FILE), true);

t.test("questions, histories and references of the fixture", async (t) => {
  t.strictSame(
    lanterns.asked.map(({ questionId, historyId, category, questionDate, flags }) => [
      questionId,
      historyId,
      category,
      questionDate,
      flags,
    ]),
    [
      ["0a1b2c3d", "0a1b2c3d", "multi-session", "2024/05/30 (Thu) 18:05", []],
      ["0a1b2c3d_abs", "0a1b2c3d_abs", "multi-session", "2024/05/31 (Fri) 08:00", ["abstention"]],
      ["gpt4_5e6f7a8b", "gpt4_5e6f7a8b", "temporal-reasoning", "2024/03/10 (Sun) 10:00", []],
      ["9c9c9c9c", "9c9c9c9c", "single-session-assistant", "2024/06/01 (Sat) 10:00", []],
    ],
    "the order of the file; each question has a history of its own",
  );
  t.strictSame(
    lanterns.references.map(({ reference, evidence, evidenceSessions, evidenceUnresolved }) => [
      reference,
      evidence,
      evidenceSessions,
      evidenceUnresolved,
    ]),
    [
      [
        3,
        [
          [1, 1],
          [3, 3],
        ],
        [1, 3],
        [],
      ],
      ["You did not mention buying candles; you did buy lanterns.", [], [1], []],
      // Dated after the question: kept, and in the order of the file.
      [
        "The kite",
        [
          [1, 1],
          [2, 1],
        ],
        [1, 2],
        [],
      ],
      ["Yew", [[1, 2]], [1], ["answer_lost"]],
    ],
  );
  t.equal(lanterns.questionsTotal, 4);
  t.strictSame(lanterns.excluded, [], "abstention questions are asked too");
  const { ids, sessionsTotal, turnsTotal } = lanterns.histories;
  t.strictSame([ids.length, sessionsTotal, turnsTotal], [4, 10, 20]);
  t.strictSame(lanterns.identity, {
    name: "LongMemEval",
    adapter: "longmemeval",
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    pinned: false,
    licence: "MIT",
  });
  for (const [index, asked] of lanterns.asked.entries()) {
    t.ok(isDocument("population-record", populationRecord(asked, index)));
    t.ok(isDocument("reference-record", referenceRecord(lanterns.references[index]!)));
  }
});

t.test("histories are the file's, session by session and turn by turn", async (t) => {
  const expected = raw().map((question) => ({
    historyId: question.question_id,
    sessions: question.haystack_sessions.map((talk, index) => ({
      date: question.haystack_dates[index]!,
      time: longmemevalTime(question.haystack_dates[index]!),
      turns: talk.map(({ role, content }) => ({ speaker: role, text: content, captions: [] })),
    })),
  }));
  t.strictSame([...lanterns.histories], expected);
  t.strictSame(
    [...lanterns.histories.ids].reverse().map((id) => lanterns.histories.get(id)),
    [...expected].reverse(),
    "in any order",
  );
  const [first] = expected;
  t.strictSame(first!.sessions[1]!.turns, first!.sessions[3]!.turns, "one id at two positions: two sessions");
  t.not(first!.sessions[1]!.date, first!.sessions[3]!.date);
  t.strictSame(lanterns.histories.get("gpt4_5e6f7a8b")!.sessions[2]!.turns, [], "a session without turns is one");
  t.equal(lanterns.histories.get("0a1b2c3d_abs")!.sessions[1]!.turns[1]!.text, "");
  t.equal(lanterns.histories.get("lost"), undefined);
});

t.test("nothing that names the answer's sessions or turns is on the reader's side", async (t) => {
  const seen = canonicalJson([lanterns.asked, [...lanterns.histories]]);
  t.notMatch(seen, /answer_|has_answer|ultrachat|sharegpt/);
  for (const arm of ARM_IDS) {
    const packets = packetsOf(lanterns, arm, 24_000);
    t.strictSame(packetFaults(lanterns, packets, 24_000, arm), [], arm);
    t.ok(packets.every(({ record, evidence }) => !/answer_|has_answer/.test(canonicalJson(record) + evidence)));
  }
  // Labels changed, ids changed: the reader's side stays as it is.
  const relabelled = raw().map((question) => ({
    ...question,
    haystack_session_ids: question.haystack_session_ids.map((_, index) => `s${index}`),
    answer_session_ids: [],
    answer: "another",
    haystack_sessions: question.haystack_sessions.map((talk) => talk.map(({ role, content }) => ({ role, content }))),
  }));
  const other = read(relabelled);
  t.equal(canonicalJson([other.asked, [...other.histories]]), seen);
  t.ok(other.references.every(({ evidence }) => evidence.length === 0));
});

t.test("a file with one fault", async (t) => {
  const changed = (change: (question: RawQuestion & Record<string, unknown>) => void): unknown => {
    const questions = raw() as (RawQuestion & Record<string, unknown>)[];
    change(questions[2]!);
    return questions;
  };
  const faults: [string, unknown, string, RegExp?][] = [
    ["no array", { questions: raw() }, "E_JSON"],
    ["a question that is no object", [...raw(), []], "E_SCHEMA", /#\/4/],
    ["a question twice", [...raw(), raw()[0]], "E_DUPLICATE"],
    ["an unknown type", changed((q) => Object.assign(q, { question_type: "poetry" })), "E_SCHEMA", /question_type/],
    ["no answer", changed((q) => Object.assign(q, { answer: undefined })), "E_SCHEMA", /#\/2\/answer/],
    ["an answer that is a list", changed((q) => Object.assign(q, { answer: ["a"] })), "E_SCHEMA"],
    ["no date of the question", changed((q) => Object.assign(q, { question_date: null })), "E_SCHEMA"],
    ["an id no lane can hold", changed((q) => Object.assign(q, { question_id: "a b" })), "E_SCHEMA"],
    ["a date too few", changed((q) => q.haystack_dates.pop()), "E_SCHEMA", /#\/2/],
    ["a session id too few", changed((q) => q.haystack_session_ids.pop()), "E_SCHEMA"],
    ["a session too many", changed((q) => q.haystack_sessions.push([])), "E_SCHEMA"],
    ["a turn without content", changed((q) => q.haystack_sessions[0]!.push({ role: "user" } as RawTurn)), "E_SCHEMA"],
    ["a role that is no text", changed((q) => Object.assign(q.haystack_sessions[0]![0]!, { role: 1 })), "E_SCHEMA"],
    [
      "a label that is neither",
      changed((q) => Object.assign(q.haystack_sessions[1]![0]!, { has_answer: "yes" })),
      "E_SCHEMA",
      /haystack_sessions\/1\/0/,
    ],
    ["no answer sessions", changed((q) => Object.assign(q, { answer_session_ids: undefined })), "E_SCHEMA"],
  ];
  for (const [name, value, code, place] of faults) {
    t.throws(() => read(value), { code, ...(place ? { at: place } : {}) }, name);
  }
  t.equal(read(changed((q) => Object.assign(q, { answer: 0 }))).references[2]!.reference, 0);
});

t.test("another file than the published is told apart before anything else is said of it", async (t) => {
  for (const [name, other] of Object.entries({ sound: bytes, cut: bytes.subarray(0, 900), empty: Buffer.alloc(0) })) {
    t.throws(
      () => readDataset(longmemeval, other, "x.json", false),
      { code: "E_DATASET", found: new RegExp(sha256Hex(other)) },
      name,
    );
  }
  t.throws(() => readDataset(longmemeval, bytes.subarray(0, 900), "x.json", true), {
    code: "E_JSON",
    at: /x\.json#\/0/,
  });
  t.throws(() => openDataset(longmemeval, openInput(repositoryFile("fixtures")), true), { code: "E_IO" });
  t.strictSame(identifyDataset(longmemeval, bytesInput(bytes, "x")), { bytes: bytes.length, sha256: sha256Hex(bytes) });
  const known = longmemeval.published.map(({ sha256 }) => sha256.slice(0, 8));
  t.strictSame(known, ["d6f21ea9", "9d79e552", "821a2034"]);
});

t.test("a file that is changed while it is in use is not used on", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealane-test-"));
  try {
    const path = join(folder, "lanterns.json");
    writeFileSync(path, bytes);
    const dataset = openDataset(longmemeval, openInput(path), true);
    t.ok(dataset.histories.get("9c9c9c9c"));
    writeFileSync(path, bytes.toString("utf8").replace("My red kite is done", "My red kite is lost"));
    t.equal(dataset.histories.get("0a1b2c3d")!.sessions.length, 4, "what was not changed is as good as before");
    t.throws(() => dataset.histories.get("gpt4_5e6f7a8b"), { code: "E_DATASET" });
    t.throws(() => [...dataset.histories], { code: "E_DATASET" });
    writeFileSync(path, bytes.subarray(0, 200));
    t.throws(() => dataset.histories.get("9c9c9c9c"), { code: "E_DATASET" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

t.test("longmemevalTime", async (t) => {
  const known: [string, string | null][] = [
    ["2023/05/20 (Sat) 02:21", "2023-05-20T02:21"],
    ["2024/02/29 (Thu) 23:59", "2024-02-29T23:59"],
    ["2023/05/20 02:21", null],
    ["2023/05/20 (Sat) 2:21", null],
    ["2023-05-20 (Sat) 02:21", null],
    [" 2023/05/20 (Sat) 02:21", null],
    ["2023/05/20 (Sat) 02:21\n", null],
    ["", null],
  ];
  for (const [date, time] of known) t.equal(longmemevalTime(date), time, JSON.stringify(date));
});

const oracle = shared("data/longmemeval/longmemeval_oracle_2_full_questions_rebuilt.json");

t.test("two real questions, rebuilt", { skip: oracle.skip }, async (t) => {
  const { asked, references, histories } = openDataset(longmemeval, openInput(oracle.path), true);
  t.strictSame(
    asked.map(({ questionId, category }) => [questionId, category]),
    [
      ["gpt4_f2262a51", "multi-session"],
      ["b9cfe692", "temporal-reasoning"],
    ],
  );
  t.equal(histories.sessionsTotal, 6);
  t.ok(
    [...histories].every(({ sessions }) => sessions.every(({ time, turns }) => time !== null && turns.length === 12)),
  );
  for (const { evidence, evidenceSessions } of references) {
    t.ok(evidence.length > 0);
    t.ok(evidence.every(([session]) => evidenceSessions!.includes(session)));
  }
});

const rows = shared("data/longmemeval/lme500_questions_with_evidence_turns.jsonl");

t.test("all 500 real questions, over their evidence turns", { skip: rows.skip }, async (t) => {
  interface Row {
    question_id: string;
    question_type: string;
    question: string;
    answer: string | number;
    question_date_in_oracle_file: string;
    evidence_sessions: { date: string; turns: { role: string; content: string }[] }[];
  }
  const given = readFileSync(rows.path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  const { asked, references, histories, excluded } = read(
    given.map((row) => ({
      ...row,
      question_date: row.question_date_in_oracle_file,
      haystack_dates: row.evidence_sessions.map(({ date }) => date),
      haystack_session_ids: row.evidence_sessions.map((_, index) => `answer_${index}`),
      haystack_sessions: row.evidence_sessions.map(({ turns }) => turns.map((turn) => ({ ...turn, has_answer: true }))),
      answer_session_ids: row.evidence_sessions.map((_, index) => `answer_${index}`),
    })),
  );
  const count = (of: (index: number) => unknown): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (let index = 0; index < asked.length; index += 1)
      counts[String(of(index))] = (counts[String(of(index))] ?? 0) + 1;
    return counts;
  };
  t.strictSame(
    count((index) => asked[index]!.category),
    {
      "single-session-user": 70,
      "single-session-assistant": 56,
      "single-session-preference": 30,
      "multi-session": 133,
      "knowledge-update": 78,
      "temporal-reasoning": 133,
    },
  );
  t.strictSame(
    count((index) => asked[index]!.flags.join()),
    { "": 470, abstention: 30 },
  );
  t.strictSame(
    count((index) => typeof references[index]!.reference),
    { string: 468, number: 32 },
  );
  t.equal(references.flatMap(({ evidence }) => evidence).length, 896);
  t.strictSame([histories.sessionsTotal, histories.turnsTotal], [854, 896]);
  t.strictSame(excluded, []);
  t.ok(
    asked.every(({ questionDate }) => longmemevalTime(questionDate!) !== null),
    "all dates can be sorted",
  );
  const late = [...histories].filter(({ sessions }, index) =>
    sessions.some(({ time }) => time! > longmemevalTime(asked[index]!.questionDate!)!),
  );
  t.equal(late.length, 42, "evidence dated after the question is evidence");
});
