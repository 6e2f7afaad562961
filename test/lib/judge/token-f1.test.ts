import t from "tap";
import { F1_RULES, type F1Rule, scoreTokenF1 } from "../../../lib/judge/token-f1.js";

// Expected scores were printed by a Python evaluator (NLTK 3.8, NumPy 1.24, regex) and must be met to the last digit.

const PHRASES = ["no information available", "not mentioned"];

function score(rule: F1Rule, answer: string, reference: string | number | null): number {
  return scoreTokenF1(rule, answer, reference, PHRASES);
}

t.test("plain: known values", async (t) => {
  t.equal(score("plain", "running quickly", "runs quick"), 0.5, "run matches, quickli and quick do not");
  t.equal(
    score("plain", "She was camping in the mountains", "camping trip in the mountains with friends"),
    0.5454545454545454,
  );
  t.equal(score("plain", "go go go", "go go"), 0.8, "repeated tokens count as often as they occur in both");
  t.equal(
    score("plain", "2 of 3 cats sat on it", "the cats sat"),
    0.4444444444444445,
    "last digit differs from 2 * shared / total",
  );
});

t.test("plain: quirks of the official rule", async (t) => {
  t.equal(score("plain", "dog bites man", "man bites dog"), 1, "blind to order");
  t.equal(score("plain", "not married", "married"), 0.6666666666666666, "a negation costs one token");
  t.equal(score("plain", "three", "3"), 0, "number words are not numbers");
  t.equal(score("plain", "mother-in-law", "mother in law"), 0, "hyphens vanish");
  t.equal(score("plain", "mother-in-law", "motherinlaw"), 1);
  t.equal(score("plain", "red,blue", "redblue"), 1, "commas vanish");
  t.equal(score("plain", "rock and roll", "rock roll"), 1, '"and" is dropped like an article');
  t.equal(score("plain", "rock-and-roll", "rockandroll"), 1, "but not inside a token");
});

t.test("plain: Unicode", async (t) => {
  t.equal(score("plain", "maría", "maría"), 1);
  t.equal(score("plain", "maría", "marí"), 0, "an accented letter is no word boundary");
  t.equal(score("plain", "a\u0301 b", "b"), 0.6666666666666666, "nor is a combining mark");
  t.equal(score("plain", "a²", "²"), 1, "but a superscript digit is one");
  t.equal(score("plain", '"yes"', "yes"), 1, "ASCII punctuation is dropped");
  t.equal(score("plain", "“yes”", "yes"), 0, "other punctuation is kept");
  t.equal(score("plain", "red—blue", "redblue"), 0);
  t.equal(score("plain", "red—blue", "red blue"), 0);
  t.equal(score("plain", "red\x1cblue\x85green\u3000", "red blue green"), 1, "white space as in Python");
  t.equal(score("plain", "red\ufeffblue", "red blue"), 0, "U+FEFF is not white space in Python");
  t.equal(score("plain", "ΟΔΟΣ,Α", "οδοσα"), 1, "commas go before lower-casing, so this sigma is not a final one");
});

t.test("texts without a token score 0", async (t) => {
  for (const rule of ["plain", "best-part-mean", "first-clause"] as const) {
    for (const text of ["", " \t", "the", "?!", ",", ";"]) {
      t.equal(score(rule, text, "red"), 0, `${rule}: ${JSON.stringify(text)} as answer`);
      t.equal(score(rule, "red", text), 0, `${rule}: ${JSON.stringify(text)} as reference`);
      t.equal(score(rule, text, text), 0, `${rule}: ${JSON.stringify(text)} as both`);
    }
  }
});

t.test("best-part-mean", async (t) => {
  t.equal(
    score("best-part-mean", "pottery, camping, chess, skiing", "pottery, camping"),
    1,
    "extra wrong parts cost nothing",
  );
  t.equal(score("best-part-mean", "camping", "pottery, camping"), 0.5, "missing parts do");
  t.equal(
    score("best-part-mean", "red and blue", "blue paint, , red car"),
    0.3333333333333333,
    "an empty part scores 0",
  );
  t.equal(score("plain", "16 November 2023", "November 16, 2023"), 1);
  t.equal(score("best-part-mean", "16 November 2023", "November 16, 2023"), 0.65, "a comma splits a date");
});

t.test("best-part-mean: the mean adds up in NumPy's order", async (t) => {
  t.equal(
    score(
      "best-part-mean",
      "book milk, sun tea",
      "book, tea, milk cat book, milk book tea cat, cat green, red blue green moon, dog",
    ),
    0.39999999999999997,
    "7 parts",
  );
  t.equal(
    score(
      "best-part-mean",
      "dog book green sun, sun",
      "sun green moon, tea milk moon sun, book, moon cat dog, dog milk book tea, red moon sun, moon, red sun",
    ),
    0.41547619047619044,
    "8 parts; left to right would give 0.4154761904761905",
  );
  t.equal(
    score(
      "best-part-mean",
      "sun book tea, book moon cat",
      "cat, sun green tea, green cat, green, milk green red blue, book, tea book, red book, tea sun moon red, cat, red moon tea book, cat blue",
    ),
    0.4424603174603175,
    "12 parts; left to right would give 0.44246031746031744",
  );
  const parts = Array.from({ length: 130 }, (_, i) => "tea ".repeat((i % 2) + 1) + "sun ".repeat(i % 6));
  t.equal(
    score("best-part-mean", "tea", parts.join(",")),
    0.4891025641025642,
    "130 parts; left to right would give 0.4891025641025644",
  );
});

t.test("first-clause", async (t) => {
  const gold = "Likely no; she reads a lot";
  t.equal(score("first-clause", gold, gold), 0.5714285714285715, "the reference itself is not a perfect answer");
  t.equal(score("first-clause", "Likely no", gold), 1);
  t.equal(score("first-clause", "Likely no", "Likely no ; she; reads"), 1, "only the first clause counts");
  t.equal(score("first-clause", "no", ";no"), 0, "the first clause may be empty");
});

t.test("abstention-phrase", async (t) => {
  t.equal(score("abstention-phrase", "This is Not Mentioned in the talk.", null), 1);
  t.equal(score("abstention-phrase", "NO INFORMATION AVAILABLE", "blue"), 1, "the reference is not looked at");
  t.equal(score("abstention-phrase", "blue", "blue"), 0);
  t.equal(score("abstention-phrase", "I don't know", null), 0, "other ways to abstain do not count");
  t.equal(score("abstention-phrase", "", null), 0);
  t.equal(scoreTokenF1("abstention-phrase", "Unknown.", null, ["unknown"]), 1, "the phrases are the caller's");
  t.equal(scoreTokenF1("abstention-phrase", "not mentioned", null, []), 0);
});

t.test("numeric references", async (t) => {
  t.equal(score("plain", "The 2022", 2022), 1);
  t.equal(score("best-part-mean", "3", 3), 1);
  t.equal(score("first-clause", "0", -0), 1);
  t.equal(score("plain", "9007199254740991", Number.MAX_SAFE_INTEGER), 1, "no exponent, no digit groups");
  for (const bad of [1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.throws(() => score("plain", "1", bad), RangeError, `${bad} is refused`);
  }
});

t.test("a missing reference is refused by every rule that compares with it", async (t) => {
  for (const rule of F1_RULES) {
    if (rule === "abstention-phrase") continue;
    t.throws(() => score(rule, "red", null), TypeError, rule);
  }
});
