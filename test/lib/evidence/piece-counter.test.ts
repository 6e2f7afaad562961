import fc from "fast-check";
import t from "tap";
import { PieceCounter } from "../../../lib/evidence/piece-counter.js";
import { type Tokenizer, tokenizerOf } from "../../../lib/evidence/tokens.js";
import { SEED, texts } from "./histories.js";

const o200k = tokenizerOf("o200k_base");

/** Counts characters, and tells what it was asked to count. */
function spy(addsUpAtLines = true): { tokenizer: Tokenizer; asked: string[] } {
  const asked: string[] = [];
  const count = (text: string): number => {
    asked.push(text);
    return text.length;
  };
  return { tokenizer: { identity: o200k.identity, count, addsUpAtLines }, asked };
}

/** Evidence, and things that are nearly that: brackets and line feeds anywhere, empty lines, no last line feed. */
const evidence = fc
  .array(fc.oneof(texts(4), fc.constantFrom("\n(", "\n[", "\n\n", "\n", "(", "[", "", "a", "éé")), { maxLength: 30 })
  .map((parts) => Buffer.from(parts.join("")));

t.test("pieces add up to what the whole counts", async (t) => {
  const counter = new PieceCounter(o200k);
  fc.assert(
    fc.property(evidence, (bytes) => counter.count(bytes) === o200k.count(bytes.toString("utf8"))),
    { seed: SEED, numRuns: 2000 },
  );
  t.equal(counter.count(Buffer.alloc(0)), 0);
});

t.test("each distinct piece is counted once, wherever it stands", async (t) => {
  const { tokenizer, asked } = spy();
  const counter = new PieceCounter(tokenizer);
  const pieces = [
    "(1.1) Ann: hi\n",
    "(1.1) Ann: ho\n",
    "[S 1]\n",
    `(1.2) Bo: ${"long ".repeat(40)}x\n`,
    "(\n(no piece\n",
  ];
  const text = ["", "x\n", "xy\n", "xyz\n"].map((before) => before + pieces.join("")).join("");
  t.equal(counter.count(Buffer.from(text)), text.length);
  const before = asked.length;
  t.equal(
    counter.count(Buffer.from(`\n${text}${pieces.toReversed().join("")}`).subarray(1)),
    text.length + pieces.join("").length,
  );
  t.equal(asked.length, before, "nothing is counted again");
  t.equal(new Set(asked).size, asked.length);
  // Of one length, and alike where the hash looks.
  const alike = ["a", "b", "c"].map((letter) => `(1.1) ${"-".repeat(60)}${letter}${"-".repeat(20)}\n`);
  asked.splice(0);
  for (let round = 0; round < 3; round += 1) t.equal(counter.count(Buffer.from(alike.join(""))), alike.join("").length);
  t.strictSame(asked, alike, "what only looks alike is told apart");
});

t.test("what is remembered is bounded, and forgetting changes no count", async (t) => {
  const { tokenizer, asked } = spy();
  const counter = new PieceCounter(tokenizer);
  const lines = Array.from({ length: 3000 }, (_, index) => `(1.${index}) ${"word ".repeat(800)}\n`);
  const bytes = Buffer.from(lines.join(""));
  for (let round = 0; round < 2; round += 1) t.equal(counter.count(bytes), bytes.length);
  t.ok(asked.length > lines.length, "twelve megabytes are not remembered");
  // More pieces alike than are looked at for one: they crowd one another out, and are counted again.
  const alike = Array.from({ length: 40 }, (_, index) => `(1.1) ${"-".repeat(60)}${index + 10}${"-".repeat(20)}\n`);
  for (let round = 0; round < 3; round += 1) t.equal(counter.count(Buffer.from(alike.join(""))), alike.join("").length);
});

t.test("a word too long to be counted", async (t) => {
  const counter = new PieceCounter(o200k);
  const long = (length: number): Buffer => Buffer.from(`(1.1) Ann: hi\n(1.2) Bo: ${"x".repeat(length)}\n`);
  t.equal(counter.count(long(10_001)), undefined);
  t.equal(counter.count(long(10_001)), undefined, "and it is not remembered as something else");
  t.equal(counter.count(long(10_000)), o200k.count(long(10_000).toString("utf8")));
});

t.test("a tokenizer whose counts do not add up is given the whole", async (t) => {
  const { tokenizer, asked } = spy(false);
  const text = "(1.1) Ann: hi\n(1.2) Bo: ho\n";
  t.equal(new PieceCounter(tokenizer).count(Buffer.from(text)), text.length);
  t.strictSame(asked, [text]);
});
