import { readFileSync } from "node:fs";
import t, { type Test } from "tap";
import { idListSha256, sha256Hex } from "../../../lib/bytes/digest.js";
import { type Dataset, readDataset } from "../../../lib/dataset/index.js";
import { locomo, locomoTime } from "../../../lib/dataset/locomo.js";
import type { ParsedDataset } from "../../../lib/dataset/types.js";
import { SealaneError } from "../../../lib/finding.js";
import { shared } from "../../support/shared.js";

// The published file is CC BY-NC 4.0 and is not copied here: ids, counts and support labels only.

const { path, skip } = shared("data/locomo/locomo10.json");
const bytes = skip ? Buffer.alloc(0) : readFileSync(path);

interface RawTurn {
  readonly speaker: string;
  readonly text: string;
  readonly img_url?: unknown;
  readonly blip_caption?: string;
}
interface RawQuestion {
  readonly question: string;
  readonly answer?: unknown;
  readonly adversarial_answer?: unknown;
  readonly category: number;
  readonly evidence: readonly string[];
}
interface RawSample {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly RawQuestion[];
}

/** The file as the plain JSON it is: what the adapter's reading is held against. */
const raw = skip ? [] : (JSON.parse(bytes.toString("utf8")) as readonly RawSample[]);
const dataset = skip ? undefined : readDataset(locomo, bytes, "locomo10.json", false);

const rawSessions = (sample: RawSample): (readonly RawTurn[])[] => {
  const sessions: (readonly RawTurn[])[] = [];
  for (let number = 1; sample.conversation[`session_${number}`]; number += 1) {
    sessions.push(sample.conversation[`session_${number}`] as readonly RawTurn[]);
  }
  return sessions;
};
const rawQuestions = raw.flatMap((sample) =>
  sample.qa.map((qa, index) => ({ ...qa, id: `${sample.sample_id}/${index}`, sampleId: sample.sample_id })),
);
const turnsOf = ({ histories }: ParsedDataset) =>
  [...histories].flatMap(({ sessions }) => sessions.flatMap((s) => s.turns));

/** A test over the published file, skipped where it is not. */
function published(name: string, run: (t: Test, dataset: Dataset) => void): void {
  t.test(name, { skip }, async (t) => run(t, dataset!));
}

published("the published file: histories, sessions, turns", (t, { histories, identity, name }) => {
  t.strictSame(
    [...histories].map(({ historyId, sessions }) => [
      historyId,
      sessions.length,
      sessions.flatMap((s) => s.turns).length,
    ]),
    [
      ["conv-26", 19, 419],
      ["conv-30", 19, 369],
      ["conv-41", 32, 663],
      ["conv-42", 29, 629],
      ["conv-43", 29, 680],
      ["conv-44", 28, 675],
      ["conv-47", 31, 689],
      ["conv-48", 30, 681],
      ["conv-49", 25, 509],
      ["conv-50", 30, 568],
    ],
  );
  t.equal(histories.sessionsTotal, 272);
  t.equal(turnsOf(dataset!).length, 5882);
  t.strictSame(identity, {
    name,
    adapter: "locomo",
    sha256: "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    bytes: 2805274,
    pinned: true,
    licence: "CC BY-NC 4.0",
  });
});

published("the published file: every question is asked or accounted for", (t, { asked, excluded, questionsTotal }) => {
  t.equal(rawQuestions.length, 1986);
  t.equal(questionsTotal, 1986);
  t.equal(asked.length, 1540);
  t.strictSame(excluded, [{ reason: "adversarial", category: "adversarial", count: 446 }]);
  t.equal(asked.length + excluded.reduce((sum, { count }) => sum + count, 0), questionsTotal);
  const counts = new Map<string, number>();
  for (const { category } of asked) counts.set(category, (counts.get(category) ?? 0) + 1);
  t.strictSame(Object.fromEntries(counts), { "multi-hop": 282, temporal: 321, "open-domain": 96, "single-hop": 841 });

  const adversarial = rawQuestions.filter(({ category }) => category === 5);
  t.equal(adversarial.length, 446);
  t.equal(adversarial.filter((qa) => !("answer" in qa)).length, 444);
  t.strictSame(
    adversarial.filter((qa) => "answer" in qa).map(({ id }) => id),
    ["conv-26/167", "conv-26/178"],
  );
});

