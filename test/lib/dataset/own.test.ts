import { readFileSync } from "node:fs";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { type Dataset, readDataset } from "../../../lib/dataset/index.js";
import { own, ownTime } from "../../../lib/dataset/own.js";
import type { AskedQuestion, Turn } from "../../../lib/dataset/types.js";
import type { OwnDataset } from "../../../schemas/index.js";
import { repositoryFile } from "../../support/shared.js";

const bytes = readFileSync(repositoryFile("fixtures/datasets/harbour.json"));
const raw = JSON.parse(bytes.toString("utf8")) as OwnDataset;
const harbour = readDataset(own, bytes, "harbour.json", false);

function turnOf(historyId: string, session: number, turn: number): Turn {
  return harbour.histories.get(historyId)!.sessions[session - 1]!.turns[turn - 1]!;
}

t.test("harbour: counts", async (t) => {
  t.strictSame(harbour.identity, {
    name: "harbour",
    adapter: "own",
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    pinned: false,
    licence: "Apache-2.0",
  });
  t.strictSame(
    [...harbour.histories].map(({ historyId, sessions }) => [
      historyId,
      sessions.length,
      sessions.flatMap(({ turns }) => turns).length,
      harbour.asked.filter((asked) => asked.historyId === historyId).length,
    ]),
    [
      ["harbour/boatyard", 6, 69, 12],
      ["harbour/kitchen", 5, 59, 12],
      ["harbour/choir", 7, 71, 12],
    ],
  );
  t.equal(harbour.questionsTotal, 36);
  t.strictSame(harbour.excluded, [], "nobody decides for the user what is asked");
  const counts: Record<string, number> = {};
  for (const { category } of harbour.asked) counts[category] = (counts[category] ?? 0) + 1;
  t.strictSame(counts, {
    "single-hop": 6,
    temporal: 7,
    "knowledge-update": 8,
    "multi-hop": 7,
    "open-domain": 4,
    unanswerable: 4,
  });
  t.equal(harbour.asked.filter(({ questionDate }) => questionDate !== null).length, 6);
  t.equal(harbour.references.filter(({ reference }) => typeof reference === "number").length, 5);
  const turns = [...harbour.histories].flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns));
  t.equal(turns.filter(({ captions }) => captions.length > 0).length, 13);
  const unanswerable = harbour.asked.filter(({ flags }) => flags.includes("abstention"));
  t.strictSame(
    unanswerable.map(({ category }) => category),
    Array(4).fill("unanswerable"),
  );
  for (const { questionId } of unanswerable) {
    t.strictSame(
      harbour.references.find((reference) => reference.questionId === questionId),
      { questionId, reference: null, evidence: [], evidenceUnresolved: [] },
    );
  }
});

t.test("harbour: everything is what the file says", async (t) => {
  t.strictSame(
    [...harbour.histories],
    raw.histories.map(({ history_id, sessions }) => ({
      historyId: history_id,
      sessions: sessions.map(({ date, turns }) => ({
        date: date ?? null,
        time: null,
        turns: turns.map(({ speaker, text, captions }) => ({ speaker, text, captions: captions ?? [] })),
      })),
    })),
    "only one form of a date is read for a time: people write them in too many ways",
  );
  t.strictSame(
    harbour.asked,
    raw.questions.map((question) => ({
      questionId: question.question_id,
      historyId: question.history_id,
      category: question.category,
      question: question.question,
      questionDate: question.question_date ?? null,
      flags: question.flags ?? [],
    })),
  );
  t.strictSame(
    harbour.references,
    raw.questions.map(({ question_id, reference, evidence }) => ({
      questionId: question_id,
      reference,
      evidence: evidence ?? [],
      evidenceUnresolved: [],
    })),
  );
  t.equal([...harbour.histories][0]!.sessions[3]!.date, null, "a date that is missing stays missing");
});

t.test("harbour: text that tools like to change", async (t) => {
  const places: [string, number, number, RegExp][] = [
    ["harbour/boatyard", 5, 12, /\p{L}\p{M}/u],
    ["harbour/kitchen", 2, 8, /\p{L}\p{M}/u],
    ["harbour/choir", 2, 10, /\p{L}\p{M}/u],
    ["harbour/choir", 1, 5, /\p{Script=Arabic}{2}/u],
    ["harbour/choir", 4, 12, /\p{Script=Arabic}{2}/u],
    ["harbour/kitchen", 3, 1, /\p{Emoji_Modifier}\u200d/u],
    ["harbour/boatyard", 4, 1, /\\.*\$&.*\{\{context\}\}|\{\{context\}\}.*\$&/s],
    ["harbour/boatyard", 3, 5, /\n\n/],
  ];
  for (const [historyId, session, turn, pattern] of places) {
    const { text } = turnOf(historyId, session, turn);
    const at = `${historyId} [${session}, ${turn}]`;
    t.match(text, pattern, at);
    // In the file a string is its own UTF-8 but for JSON's escapes.
    t.ok(bytes.includes(JSON.stringify(text)), `${at}: the very bytes stand in the file`);
  }
  for (const [historyId, session, turn] of places.slice(0, 3)) {
    const { text } = turnOf(historyId, session, turn);
    t.not(text.normalize("NFC"), text, `${historyId} [${session}, ${turn}] is not normalised`);
  }
});

