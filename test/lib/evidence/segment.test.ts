import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { quote, type Segment, segmentHistory, turnAt, turnSha256 } from "../../../lib/evidence/segment.js";
import { histories, history, historyOf, SEED, session, span, texts, turn } from "./histories.js";

/** Byte offsets at which a code point of a text begins, and its end. */
function boundaries(text: string): Set<number> {
  const found = new Set([0]);
  let at = 0;
  for (const character of text) {
    at += Buffer.byteLength(character);
    found.add(at);
  }
  return found;
}

/** What is wrong with the segments of a text's turn. */
function faults(text: string, segments: readonly Segment[], bytesMax: number): string[] {
  const found: string[] = [];
  const bytes = Buffer.from(text);
  if (text.trim() === "") return segments.length === 0 ? [] : ["a blank turn has segments"];
  if (segments.map((segment) => segment.text).join("") !== text) found.push("they are not the turn");
  const starts = boundaries(text);
  let at = 0;
  for (const { start, end, text: quoted } of segments) {
    if (start !== at) found.push("a gap or an overlap");
    at = end;
    if (!bytes.subarray(start, end).equals(Buffer.from(quoted))) found.push("the text is not that of the range");
    if (!starts.has(start) || !starts.has(end)) found.push("a character is cut");
    if (quoted === "") found.push("an empty segment");
    if (end - start > bytesMax && [...quoted].length !== 1) found.push("too long");
    if (quote({ speaker: "", text, captions: [] }, { start, end }) !== quoted) found.push("not what quote gives");
  }
  if (at !== bytes.length) found.push("the end is missing");
  return found;
}

t.test("segments of a turn are the turn, byte for byte", async (t) => {
  const counts = { runs: 0, cut: 0, whole: 0 };
  fc.assert(
    fc.property(texts(120), fc.oneof(fc.integer({ min: 1, max: 64 }), fc.constantFrom(100, 300, 1200)), (text, max) => {
      const segments = segmentHistory(historyOf(text), max);
      counts.runs += 1;
      if (segments.length > 1) counts.cut += 1;
      if (segments.length === 1) counts.whole += 1;
      const found = faults(text, segments, max);
      if (found.length > 0) throw new Error(`${found.join(", ")}: ${JSON.stringify([text, max])}`);
    }),
    { seed: SEED, numRuns: 3000 },
  );
  t.equal(counts.runs, 3000);
  t.ok(counts.cut > 1000 && counts.whole > 300, `both kinds were seen: ${JSON.stringify(counts)}`);
});

t.test("long texts without a place to cut", async (t) => {
  const long = [
    "a".repeat(5000),
    "é".repeat(3000),
    "👩‍👩‍👧‍👦".repeat(400),
    "e\u0301".repeat(2000),
    "\u0301".repeat(3000),
    "漢".repeat(2000),
    "x".repeat(1199) + "😀".repeat(500),
    "x".repeat(1198) + "😀".repeat(500),
    "x".repeat(1197) + "😀".repeat(500),
    "x".repeat(1196) + "😀".repeat(500),
    `${"a".repeat(1200)}${" ".repeat(2000)}b`,
    " \r\n".repeat(1500).concat("."),
  ];
  for (const text of long) t.strictSame(faults(text, segmentHistory(historyOf(text), 1200), 1200), []);
  t.strictSame(
    segmentHistory(historyOf("é😀é"), 1).map(({ text }) => text),
    ["é", "😀", "é"],
    "a code point larger than the bound stands alone",
  );
});

t.test("a turn of up to the bound is one segment", async (t) => {
  for (const [text, max, count] of [
    ["one. two", 8, 1],
    ["one. two", 7, 2],
    ["ééé", 6, 1],
    ["ééé", 5, 2],
    ["a\n\nb", 4, 1],
  ] as const) {
    t.equal(segmentHistory(historyOf(text), max).length, count, `${JSON.stringify(text)} at ${max}`);
  }
});

