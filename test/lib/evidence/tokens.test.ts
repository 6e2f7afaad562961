import { readFileSync } from "node:fs";
import fc from "fast-check";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { BytePairs } from "../../../lib/evidence/byte-pairs.js";
import { TOKENIZERS, tokenizerOf } from "../../../lib/evidence/tokens.js";
import { repositoryFile } from "../../support/shared.js";
import { ATOMS, SEED, texts } from "./histories.js";

const { identity, count, addsUpAtLines } = tokenizerOf("o200k_base");

t.test("the tokenizer is known by the digest of its table", async (t) => {
  const lines = ranks.map((token, rank) => `${Buffer.from(token as string).toString("base64")} ${rank}\n`);
  const published = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";
  t.equal(lines.length, 199_998);
  t.equal(sha256Hex(lines.join("")), published, "OpenAI's o200k_base.tiktoken");
  t.equal(identity.sha256, published);
  t.equal(identity.id, "o200k_base");
  const { version } = JSON.parse(readFileSync(repositoryFile("node_modules/gpt-tokenizer/package.json"), "utf8"));
  t.equal(identity.package, `gpt-tokenizer@${version}`);
  t.strictSame(Object.keys(TOKENIZERS), ["o200k_base"]);
  t.equal(tokenizerOf("o200k_base"), tokenizerOf("o200k_base"), "loaded once");
  for (const id of ["cl100k_base", "", "O200K_BASE", "constructor", "__proto__"]) {
    t.throws(() => tokenizerOf(id), { code: "E_UNKNOWN", expected: "o200k_base", found: id });
  }
});

/** Ranks by the token's bytes, one character a byte. */
const rankOf = new Map(ranks.map((token, rank) => [Buffer.from(token as string).toString("latin1"), rank]));

const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?";
const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
const SPLIT = new RegExp(
  [
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}*${LOWER}+${CONTRACTION}`,
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}+${LOWER}*${CONTRACTION}`,
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
    "\\s*[\\r\\n]+",
    "\\s+(?!\\S)",
    "\\s+",
  ].join("|"),
  "gu",
);

/** Byte pair encoding as its definition has it: the pair of the lowest rank, the leftmost first, until none is left. */
function naiveCount(text: string): number {
  let total = 0;
  for (const [piece] of text.matchAll(SPLIT)) {
    const parts = Array.from(Buffer.from(piece).toString("latin1"));
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      let at = -1;
      for (let index = 0; index + 1 < parts.length; index += 1) {
        const rank = rankOf.get(parts[index]! + parts[index + 1]!);
        if (rank !== undefined && rank < best) [best, at] = [rank, index];
      }
      if (at < 0) break;
      parts.splice(at, 2, parts[at]! + parts[at + 1]!);
    }
    total += parts.length;
  }
  return total;
}

t.test("counts are those of the table", async (t) => {
  t.equal(count(""), 0);
  t.equal(count("hello world"), 2);
  t.equal(count("\n"), 1);
  const wrong = ATOMS.filter((atom) => count(atom) !== naiveCount(atom));
  t.strictSame(wrong, []);
  fc.assert(
    fc.property(texts(20), (text) => count(text) === naiveCount(text)),
    { seed: SEED, numRuns: 3000 },
  );
});

t.test("text that looks like a special token is plain text", async (t) => {
  const looks = ["<|endoftext|>", "<|endofprompt|>", "<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|start|>"];
  for (const text of looks) {
    t.ok(count(text) > 1, text);
    t.equal(count(text), naiveCount(text), text);
    const within = `${text}user says ${text}${text}\n${text}`;
    t.equal(count(within), naiveCount(within), JSON.stringify(within));
  }
});