/** Every object that can be reached from a value, with the keys it has of its own, hidden ones and symbols too. */
function ownKeysBelow(value: unknown, found: { objects: Set<object>; keys: Set<PropertyKey> }): void {
  if (typeof value !== "object" || value === null || found.objects.has(value)) return;
  found.objects.add(value);
  for (const key of Reflect.ownKeys(value)) {
    if (!Array.isArray(value)) found.keys.add(key);
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    if (!("value" in property)) throw new Error(`${String(key)} is computed when looked at`);
    ownKeysBelow(property.value, found);
  }
}

t.test("no reference can be reached from a question", async (t) => {
  const evaluators = { objects: new Set<object>(), keys: new Set<PropertyKey>() };
  ownKeysBelow(harbour.references, evaluators);
  t.strictSame([...evaluators.keys].sort(), ["evidence", "evidenceUnresolved", "questionId", "reference"]);
  const expected: (keyof AskedQuestion)[] = [
    "category",
    "flags",
    "historyId",
    "question",
    "questionDate",
    "questionId",
  ];
  for (const asked of harbour.asked) {
    const readers = { objects: new Set<object>(), keys: new Set<PropertyKey>() };
    ownKeysBelow(asked, readers);
    t.strictSame([...readers.keys].sort(), expected, asked.questionId);
    t.equal(Object.getPrototypeOf(asked), Object.prototype, "nothing is inherited");
    t.notOk([...readers.objects].some((object) => evaluators.objects.has(object)));
  }
});

// Small files.

type Json = Record<string, unknown>;
const turns = [
  { speaker: "Ada", text: "one" },
  { speaker: "Bo", text: "two", captions: ["a kite", ""] },
];
const history = (more: Json = {}) => ({ history_id: "h", sessions: [{ turns }, { date: "", turns }], ...more });
const question = (more: Json = {}) => ({
  question_id: "q",
  history_id: "h",
  category: "single-hop",
  question: "what?",
  reference: "one",
  evidence: [[2, 2]],
  ...more,
});
const file = (more: Json = {}) => ({
  schema: "sealane-dataset/1",
  name: "small",
  licence: "none",
  histories: [history()],
  questions: [question()],
  ...more,
});
const read = (value: unknown): Dataset =>
  readDataset(own, value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value)), "small.json", false);

t.test("a small file", async (t) => {
  const { histories, asked, references } = read(
    file({
      questions: [
        question(),
        question({ question_id: "Q", reference: null, evidence: undefined, flags: ["b", "a"], question_date: "" }),
        question({ question_id: "a/b.c-d_1", reference: -0.5, evidence: [[1, 1]] }),
      ],
    }),
  );
  t.strictSame(
    [...histories][0]!.sessions.map(({ date }) => date),
    [null, ""],
    "an empty date is not a missing one",
  );
  t.strictSame([...histories][0]!.sessions[0]!.turns[1]!.captions, ["a kite", ""]);
  t.strictSame(
    asked.map(({ questionId, questionDate, flags }) => [questionId, questionDate, flags]),
    [
      ["q", null, []],
      ["Q", "", ["b", "a"]],
      ["a/b.c-d_1", null, []],
    ],
  );
  t.strictSame(
    references.map(({ reference, evidence }) => [reference, evidence]),
    [
      ["one", [[2, 2]]],
      [null, []],
      [-0.5, [[1, 1]]],
    ],
  );
});