t.test("where a long turn is cut", async (t) => {
  const cut = (text: string, max: number) => segmentHistory(historyOf(text), max).map((segment) => segment.text);
  t.strictSame(cut("aaa bbb ccc ddd", 12), ["aaa bbb ccc ", "ddd"], "at white space");
  t.strictSame(cut("aaa bbb. ccc ddd", 14), ["aaa bbb. ", "ccc ddd"], "after a sentence rather than a word");
  t.strictSame(cut('He said "no." Then ccc ddd', 22), ['He said "no." ', "Then ccc ddd"], "quotation marks included");
  t.strictSame(cut("aaa bbb\nccc. ddd", 14), ["aaa bbb\n", "ccc. ddd"], "after a line rather than a sentence");
  t.strictSame(
    cut("aaa bbb\n\nccc\nddd eee", 16),
    ["aaa bbb\n\n", "ccc\nddd eee"],
    "after a paragraph rather than a line",
  );
  t.strictSame(cut("aaa bbb\r\n\r\nccc\r\nddd", 18), ["aaa bbb\r\n\r\n", "ccc\r\nddd"], "with CRLF as well");
  t.strictSame(cut("aaa. bbb. cccc", 13), ["aaa. bbb. ", "cccc"], "the last such place");
  t.strictSame(cut("a. bbbbbbb ccc ddd", 16), ["a. bbbbbbb ccc ", "ddd"], "no sentence that ends in the first half");
  t.strictSame(cut("a bbbbbbbbbbbbbbb", 10), ["a bbbbbbbb", "bbbbbbb"], "a hard cut rather than a tiny piece");
  t.strictSame(cut("これは。 それは。 あれ", 27), ["これは。 それは。 ", "あれ"], "other full stops");
});

t.test("blank turns have no segments, others keep their place", async (t) => {
  const blank = ["", " ", "\n", "\t \r\n", "\u00a0\u3000\u2028\u2029", "\ufeff"];
  t.strictSame(segmentHistory(historyOf(...blank), 100), []);
  const { sessions } = history(
    "h",
    session(null, null, turn("A", " "), turn("A", "x")),
    session(null, null, turn("B", " y ")),
  );
  t.strictSame(segmentHistory({ historyId: "h", sessions }, 100), [
    { session: 1, turn: 2, start: 0, end: 1, text: "x" },
    { session: 2, turn: 1, start: 0, end: 3, text: " y " },
  ]);
  t.strictSame(segmentHistory(history("h"), 100), []);
  fc.assert(
    fc.property(histories(), (made) => {
      const order = segmentHistory(made, 10).map(({ session, turn, start }) => [session, turn, start]);
      const numbers = order.map(([session, turn, start]) => session! * 1e9 + turn! * 1e6 + start!);
      return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!);
    }),
    { seed: SEED, numRuns: 300 },
  );
});

t.test("quote gives the text of a range or nothing", async (t) => {
  for (const text of ["", "a", "aé漢😀", "a\ufffdb", "\ufeffx", "e\u0301", "👍🏽", "שלום", "\r\n", "\u0000"]) {
    const made = turn("A", text);
    const bytes = Buffer.from(text);
    const starts = boundaries(text);
    const wrong: string[] = [];
    for (let start = -3; start <= bytes.length + 2; start += 1) {
      for (let end = -3; end <= bytes.length + 2; end += 1) {
        const quotable = starts.has(start) && starts.has(end) && start < end;
        const expected = quotable ? bytes.subarray(start, end).toString("utf8") : undefined;
        if (quote(made, { start, end }) !== expected) wrong.push(`${start}-${end}`);
      }
    }
    t.strictSame(wrong, [], JSON.stringify(text));
  }
  fc.assert(
    fc.property(texts(10), fc.nat(60), fc.nat(60), (text, start, end) => {
      const starts = boundaries(text);
      const quotable = start < end && starts.has(start) && starts.has(end);
      return (quote(turn("A", text), { start, end }) !== undefined) === quotable;
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

t.test("turnAt", async (t) => {
  const made = history("h", session(null, null, turn("A", "x"), turn("B", "y")));
  t.equal(turnAt(made, span(1, 2, 0, 1)), made.sessions[0]!.turns[1]);
  for (const [session, turn] of [
    [0, 1],
    [1, 0],
    [2, 1],
    [1, 3],
    [-1, 1],
    [1.5, 1],
  ] as const) {
    t.equal(turnAt(made, { session, turn }), undefined, `${session}.${turn}`);
  }
});

t.test("a turn's digest covers its three fields", async (t) => {
  const canonical = '{"captions":["c\\n"],"speaker":"Zoë","text":"e\u0301"}';
  t.equal(turnSha256(turn("Zoë", "e\u0301", "c\n")), sha256Hex(canonical));
  const others = [
    turn("Zoë", "e\u0301"),
    turn("Zoe", "e\u0301", "c\n"),
    turn("Zoë", "é", "c\n"),
    turn("Zoë", "e\u0301 ", "c\n"),
    turn("Zoë", "e\u0301", "c"),
    turn("Zoë", "e\u0301", "c\n", ""),
  ];
  const digests = new Set([turn("Zoë", "e\u0301", "c\n"), ...others].map(turnSha256));
  t.equal(digests.size, others.length + 1);
});
