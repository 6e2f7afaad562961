import fc from "fast-check";
import t from "tap";
import { unescapeCanonical } from "../../../lib/bytes/json-string.js";

/** Unescapes all of a text; undefined also when it stops before its end. */
function unescapeAll(inner: string): string | undefined {
  const bytes = Buffer.from(inner);
  const result = unescapeCanonical(bytes, 0, bytes.length);
  return result?.stopped === bytes.length ? result.text.toString() : undefined;
}

/** The same by JSON.parse and JSON.stringify. */
function oracle(inner: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${inner}"`);
    return typeof value === "string" && value.isWellFormed() && JSON.stringify(value) === `"${inner}"`
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

t.test("reads what JSON.stringify writes", async (t) => {
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'"\\/\b\f\n\r\t\0\v\x1b\x1f\x7f\u0080é€😀\u2028\ud7ff\ue000\uffff\u{10ffff}'),
    ),
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, text, (value, before) => {
      const start = Buffer.byteLength(before) + 1;
      const bytes = Buffer.from(`${before}${JSON.stringify(value)}${before}`);
      const result = unescapeCanonical(bytes, start, bytes.length);
      return (
        result?.text.equals(Buffer.from(value)) &&
        result.stopped === start + Buffer.byteLength(JSON.stringify(value)) - 2
      );
    }),
    { seed: 8785, numRuns: 5000 },
  );
  t.pass("and stops at the closing quote");
  for (let code = 0; code < 0x300; code += 1) {
    const character = String.fromCodePoint(code);
    if (unescapeAll(JSON.stringify(character).slice(1, -1)) !== character) t.fail(`U+${code.toString(16)}`);
  }
});

t.test("refuses what JSON.stringify does not write", async (t) => {
  for (const [name, inner] of [
    ["an escaped slash", String.raw`\/`],
    ["an escaped letter", String.raw`\u0041`],
    ["an escaped letter beyond ASCII", String.raw`\u00e9`],
    ["an escaped emoji", String.raw`\ud83d\ude00`],
    ["a lone surrogate", String.raw`\ud83d`],
    ["the long form of a line feed", String.raw`\u000a`],
    ["the long form of a backspace", String.raw`\u0008`],
    ["the long form of a tab", String.raw`\u0009`],
    ["the long form of a form feed", String.raw`\u000c`],
    ["the long form of a carriage return", String.raw`\u000d`],
    ["the long form of a quote", String.raw`\u0022`],
    ["the long form of a backslash", String.raw`\u005c`],
    ["upper-case hexadecimal", String.raw`\u001F`],
    ["upper-case hexadecimal", String.raw`\u000B`],
    ["an upper-case U", String.raw`\U001f`],
    ["an escaped delete", String.raw`\u007f`],
    ["an escape that no one knows", String.raw`\x41`],
    ["an escaped nothing", String.raw`\v`],
    ["an escaped quote of the other kind", String.raw`\'`],
    ["no hexadecimal", String.raw`\u001g`],
    ["no hexadecimal", String.raw`\u00:0`],
    ["an escape in an escape", String.raw`\u00\u0031f`],
    ["a raw line feed", "a\nb"],
    ["a raw tab", "\t"],
    ["a raw NUL", "\0"],
    ["a raw escape", "a\x1f"],
  ] as const) {
    for (const around of ["", "x", "é", String.raw`\n`]) {
      t.equal(unescapeAll(around + inner + around), undefined, `${name}: ${JSON.stringify(inner)}`);
    }
  }
  for (let code = 0; code < 0x20; code += 1) {
    const raw = String.fromCharCode(code);
    const long = `\\u${code.toString(16).padStart(4, "0")}`;
    t.equal(unescapeAll(raw), undefined, `a raw U+${code.toString(16)}`);
    t.equal(unescapeAll(long), oracle(long), `${long} only where there is no short form`);
  }
  t.equal(unescapeAll("\x7f\u2028\u2029"), "\x7f\u2028\u2029", "nothing else is escaped");
});

t.test("agrees with JSON.parse and JSON.stringify about any spelling", async (t) => {
  const pieces = [
    ...["a", "u", "0", "1f", "1F", "é", "😀", "\x7f", "\u2028", "\n", "\0", '"', "/"],
    ...["\\", "\\n", '\\"', "\\\\", "\\b", "\\f", "\\r", "\\t", "\\/", "\\x", "\\u", "\\u00", "\\u0000", "\\u001f"],
    ...["\\u001F", "\\u000a", "\\u0041", "\\u0020", "\\ud800", "u001f", "u00"],
  ];
  const tally = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 6 }), (parts) => {
      const inner = parts.join("");
      const expected = oracle(inner);
      tally[expected === undefined ? "refused" : "accepted"] += 1;
      return unescapeAll(inner) === expected;
    }),
    { seed: 6962, numRuns: 20_000 },
  );
  t.ok(tally.accepted > 1000 && tally.refused > 1000, "both ways", { tally });
});

t.test("ends", async (t) => {
  t.same(unescapeCanonical(Buffer.from(""), 0, 0), { text: Buffer.alloc(0), stopped: 0 });
  t.same(unescapeCanonical(Buffer.from('"'), 0, 1), { text: Buffer.alloc(0), stopped: 0 }, "an empty string");
  t.same(unescapeCanonical(Buffer.from("abc"), 1, 3), { text: Buffer.from("bc"), stopped: 3 }, "no closing quote");
  t.same(unescapeCanonical(Buffer.from('ab"cd'), 0, 5), { text: Buffer.from("ab"), stopped: 2 });
  t.same(unescapeCanonical(Buffer.from('a\\"b"c'), 0, 6), { text: Buffer.from('a"b'), stopped: 4 });
  t.same(
    unescapeCanonical(Buffer.from('\\\\"c'), 0, 4),
    { text: Buffer.from("\\"), stopped: 2 },
    "a backslash, then the end",
  );

  for (const sequence of ["\\n", "\\\\", '\\"', "\\u0000", "\\u001f"]) {
    for (let length = 1; length < sequence.length; length += 1) {
      const cut = Buffer.from(`a${sequence.slice(0, length)}`);
      t.equal(unescapeCanonical(cut, 0, cut.length), undefined, `${cut} is where the bytes end`);
      const whole = Buffer.from(`a${sequence}"`);
      t.equal(unescapeCanonical(whole, 0, cut.length), undefined, `${cut} is where the range ends, before ${whole}`);
    }
  }

  // What stands beyond the range never matters.
  const whole = Buffer.from(JSON.stringify('é\0"\\\n\x1f/😀\x7f').slice(1));
  for (let end = 0; end <= whole.length; end += 1) {
    t.same(unescapeCanonical(whole, 0, end), unescapeCanonical(whole.subarray(0, end), 0, end), `up to ${end}`);
  }
});

t.test("20 megabytes", async (t) => {
  const bytes = Buffer.from(`${"\\n".repeat(10_000_000)}"`);
  const result = unescapeCanonical(bytes, 0, bytes.length);
  t.equal(result?.stopped, 20_000_000);
  t.ok(result?.text.equals(Buffer.alloc(10_000_000, "\n")));
});