t.test("a small file with one fault", async (t) => {
  const faults: [string, unknown, string][] = [
    ["a question id twice", file({ questions: [question(), question()] }), "E_DUPLICATE"],
    [
      "a question id twice, not side by side",
      file({ questions: [question(), question({ question_id: "r" }), question()] }),
      "E_DUPLICATE",
    ],
    ["a history id twice", file({ histories: [history(), history()] }), "E_DUPLICATE"],
    ["an unknown history", file({ questions: [question({ history_id: "H" })] }), "E_POPULATION"],
    ["a history named like a property", file({ questions: [question({ history_id: "constructor" })] }), "E_POPULATION"],
    ["evidence in a session after the last", file({ questions: [question({ evidence: [[3, 1]] })] }), "E_POPULATION"],
    [
      "evidence in a turn after the last",
      file({
        questions: [
          question({
            evidence: [
              [1, 1],
              [2, 3],
            ],
          }),
        ],
      }),
      "E_POPULATION",
    ],
    ["evidence counted from zero", file({ questions: [question({ evidence: [[0, 1]] })] }), "E_SCHEMA"],
    ["evidence that is no pair", file({ questions: [question({ evidence: [[1, 1, 1]] })] }), "E_SCHEMA"],
    ["evidence as a label", file({ questions: [question({ evidence: ["D1:1"] })] }), "E_SCHEMA"],
    ["a newer version", file({ schema: "sealane-dataset/2" }), "E_VERSION"],
    ["another schema", file({ schema: "other-dataset/1" }), "E_SCHEMA"],
    ["no schema", file({ schema: undefined }), "E_SCHEMA"],
    ["a list", [file()], "E_SCHEMA"],
    ["null", null, "E_SCHEMA"],
    ["no histories", file({ histories: [] }), "E_SCHEMA"],
    ["no questions", file({ questions: [] }), "E_SCHEMA"],
    ["no licence", file({ licence: undefined }), "E_SCHEMA"],
    ["an unknown field", file({ note: "hello" }), "E_SCHEMA"],
    ["an unknown field of a question", file({ questions: [question({ answer: "one" })] }), "E_SCHEMA"],
    ["a history without sessions", file({ histories: [history({ sessions: [] })] }), "E_SCHEMA"],
    ["a session without turns", file({ histories: [history({ sessions: [{ turns: [] }] })] }), "E_SCHEMA"],
    ["a turn without text", file({ histories: [history({ sessions: [{ turns: [{ speaker: "A" }] }] })] }), "E_SCHEMA"],
    ["no reference", file({ questions: [question({ reference: undefined })] }), "E_SCHEMA"],
    ["a reference that is a list", file({ questions: [question({ reference: ["one"] })] }), "E_SCHEMA"],
    ["a reference that is true", file({ questions: [question({ reference: true })] }), "E_SCHEMA"],
    ["an id with a blank", file({ questions: [question({ question_id: "q 1" })] }), "E_SCHEMA"],
    ["an id that is not ASCII", file({ questions: [question({ question_id: "é" })] }), "E_SCHEMA"],
    ["an id that climbs", file({ questions: [question({ question_id: "a/../b" })] }), "E_SCHEMA"],
    ["an id that is too long", file({ questions: [question({ question_id: "q".repeat(129) })] }), "E_SCHEMA"],
    ["a category in capitals", file({ questions: [question({ category: "Temporal" })] }), "E_SCHEMA"],
  ];
  for (const [name, value, code] of faults) t.throws(() => read(value), { name: "SealaneError", code }, name);
  t.throws(() => read(file({ schema: "sealane-dataset/2" })), {
    code: "E_VERSION",
    expected: "sealane-dataset/1",
    found: "sealane-dataset/2",
  });
});

t.test("bytes that are no JSON of ours", async (t) => {
  const text = JSON.stringify(file());
  const doubled = text.replace('"name":', '"name":"other","name":');
  t.equal(JSON.parse(doubled).name, "small", "JSON.parse takes it");
  const escaped = text.replace('"name":', '"n\\u0061me":"other","name":');
  const cases: [string, Buffer, string][] = [
    ["a key twice", Buffer.from(doubled), "E_JSON"],
    ["a key twice, once in escapes", Buffer.from(escaped), "E_JSON"],
    ["cut short", Buffer.from(text.slice(0, -3)), "E_JSON"],
    [
      "cut inside a character",
      Buffer.from(text.replace("what?", "whät?")).subarray(0, text.indexOf("what?") + 3),
      "E_UTF8",
    ],
    ["Latin-1", Buffer.from(text.replace("what?", "wh\u00e4t?"), "latin1"), "E_UTF8"],
    ["UTF-16", Buffer.from(text, "utf16le"), "E_JSON"],
    ["half a surrogate pair, in an escape", Buffer.from(text.replace("what?", "\\udc00")), "E_SURROGATE"],
    ["half a surrogate pair, in bytes", Buffer.from(text.replace("what?", "\u00ed\u00a0\u0080"), "latin1"), "E_UTF8"],
    ["a byte order mark", Buffer.from(`\ufeff${text}`), "E_JSON"],
    ["nothing", Buffer.alloc(0), "E_JSON"],
    ["nested too deeply", Buffer.from("[".repeat(1000)), "E_LIMIT"],
  ];
  for (const [name, given, code] of cases) t.throws(() => read(given), { name: "SealaneError", code }, name);
  const cut = bytes.subarray(0, bytes.length >> 1);
  t.throws(() => readDataset(own, cut, "harbour.json", true), { code: /^E_(JSON|UTF8)$/ }, "half of harbour");
});

t.test("a date in the one form that can be sorted", async (t) => {
  t.equal(ownTime("2024-05-03"), "2024-05-03T00:00");
  t.equal(ownTime("2024-05-03 23:59"), "2024-05-03T23:59");
  t.equal(ownTime("2024-12-31T00:00"), "2024-12-31T00:00");
  for (const other of [
    "3 May 2025",
    "2024-13-01",
    "2024-00-10",
    "2024-05-32",
    "2023-02-29",
    "2024-05-00",
    "2024-05-03 24:00",
    "2024-05-03 9:00",
    "2024-05-03 09:00:00",
    "2024-05-03Z",
    " 2024-05-03",
    "",
  ]) {
    t.equal(ownTime(other), null, other);
  }
});