published("the published file: question ids are the places of the questions", (t, { asked, references }) => {
  const ids = asked.map(({ questionId }) => questionId);
  t.equal(ids[0], "conv-26/0");
  t.strictSame(
    ids,
    rawQuestions.filter(({ category }) => category !== 5).map(({ id }) => id),
  );
  t.strictSame(
    references.map(({ questionId }) => questionId),
    ids,
    "references stand in the order of the questions",
  );
  t.equal(new Set(ids).size, 1540);
  t.equal(idListSha256(ids), "a86fae07f4961c996ba579f780df6c8e5647f6620f230458952e7f5891802797");
  t.ok(asked.every(({ questionId, historyId }) => questionId.startsWith(`${historyId}/`)));
});

published("the published file: questions and references are those of the file", (t, { asked, references }) => {
  const named = new Map(rawQuestions.map((qa) => [qa.id, qa]));
  const names = [undefined, "multi-hop", "temporal", "open-domain", "single-hop"];
  const differing = asked.filter(({ questionId, historyId, category, question }, index) => {
    const qa = named.get(questionId)!;
    const same =
      qa.question === question &&
      qa.sampleId === historyId &&
      names[qa.category] === category &&
      Object.is(qa.answer, references[index]!.reference);
    return !same;
  });
  t.strictSame(differing, []);
  t.ok(
    asked.every(({ questionDate, flags }) => questionDate === null && flags.length === 0),
    "the file has neither",
  );
  t.equal(asked.filter(({ question }) => question !== question.trim()).length, 1, "white space is kept");
});

published("the published file: answers that are numbers stay numbers", (t, { asked, references }) => {
  const numbers = references.flatMap(({ questionId, reference }, index) =>
    typeof reference === "string" ? [] : [[questionId, asked[index]!.category, reference]],
  );
  t.strictSame(numbers, [
    ["conv-26/1", "temporal", 2022],
    ["conv-26/26", "temporal", 2022],
    ["conv-26/40", "multi-hop", 2],
    ["conv-26/49", "temporal", 2022],
    ["conv-26/72", "temporal", 2022],
    ["conv-26/75", "multi-hop", 3],
  ]);
});

published("the published file: texts, speakers and captions byte for byte", (t, whole) => {
  const rawTurns = raw.flatMap((sample) => rawSessions(sample).flat());
  const turns = turnsOf(whole);
  t.equal(rawTurns.length, turns.length);
  const differing = turns.filter(({ speaker, text, captions }, index) => {
    const turn = rawTurns[index]!;
    const captionsThere = turn.blip_caption === undefined ? [] : [turn.blip_caption];
    return speaker !== turn.speaker || text !== turn.text || captions.join("\0") !== captionsThere.join("\0");
  });
  t.strictSame(differing, []);
  t.equal(turns.filter(({ text }) => text !== text.trim()).length, 209, "outer white space");
  t.equal(turns.filter(({ text }) => /[\r\n]/.test(text)).length, 37, "line breaks");
  t.equal(turns.filter(({ text }) => text.trim() === "").length, 0);
  t.equal(turns.filter(({ captions }) => captions.length === 1).length, 1226);
  t.equal(turns.filter(({ captions }) => captions.length > 1).length, 0);
  t.equal(
    rawTurns.filter((turn) => turn.blip_caption !== undefined && turn.img_url === undefined).length,
    316,
    "a caption counts without its image",
  );
});

