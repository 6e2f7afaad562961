import { TextDecoder } from "node:util";
import fc from "fast-check";
import t from "tap";
import { isUtf8, utf8 } from "../../../lib/bytes/text.js";
import { codeOf } from "./codes.js";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

t.test("well-formed UTF-8", async (t) => {
  for (const [bytes, text] of [
    ["", ""],
    ["00", "\0"],
    ["41 c3 a9 e2 82 ac f0 9f 98 80", "Aé€😀"],
    ["7f c2 80 df bf e0 a0 80", "\x7f\u0080\u07ff\u0800"],
    ["ed 9f bf ee 80 80", "\ud7ff\ue000"],
    ["ef bf be ef bf bf", "\ufffe\uffff"],
    ["ef bf bd", "\ufffd"],
    ["f0 90 80 80 f4 8f bf bf", "\u{10000}\u{10ffff}"],
    ["65 cc 81", "e\u0301"],
    ["ef bb bf 41", "\ufeffA"],
  ] as const) {
    t.equal(utf8(hex(bytes), "x"), text, `${bytes}: nothing is dropped or normalised`);
    t.ok(isUtf8(hex(bytes)));
  }
  const long = "aé€😀".repeat(100_000);
  t.equal(utf8(Buffer.from(long), "x"), long);
});

t.test("bytes that are not", async (t) => {
  for (const [name, bytes] of [
    ["a lone continuation byte", "80"],
    ["a lone continuation byte", "41 bf 41"],
    ["cut after one of two", "c3"],
    ["cut after two of three", "e2 82"],
    ["cut after three of four", "f0 9f 98"],
    ["a letter within a sequence", "e2 41 ac"],
    ["an overlong NUL", "c0 80"],
    ["an overlong slash", "c0 af"],
    ["an overlong slash in three bytes", "e0 80 af"],
    ["an overlong character in four bytes", "f0 82 82 ac"],
    ["a high surrogate", "ed a0 80"],
    ["a low surrogate", "ed bf bf"],
    ["a pair of surrogates, as in CESU-8", "ed a0 bd ed b8 80"],
    ["beyond U+10FFFF", "f4 90 80 80"],
    ["five bytes", "f8 88 80 80 80"],
    ["FE", "fe"],
    ["FF", "ff"],
    ["Latin-1", "63 61 66 e9"],
    ["UTF-16", "ff fe 41 00"],
  ] as const) {
    t.equal(
      codeOf(() => utf8(hex(bytes), "x")),
      "E_UTF8",
      `${name}: ${bytes}`,
    );
    t.notOk(isUtf8(hex(bytes)));
  }
  t.throws(() => utf8(hex("ff"), "answers.jsonl:3"), { code: "E_UTF8", at: "answers.jsonl:3" });
});

t.test("a view is read, not the buffer under it", async (t) => {
  const under = hex("ff 41 c3 a9 ff");
  t.equal(utf8(under.subarray(1, 4), "x"), "Aé");
  t.equal(utf8(new Uint8Array(under.buffer, under.byteOffset + 1, 3), "x"), "Aé");
  t.equal(
    codeOf(() => utf8(under.subarray(1, 3), "x")),
    "E_UTF8",
  );
});

t.test("agrees with a strict TextDecoder", async (t) => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const byte = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0x41));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 8 }), (array) => {
      const bytes = Buffer.from(array);
      let expected: string | undefined;
      try {
        expected = decoder.decode(bytes);
      } catch {
        return codeOf(() => utf8(bytes, "x")) === "E_UTF8";
      }
      return utf8(bytes, "x") === expected;
    }),
    { seed: 3629, numRuns: 20_000 },
  );
  t.pass("on random bytes");
});
