import fc from "fast-check";
import t from "tap";
import { LexicalIndex } from "../../../lib/evidence/lexical.js";
import { words } from "../../../lib/text/words.js";
import { SEED, texts } from "./histories.js";

t.test("words", async (t) => {
  const known: [string, string[]][] = [
    ["", []],
    [" .,!?—…👍🏽 ", []],
    ["Zoë's ÉCOLE", ["zoë", "s", "école"]],
    ["don't stop-motion under_score", ["don", "t", "stop", "motion", "under", "score"]],
    ["e\u0301te\u0301 été", ["e\u0301te\u0301", "été"]],
    ["2024-05-01 £2,400 ½ x²", ["2024", "05", "01", "2", "400", "½", "x²"]],
    ["東京タワー。漢字かな", ["東京タワー", "漢字かな"]],
    ["한국어 שלום مرحبا", ["한국어", "שלום", "مرحبا"]],
    ["हिन्दी ไทยที่", ["हिन्दी", "ไทยที่"]],
    ["ΟΔΟΣ Σ", ["οδος", "σ"]],
    ["İstanbul I ISPARTA", ["i\u0307stanbul", "i", "isparta"]],
    ["Straße STRASSE ǅ", ["straße", "strasse", "ǆ"]],
    ["a\u200db c\u00add a\u00a0b", ["a", "b", "c", "d", "a", "b"]],
    ["𝒳𝒴 🇳🇴", ["𝒳𝒴"]],
    ["constructor __proto__", ["constructor", "proto"]],
  ];
  for (const [text, expected] of known) t.strictSame(words(text), expected, JSON.stringify(text));
});

/** BM25 by its formula, a segment and a word at a time. */
function naiveBm25(corpus: readonly string[], query: string, k1: number, b: number): number[] {
  const documents = corpus.map(words);
  const mean = documents.reduce((sum, document) => sum + document.length, 0) / documents.length;
  const asked = [...new Set(words(query))];
  return documents.map((document) => {
    let score = 0;
    for (const word of asked) {
      const count = document.filter((other) => other === word).length;
      if (count === 0) continue;
      const holding = documents.filter((other) => other.includes(word)).length;
      const inverse = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
      score += inverse * ((count * (k1 + 1)) / (count + k1 * (1 - b + b * (document.length / mean))));
    }
    return score;
  });
}

const CORPUS = [
  "the red kite flew over the harbour",
  "a kite, a Kite, a KITE!",
  "",
  "nothing of that sort",
  "red red red",
  "the harbour was red",
];

t.test("known scores", async (t) => {
  const { scores, matched } = new LexicalIndex(CORPUS).bm25("Red kite?", 1.2, 0.75);
  t.strictSame(matched, [0, 1, 4, 5]);
  t.equal(scores.length, CORPUS.length);
  // By hand: mean length 4; idf of "red" is ln 2, of "kite" ln 2.8.
  t.strictSame(
    Array.from(scores, (score) => score.toFixed(3)),
    ["1.318", "1.461", "0.000", "0.000", "1.151", "0.693"],
  );
});

t.test("against the formula, on random texts", async (t) => {
  const word = fc.constantFrom("red", "Red", "kite", "zoë", "zoe\u0308", "東京", "the", "2024", "👍🏽", "constructor");
  const text = fc.oneof(
    fc.array(word, { maxLength: 8 }).map((list) => list.join(" ")),
    texts(4),
  );
  const parameter = fc.constantFrom([1.2, 0.75], [0, 0], [2, 1], [0.5, 0]);
  let most = 0;
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12, size: "max" }), text, parameter, (corpus, query, [k1, b]) => {
      const { scores, matched } = new LexicalIndex(corpus).bm25(query, k1!, b!);
      const expected = naiveBm25(corpus, query, k1!, b!);
      if (scores.length !== corpus.length) throw new Error("a score is missing");
      for (const [index, score] of scores.entries()) {
        if (!(Math.abs(score - expected[index]!) <= 1e-9)) throw new Error(`${score} is not ${expected[index]}`);
      }
      const asked = new Set(words(query));
      const sharing = corpus.flatMap((document, index) => (words(document).some((w) => asked.has(w)) ? [index] : []));
      if (JSON.stringify(matched) !== JSON.stringify(sharing)) throw new Error("other segments match");
      if (!matched.every((index) => scores[index]! > 0)) throw new Error("a match that scores nothing");
      most = Math.max(most, matched.length);
    }),
    { seed: SEED, numRuns: 2000 },
  );
  t.ok(most >= 8, `up to ${most} segments matched`);
});

t.test("nothing to find", async (t) => {
  const index = new LexicalIndex(CORPUS);
  for (const query of ["", "?! …", "submarine", "kit", "kites"]) {
    const { scores, matched } = index.bm25(query, 1.2, 0.75);
    t.strictSame([matched, [...scores]], [[], CORPUS.map(() => 0)], JSON.stringify(query));
  }
  for (const corpus of [[], [""], ["", "👍🏽 !"]]) {
    const { scores, matched } = new LexicalIndex(corpus).bm25("red kite", 1.2, 0.75);
    t.strictSame([matched, [...scores]], [[], corpus.map(() => 0)], JSON.stringify(corpus));
  }
});

t.test("order and repetition", async (t) => {
  const index = new LexicalIndex([...CORPUS, ...CORPUS]);
  const { scores } = index.bm25("red kite", 1.2, 0.75);
  for (const [at] of CORPUS.entries()) t.equal(scores[at], scores[at + CORPUS.length], "equal texts score equally");
  t.strictSame(index.bm25("red, red kite RED", 1.2, 0.75).scores, scores, "a word of the question counts once");
  t.strictSame(index.bm25("red kite", 1.2, 0.75).scores, scores, "asking leaves no trace");
  const [once, often] = new LexicalIndex(["red the the", "red red red", "blue"]).bm25("red", 1.2, 0.75).scores;
  t.ok(often! > once!, "more often is better");
  const [short, long] = new LexicalIndex(["red", "red and a good many other words", "blue"]).bm25(
    "red",
    1.2,
    0.75,
  ).scores;
  t.ok(short! > long!, "shorter is better");
  const all = new LexicalIndex(["red", "red", "red"]).bm25("red", 1.2, 0.75).scores;
  t.ok(
    all.every((score) => score > 0),
    "a word that stands everywhere never counts against a segment",
  );
});
