import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { adapterOf, readDataset } from "../../../lib/dataset/index.js";
import { tokenizerOf } from "../../../lib/evidence/tokens.js";
import { momentOf } from "../../../lib/synthetic/calendar.js";
import { Chance } from "../../../lib/synthetic/chance.js";
import { KINDS, planQuestions, QUESTIONS_MAX } from "../../../lib/synthetic/facts.js";
import { SYNTHETIC_FORMS, type SyntheticSize } from "../../../lib/synthetic/forms.js";

const SMALL: SyntheticSize = { seed: "1", tokens: 20_000, histories: 2, questions: 24 };
const textOf = (form: string, size: SyntheticSize = SMALL): string =>
  [...SYNTHETIC_FORMS.find((candidate) => candidate.id === form)!.write(size)].join("");

t.test("the same seed gives the same bytes, another seed others", async (t) => {
  // Pinned, so that a published figure over a synthetic dataset can be made again by a later release.
  t.equal(sha256Hex(textOf("own")), "4233f6d4182375a9de70446d5c9c5a31d10bc509f3ce7445c3d0987e9961f00a");
  t.equal(sha256Hex(textOf("longmemeval")), "23aa02aac19f4777678ee6420b60bedadaecf6322cbbe1a8a9c9478d45a38f6e");
  t.not(textOf("own", { ...SMALL, seed: "2" }), textOf("own"));
});

t.test("what a history holds does not depend on how many there are", async (t) => {
  const histories = (size: SyntheticSize): unknown[] =>
    (JSON.parse(textOf("own", size)) as { histories: unknown[] }).histories;
  t.strictSame(histories({ ...SMALL, histories: 3 }).slice(0, 2), histories(SMALL));
});

t.test("it is a dataset, and every labelled turn holds what its question needs", async (t) => {
  const { histories, asked, references } = readDataset(adapterOf("own"), Buffer.from(textOf("own")), "s.json", false);
  t.equal(asked.length, 48);
  t.strictSame([...new Set(asked.map((question) => question.category))], KINDS);
  for (const [index, { reference, evidence, questionId }] of references.entries()) {
    const question = asked[index]!;
    const { sessions } = histories.get(question.historyId)!;
    const turns = evidence.map(([session, turn]) => sessions[session - 1]!.turns[turn - 1]!.text);
    const expected = { "single-hop": 1, unanswerable: 0 }[question.category] ?? 2;
    t.equal(turns.length, expected, questionId);
    t.equal(reference === null, question.category === "unanswerable");
    const value = String(reference);
    if (question.category === "single-hop") t.ok(turns[0]!.includes(value));
    if (question.category === "knowledge-update") t.ok(turns[1]!.includes(value) && !turns[0]!.includes(value));
    if (question.category === "multi-hop")
      t.ok(value.split(" and ").every((part, place) => turns[place]!.includes(part)));
    // Support in order of time, and the owner whom the question names in each turn of it.
    t.strictSame(
      [...evidence].sort(([a, b], [c, d]) => a - c || b - d),
      evidence,
    );
    for (const text of turns)
      t.ok((text.match(/my [a-z ]*[A-Z][a-z]+/g) ?? []).some((owner) => question.question.includes(owner.slice(3))));
    // No turn but its support speaks of its owner.
    const owner = /'s ([a-z ]+[A-Z][a-z]+)/.exec(question.question)?.[1];
    if (owner === undefined) continue;
    const speaking = sessions.flatMap((session) => session.turns).filter((turn) => turn.text.includes(`my ${owner}`));
    t.ok(speaking.length <= turns.length, `${questionId}: ${owner}`);
  }
});

t.test("a history is about as long as asked for", async (t) => {
  const { count } = tokenizerOf("o200k_base");
  for (const tokens of [5_000, 50_000, 200_000]) {
    const { histories } = JSON.parse(textOf("own", { seed: "7", tokens, histories: 1, questions: 12 })) as {
      histories: { sessions: { turns: { text: string }[] }[] }[];
    };
    const counted = histories[0]!.sessions
      .flatMap((session) => session.turns)
      .reduce((sum, { text }) => sum + count(text), 0);
    t.ok(counted > 0.75 * tokens && counted < 1.35 * tokens, `${counted} for ${tokens}`);
  }
});

t.test("sessions in the form of LongMemEval carry dates in order, and labels where the fact is told", async (t) => {
  const items = JSON.parse(textOf("longmemeval", { ...SMALL, histories: 6 })) as {
    question_id: string;
    question_type: string;
    haystack_dates: string[];
    haystack_session_ids: string[];
    haystack_sessions: { role: string; content: string; has_answer?: boolean }[][];
    answer_session_ids: string[];
  }[];
  t.equal(items.length, 6);
  for (const item of items) {
    t.equal(item.haystack_dates.length, item.haystack_sessions.length);
    t.equal(item.haystack_session_ids.length, item.haystack_sessions.length);
    const bare = item.haystack_dates.map((date) => date.replace(/ \([A-Z][a-z]{2}\)/, ""));
    t.strictSame(bare.toSorted(), bare);
    const labelled = item.haystack_session_ids.filter((_, place) =>
      item.haystack_sessions[place]!.some((turn) => turn.has_answer),
    );
    t.strictSame(labelled, item.answer_session_ids);
    t.equal(labelled.length === 0, item.question_id.endsWith("_abs"));
    t.ok(item.haystack_sessions.flat().every((turn) => turn.has_answer !== true || turn.role === "user"));
  }
});

t.test("as many questions as there are owners for, and no owner twice", async (t) => {
  const plan = planQuestions(new Chance("x"), "Marta", QUESTIONS_MAX);
  t.equal(plan.length, QUESTIONS_MAX);
  t.equal(
    new Set(plan.filter((entry) => entry.kind !== "temporal").map((entry) => entry.question)).size,
    plan.filter((entry) => entry.kind !== "temporal").length,
  );
});

t.test("the calendar", async (t) => {
  const day = (days: number): string => {
    const { year, month, day: number, weekday } = momentOf(days * 1440);
    return `${year}-${month}-${number} ${weekday}`;
  };
  t.strictSame([0, 58, 59, 364, 365, 365 + 59, 365 + 60, 730, 731, 1095].map(day), [
    "2023-01-01 Sun",
    "2023-02-28 Tue",
    "2023-03-01 Wed",
    "2023-12-31 Sun",
    "2024-01-01 Mon",
    "2024-02-29 Thu",
    "2024-03-01 Fri",
    "2024-12-31 Tue",
    "2025-01-01 Wed",
    "2025-12-31 Wed",
  ]);
  t.strictSame(momentOf(1440 + 61).time, "01:01");
});
