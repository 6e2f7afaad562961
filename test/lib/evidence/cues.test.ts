import t from "tap";
import { armOf } from "../../../lib/evidence/arms/index.js";
import { asksFor, wordsLike } from "../../../lib/evidence/cues.js";

const { summary_cues, order_cues } = armOf("breadth").parameters;
const { list_cues, exclusion_cues, name_pattern } = armOf("r").parameters;
const PLAIN = ["Where was it?", "What colour is the boat?", "When was it in May 2024?", "Did we meet on Monday?", ""];

const CASES: [name: string, cues: string | number | boolean | undefined, questions: string[]][] = [
  [
    "summaries",
    summary_cues,
    [
      "Can you summarize our talks?",
      "SUMMARISE what happened",
      "Give me an overview of my project",
      "How has my plan evolved since then?",
      "How did his views change over time?",
    ],
  ],
  [
    "orders of events",
    order_cues,
    [
      "In what order did I visit these places?",
      "List the events in chronological order",
      "What is the timeline of the move?",
      "Walk me through the order in which I brought up my tools",
      "Sort them from earliest to latest",
    ],
  ],
  [
    "lists",
    list_cues,
    ["List my hobbies", "How many books did we read?", "What kinds of tea are there?", "Name all of it"],
  ],
  [
    "exclusions",
    exclusion_cues,
    [
      "Which things does she like besides tea?",
      "what did he not eat?",
      "What hasn't been painted?",
      "What didn’t she?",
    ],
  ],
];

for (const [name, cues, questions] of CASES) {
  t.test(`questions that ask for ${name}`, async (t) => {
    t.strictSame(
      questions.filter((question) => !asksFor(question, cues)),
      [],
    );
    t.strictSame(
      PLAIN.filter((question) => asksFor(question, cues)),
      [],
    );
  });
}

t.test("a word within another word is no cue", async (t) => {
  t.equal(asksFor("What did the listener notice?", list_cues), false);
  t.equal(asksFor("Where did she knot the rope?", exclusion_cues), false);
  t.equal(asksFor("What did the consequence cost?", order_cues), false);
});

t.test("named persons: capitalised words inside a sentence", async (t) => {
  t.strictSame(wordsLike("When did Caroline and Zoë meet Ahmed's sister?", name_pattern), ["Caroline", "Zoë", "Ahmed"]);
  t.strictSame(wordsLike('He said "yes." Then what did Bo say?', name_pattern), ["Bo"], "not the first of a sentence");
  t.strictSame(wordsLike("What did I do in May, on Monday?", name_pattern), [], "no month, day or I");
  t.strictSame(wordsLike("Was it April's turn, or Maya's?", name_pattern), ["Maya"], "a name that begins like a month");
  t.strictSame(
    PLAIN.flatMap((question) => wordsLike(question, name_pattern)),
    [],
  );
});