published("the published file: dates", (t, { histories }) => {
  const sessions = [...histories].flatMap(({ historyId, sessions }) =>
    sessions.map((session, index) => ({ ...session, at: `${historyId}/${index + 1}` })),
  );
  t.strictSame(
    sessions.filter(({ date, time }) => date === null || !/^20\d\d-\d\d-\d\dT\d\d:\d\d$/.test(time ?? "")),
    [],
    "all 272 are there and can be sorted",
  );
  t.equal(sessions.length, 272);
  const wrong = sessions.filter(({ date, time }) => {
    const [clock, day] = date!.split(" on ") as [string, string];
    const parsed = new Date(`${day} ${clock} UTC`);
    return parsed.toISOString().slice(0, 16) !== time;
  });
  t.strictSame(wrong, [], "they are the times that Date reads");
  const backwards = [...histories].flatMap(({ historyId, sessions }) =>
    sessions.flatMap(({ time }, index) =>
      index > 0 && time! < sessions[index - 1]!.time! ? [`${historyId}/${index + 1}`] : [],
    ),
  );
  t.strictSame(backwards, [], "no session is older than the one before it");
  const dates = raw.map(({ sample_id: id, conversation }) => {
    const numbers = Object.keys(conversation).flatMap((key) => /^session_(\d+)_date_time$/.exec(key)?.[1] ?? []);
    return [id, numbers.filter((number) => !(`session_${number}` in conversation)).map(Number)];
  });
  t.strictSame(
    dates.filter(([, numbers]) => numbers!.length > 0),
    [["conv-26", Array.from({ length: 16 }, (_, index) => index + 20)]],
    "16 dates without a session are no sessions",
  );
});

published("the published file: support labels", (t, { references }) => {
  const unresolved = references.filter(({ evidenceUnresolved }) => evidenceUnresolved.length > 0);
  t.strictSame(
    Object.fromEntries(unresolved.map(({ questionId, evidenceUnresolved }) => [questionId, evidenceUnresolved])),
    {
      "conv-26/37": ["D8:6; D9:17"],
      "conv-42/58": ["D10:19"],
      "conv-42/88": ["D"],
      "conv-43/18": ["D:11:26"],
      "conv-47/38": ["D4:36"],
      "conv-49/31": ["D9:1 D4:4 D4:6"],
      "conv-49/38": ["D22:1 D22:2 D9:10 D9:11"],
      "conv-49/46": ["D21:18 D21:22 D11:15 D11:19"],
      "conv-50/69": ["D30:05"],
    },
  );
  t.strictSame(
    references.filter(({ evidence }) => evidence.length === 0).map(({ questionId }) => questionId),
    [
      "conv-26/30",
      "conv-26/37",
      "conv-26/46",
      "conv-49/31",
      "conv-49/38",
      "conv-49/46",
      "conv-50/39",
      "conv-50/42",
      "conv-50/69",
    ],
    "9 questions name no turn at all",
  );
  t.equal(rawQuestions.flatMap(({ evidence }) => evidence).length, 2815);
  const named = new Map(rawQuestions.map((qa) => [qa.id, qa]));
  const lost = references.filter(({ questionId, evidence, evidenceUnresolved }) => {
    const labels = [...evidence.map(([session, turn]) => `D${session}:${turn}`), ...evidenceUnresolved];
    const given = new Set(named.get(questionId)!.evidence);
    return labels.length !== given.size || labels.some((label) => !given.has(label));
  });
  t.strictSame(lost, [], "every label is resolved or kept, once");
  const repeated = references.find(({ questionId }) => questionId === "conv-50/5")!;
  t.strictSame(named.get("conv-50/5")!.evidence, ["D4:5", "D4:5", "D5:5"]);
  t.strictSame(repeated.evidence, [
    [4, 5],
    [5, 5],
  ]);
});