t.test("U+FEFF is a character like any other", async (t) => {
  t.equal(count("\ufeff"), naiveCount("\ufeff"));
  fc.assert(
    fc.property(fc.array(fc.constantFrom("\ufeff", ...ATOMS), { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      return count(text) === naiveCount(text);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

t.test("another implementation counts the same", async (t) => {
  // Not of U+FEFF: gpt-tokenizer 4.0.0 loses the mark when it looks a token up.
  const theirs = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
  const any = fc.oneof(texts(20), fc.string({ unit: "binary", maxLength: 60 }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(any, (text) => text.includes("\ufeff") || count(text) === theirs(text)),
    { seed: SEED, numRuns: 3000 },
  );
  for (const word of ["a", "ab", "é", "漢", "👍🏽"]) {
    const long = word.repeat(700);
    t.equal(count(long), theirs(long), `700 times ${word}`);
  }
});

t.test("a table that is not one is refused", async (t) => {
  for (const table of ["IQ== 1\n", "IQ== 0\nIg== 2\n", "IQ== x\n"]) {
    t.throws(() => new BytePairs(Buffer.from(table)), { code: "E_VERSION" }, JSON.stringify(table));
  }
  const small = new BytePairs(Buffer.from("YQ== 0\nYg== 1\nYWI= 2\n"));
  t.equal(small.count(Buffer.from("xababb"), 1, 6), 3);
  t.equal(small.count(Buffer.from("ab"), 1, 1), 0);
});

/** Ends of texts at which a token might go on over a line feed. */
const ENDS = [
  "",
  " ",
  "  ",
  "\t",
  "\r",
  "\n",
  "/",
  "//",
  "!",
  "...",
  "(",
  "[",
  "'",
  "'s",
  "don't",
  "x",
  "12",
  "👍🏽",
  "漢",
  "\u2028",
  "\u0085",
  "\u00a0",
  "\u3000",
  "\u200d",
  "e\u0301",
  "\ufeff",
];
/** What may follow a bracket. */
const STARTS = [
  "",
  "[",
  "(",
  " ",
  "\n",
  "1.1) Ada: ",
  "Session 1 | ",
  "/",
  ")",
  "'s",
  "don't",
  "x",
  "12",
  "👍🏽",
  "漢",
  "\u2028",
  "\u0085",
  "e\u0301",
  "\u0301",
  "\ufeff",
];

const beforeLine = fc
  .tuple(texts(6), fc.constantFrom(...ENDS), fc.constantFrom("\n", "\r\n", "\n\n", " \n", "\u2028\n", "\u0085\n"))
  .map((parts) => parts.join(""));
const afterLine = fc
  .tuple(fc.constantFrom("[", "("), fc.constantFrom(...STARTS), texts(6))
  .map((parts) => parts.join(""));

t.test("counts add up between a line feed and a bracket", async (t) => {
  t.equal(addsUpAtLines, true);
  const wrong: string[] = [];
  const each: [string, string][] = ENDS.flatMap((end) =>
    STARTS.flatMap((start): [string, string][] => [
      [`x${end}\n`, `[${start}`],
      [`${end}\r\n`, `(${start}y`],
    ]),
  );
  for (const [a, b] of each) if (count(a + b) !== count(a) + count(b)) wrong.push(JSON.stringify([a, b]));
  t.strictSame(wrong, [], `${each.length} pairs of ends and beginnings`);
  let runs = 0;
  fc.assert(
    fc.property(beforeLine, afterLine, (a, b) => {
      runs += 1;
      return count(a + b) === count(a) + count(b);
    }),
    { seed: SEED, numRuns: 6000 },
  );
  t.equal(runs, 6000);
  fc.assert(
    fc.property(fc.array(fc.tuple(afterLine, beforeLine), { maxLength: 8 }), (pieces) => {
      const lines = pieces.map(([first, last]) => first + last);
      return count(lines.join("")) === lines.reduce((sum, line) => sum + count(line), 0);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

t.test("without that boundary they do not", async (t) => {
  const pairs: [string, string][] = [
    ["hel", "lo"],
    ["red ", "kite"],
    ["hi (", "[Session 2"],
    ["what?", "[Session 2"],
    ["hi\n", "\nho"],
    ["hi \n", " \nho"],
    ["what?\n", "/path"],
    ["hi\n", "  \n[ho"],
  ];
  for (const [a, b] of pairs) t.not(count(a + b), count(a) + count(b), JSON.stringify([a, b]));
  let differing = 0;
  fc.assert(
    fc.property(texts(6), texts(6), (a, b) => {
      if (count(a + b) !== count(a) + count(b)) differing += 1;
    }),
    { seed: SEED, numRuns: 1000 },
  );
  t.ok(differing > 50, `${differing} of 1,000 random pairs`);
});