published("the published file: repeated questions keep ids of their own", (t, { asked }) => {
  const groups = new Map<string, string[]>();
  for (const { sampleId, question, id } of rawQuestions) {
    const key = `${sampleId} ${question}`;
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  const repeated = [...groups.values()].filter((ids) => ids.length > 1);
  t.strictSame(repeated, [
    ["conv-30/61", "conv-30/95"],
    ["conv-48/16", "conv-48/89"],
    ["conv-48/25", "conv-48/90"],
    ["conv-48/42", "conv-48/91"],
    ["conv-48/58", "conv-48/92"],
    ["conv-48/61", "conv-48/93"],
    ["conv-48/62", "conv-48/94"],
    ["conv-48/63", "conv-48/95"],
    ["conv-48/67", "conv-48/96"],
    ["conv-48/69", "conv-48/97"],
    ["conv-48/72", "conv-48/98"],
    ["conv-48/74", "conv-48/99"],
  ]);
  const ids = new Set(asked.map(({ questionId }) => questionId));
  t.strictSame(
    repeated.flat().filter((id) => !ids.has(id)),
    ["conv-30/95"],
    "only the one of category 5 is left out",
  );
});

/** The error that reading bytes as LoCoMo gives. */
function refusal(given: Uint8Array, allowOther: boolean): SealaneError {
  try {
    readDataset(locomo, given, "file.json", allowOther);
  } catch (error) {
    if (error instanceof SealaneError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

t.test("the published file: cut short or changed", { skip }, async (t) => {
  const cut = bytes.subarray(0, bytes.length - 1000);
  const refused = refusal(cut, false);
  t.equal(refused.code, "E_DATASET");
  t.match(refused.expected, /79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4.*2805274/);
  t.match(refused.found, new RegExp(`${sha256Hex(cut)}.*2804274`));
  t.match(refused.message, /\b1000\b/, "says how much is missing");
  t.equal(refusal(cut, true).code, "E_JSON", "as another dataset it is no JSON");

  const spaced = Buffer.concat([bytes, Buffer.from("\n")]);
  const longer = refusal(spaced, false);
  t.equal(longer.code, "E_DATASET");
  t.notMatch(longer.message, /short/);
  const other = readDataset(locomo, spaced, "file.json", true);
  t.equal(other.identity.pinned, false);
  t.equal(other.identity.sha256, sha256Hex(spaced));
  t.equal(other.identity.bytes, spaced.length);
  t.strictSame(other.asked, dataset!.asked, "the same questions, of another dataset");
  t.equal(readDataset(locomo, bytes, "file.json", true).identity.pinned, true, "the flag takes nothing away");
});

// A small file of the same shape, made here.

const turn = (id: string, more: object = {}) => ({ speaker: "Ada", dia_id: id, text: `said in ${id}`, ...more });
const sample = (more: object = {}, conversation: object = {}) => ({
  sample_id: "small-1",
  conversation: {
    speaker_a: "Ada",
    speaker_b: "Bo",
    session_1_date_time: "4:10 pm on 26 October, 2023",
    session_1: [turn("D1:1"), turn("D1:2", { blip_caption: "a red kite", img_url: ["x"], query: "kite" })],
    session_2: [turn("D2:1", { text: " e\u0301 👩‍🚀\r\n" })],
    session_9_date_time: "1:00 pm on 1 May, 2024",
    ...conversation,
  },
  qa: [{ question: "what?", answer: "a kite", category: 4, evidence: ["D1:2"] }],
  ...more,
});
const withQuestion = (more: object) => [
  sample({ qa: [{ question: "what?", answer: "a kite", category: 4, evidence: ["D1:2"], ...more }] }),
];
const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const small = (value: unknown): Dataset => readDataset(locomo, encode(value), "small.json", true);

t.test("a small file", async (t) => {
  const { histories, asked, references, identity, questionsTotal, excluded } = small([
    sample(),
    sample({
      sample_id: "small-2",
      qa: [
        {
          question: "one",
          answer: 7,
          category: 1,
          evidence: ["D2:1", "D1:1", "D2:1", "D3:1", "D1:3", "d1:1", "D01:1"],
        },
        { question: "two", category: 5, adversarial_answer: "no" },
        { question: "three", answer: "", category: 3 },
        { question: "four", answer: "soon", category: 2, evidence: ["D1:0", "D1:1 ", "D1:1\n", ""] },
      ],
    }),
  ]);
  t.equal(identity.pinned, false);
  t.equal(questionsTotal, 5);
  t.strictSame(excluded, [{ reason: "adversarial", category: "adversarial", count: 1 }]);
  t.strictSame([...histories][0]!.sessions, [
    {
      date: "4:10 pm on 26 October, 2023",
      time: "2023-10-26T16:10",
      turns: [
        { speaker: "Ada", text: "said in D1:1", captions: [] },
        { speaker: "Ada", text: "said in D1:2", captions: ["a red kite"] },
      ],
    },
    { date: null, time: null, turns: [{ speaker: "Ada", text: " e\u0301 👩‍🚀\r\n", captions: [] }] },
  ]);
  t.strictSame(
    asked.map(({ questionId, category }) => [questionId, category]),
    [
      ["small-1/0", "single-hop"],
      ["small-2/0", "multi-hop"],
      ["small-2/2", "open-domain"],
      ["small-2/3", "temporal"],
    ],
  );
  t.strictSame(references.slice(1), [
    {
      questionId: "small-2/0",
      reference: 7,
      evidence: [
        [2, 1],
        [1, 1],
      ],
      evidenceUnresolved: ["D3:1", "D1:3", "d1:1", "D01:1"],
    },
    { questionId: "small-2/2", reference: "", evidence: [], evidenceUnresolved: [] },
    { questionId: "small-2/3", reference: "soon", evidence: [], evidenceUnresolved: ["D1:0", "D1:1 ", "D1:1\n", ""] },
  ]);
});

t.test("a small file with one fault", async (t) => {
  const faults: [string, unknown, string][] = [
    ["not an array", { samples: [sample()] }, "E_SCHEMA"],
    ["a sample is no object", [[]], "E_SCHEMA"],
    ["no sample id", [sample({ sample_id: undefined })], "E_SCHEMA"],
    ["an id that no lane can hold", [sample({ sample_id: "small 1" })], "E_SCHEMA"],
    ["no conversation", [sample({ conversation: null })], "E_SCHEMA"],
    ["no questions", [sample({ qa: undefined })], "E_SCHEMA"],
    ["a sample id twice", [sample(), sample()], "E_DUPLICATE"],
    ["a turn out of place", [sample({}, { session_2: [turn("D2:2")] })], "E_SCHEMA"],
    ["a turn of another session", [sample({}, { session_2: [turn("D1:1")] })], "E_SCHEMA"],
    ["two turns changed places", [sample({}, { session_2: [turn("D2:2"), turn("D2:1")] })], "E_SCHEMA"],
    ["a turn without its id", [sample({}, { session_2: [turn("D2:1", { dia_id: undefined })] })], "E_SCHEMA"],
    ["a turn without text", [sample({}, { session_2: [turn("D2:1", { text: undefined })] })], "E_SCHEMA"],
    ["a turn without a speaker", [sample({}, { session_2: [turn("D2:1", { speaker: 3 })] })], "E_SCHEMA"],
    ["a caption that is a list", [sample({}, { session_2: [turn("D2:1", { blip_caption: ["a"] })] })], "E_SCHEMA"],
    ["a session that is no list", [sample({}, { session_2: {} })], "E_SCHEMA"],
    ["a session missing between", [sample({}, { session_4: [turn("D4:1")] })], "E_SCHEMA"],
    ["a session zero", [sample({}, { session_0: [turn("D0:1")] })], "E_SCHEMA"],
    ["a session numbered in two ways", [sample({}, { session_02: [turn("D2:1")] })], "E_SCHEMA"],
    ["a date that is no string", [sample({}, { session_2_date_time: 2023 })], "E_SCHEMA"],
    ["category 6", withQuestion({ category: 6 }), "E_SCHEMA"],
    ["category 0", withQuestion({ category: 0 }), "E_SCHEMA"],
    ["a category as a string", withQuestion({ category: "4" }), "E_SCHEMA"],
    ["no category", withQuestion({ category: undefined }), "E_SCHEMA"],
    ...[1, 2, 3, 4].map((category): [string, unknown, string] => [
      `no answer in category ${category}`,
      withQuestion({ category, answer: undefined, adversarial_answer: "a kite" }),
      "E_SCHEMA",
    ]),
    ["an answer that is null", withQuestion({ answer: null }), "E_SCHEMA"],
    ["an answer that is a list", withQuestion({ answer: ["a kite"] }), "E_SCHEMA"],
    ["no question", withQuestion({ question: undefined }), "E_SCHEMA"],
    ["evidence that is no list", withQuestion({ evidence: "D1:2" }), "E_SCHEMA"],
    ["a label that is no string", withQuestion({ evidence: [[1, 2]] }), "E_SCHEMA"],
  ];
  for (const [name, value, code] of faults) t.throws(() => small(value), { name: "SealaneError", code }, name);
  t.equal(refusal(encode([sample({}, { session_2: [turn("D2:7")] })]), true).expected, "D2:1");
  t.equal(refusal(encode([sample({}, { session_2: [turn("D2:7")] })]), true).found, "D2:7");
});

t.test("bytes that are no JSON of ours", async (t) => {
  const text = JSON.stringify([sample()]);
  const doubled = text.replace('"sample_id":', '"sample_id":"small-0","sample_id":');
  t.not(doubled, text);
  t.equal(JSON.parse(doubled)[0].sample_id, "small-1", "JSON.parse takes it");
  t.equal(refusal(Buffer.from(doubled), true).code, "E_JSON", "a key twice");
  t.equal(refusal(Buffer.from(text.slice(0, -20)), true).code, "E_JSON", "cut short");
  t.equal(refusal(Buffer.from(`\ufeff${text}`), true).code, "E_JSON", "a byte order mark");
  t.equal(refusal(Buffer.from(`${text}[]`), true).code, "E_JSON", "something follows");
  t.equal(refusal(Buffer.from(text.replace("what?", "\\ud800")), true).code, "E_JSON", "half a surrogate pair");
  const latin = Buffer.from(text.replace("what?", "wh\u00e4t?"), "latin1");
  t.equal(refusal(latin, true).code, "E_UTF8");
  t.equal(refusal(Buffer.alloc(0), true).code, "E_JSON");
  t.equal(refusal(Buffer.from(text), false).code, "E_DATASET", "sound, but not the published file");
});

t.test("locomoTime", async (t) => {
  const known: [string, string | null][] = [
    ["4:10 pm on 26 October, 2023", "2023-10-26T16:10"],
    ["12:00 am on 1 January, 2024", "2024-01-01T00:00"],
    ["12:59 pm on 31 december, 1999", "1999-12-31T12:59"],
    ["9:05 am on 9 May, 2022", "2022-05-09T09:05"],
    ["11:59 pm on 29 February, 2024", "2024-02-29T23:59"],
    ["", null],
    ["4:10 pm on 26 Oktober, 2023", null],
    ["4:10 on 26 October, 2023", null],
    ["4:10 PM on 26 October, 2023", null],
    ["4:10 pm on 26 October 2023", null],
    ["4:10 pm on October 26, 2023", null],
    [" 4:10 pm on 26 October, 2023", null],
    ["4:10 pm on 26 October, 2023\n", null],
    ["2023-10-26T16:10", null],
    ["4:10 pm on 26 constructor, 2023", null],
  ];
  for (const [date, time] of known) t.equal(locomoTime(date), time, JSON.stringify(date));
  const { histories } = small([sample({}, { session_1_date_time: "some day in May" })]);
  const session = [...histories][0]!.sessions[0]!;
  t.strictSame(
    [session.date, session.time],
    ["some day in May", null],
    "a date of another form is kept, not sorted by",
  );
});
