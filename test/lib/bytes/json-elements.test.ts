import fc from "fast-check";
import t from "tap";
import { parseStrictJson } from "../../../lib/bytes/json.js";
import { jsonElements } from "../../../lib/bytes/json-elements.js";
import { LIMITS } from "../../../lib/bytes/limits.js";
import { SealaneError } from "../../../lib/finding.js";
import { codeOf } from "./codes.js";

const SEED = 20_240_229;

/** The bytes in pieces of one buffer, each written over the one before, as a file is read. */
function* pieces(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  const buffer = Buffer.alloc(length);
  for (let start = 0; start < bytes.length; start += length) {
    const part = bytes.subarray(start, start + length);
    buffer.fill(0xff);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
}

/** The array as the two parts together read it. */
function streamed(bytes: Uint8Array, length: number): unknown[] {
  const items: unknown[] = [];
  for (const element of jsonElements(pieces(bytes, length), "f")) {
    if (!Buffer.from(bytes.subarray(element.start, element.end)).equals(element.bytes))
      throw new Error("the element is not what stands at its place");
    if (element.index !== items.length) throw new Error("the elements are not in order");
    items.push(parseStrictJson(element.bytes, `f#/${element.index}`, 1));
  }
  return items;
}

const space = fc.constantFrom("", " ", "\n", "\t\r\n ");
const value = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '"]"',
    '"[,"',
    '"\\""',
    '"\\\\"',
    '"a\\\\\\"],["',
    "{}",
    "[]",
    "[[],[]]",
    '{"]":"}"}',
    '"é👍🏽,"',
    "-1.5e3",
    "null",
  ),
);
const array = fc.array(fc.tuple(space, value, space), { maxLength: 6 }).chain((items) =>
  fc.tuple(space, space, space).map(([before, within, after]) => {
    const inner = items.map((parts) => parts.join("")).join(",");
    return `${before}[${items.length === 0 ? within : inner}]${after}`;
  }),
);

t.test("every array is read as the strict parser reads it, however it comes in pieces", async (t) => {
  let elements = 0;
  fc.assert(
    fc.property(array, fc.integer({ min: 1, max: 40 }), (text, length) => {
      const bytes = Buffer.from(text);
      const items = streamed(bytes, length);
      elements += items.length;
      return JSON.stringify(items) === JSON.stringify(parseStrictJson(bytes, "f"));
    }),
    { seed: SEED, numRuns: 2000 },
  );
  t.ok(elements > 3000, `${elements} elements`);
});

t.test("what the strict parser refuses is refused, and nothing else", async (t) => {
  let [refused, accepted] = [0, 0];
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom("", ",", "]", "[", "}", "{", '"', "\\", " ", "x", "\u00e9", "\ufeff", "\n"),
    fc.boolean(),
  );
  fc.assert(
    fc.property(array, change, fc.integer({ min: 1, max: 40 }), (text, [at, inserted, cut], length) => {
      const place = at % (text.length + 1);
      const changed = text.slice(0, place) + inserted + (cut ? "" : text.slice(place + (at % 2)));
      const bytes = Buffer.from(changed);
      const whole = codeOf(() => {
        if (!Array.isArray(parseStrictJson(bytes, "f"))) throw new SealaneError("E_JSON", "no array");
      });
      const parts = codeOf(() => streamed(bytes, length));
      if (whole === "accepted") accepted += 1;
      else refused += 1;
      return whole === parts;
    }),
    { seed: SEED, numRuns: 4000 },
  );
  t.ok(refused > 1000 && accepted > 300, `${refused} refused, ${accepted} not`);
});

t.test("where it is wrong", async (t) => {
  const place = (text: string | Buffer): unknown => {
    try {
      return streamed(Buffer.from(text), 7);
    } catch (error) {
      const { code, at } = error as { code: string; at: string };
      return [code, at];
    }
  };
  t.strictSame(place(""), ["E_JSON", "f"]);
  t.strictSame(place("  \n"), ["E_JSON", "f"]);
  t.strictSame(place('{"a":[1]}'), ["E_JSON", "f (byte 0)"]);
  t.strictSame(place("\ufeff[1]"), ["E_JSON", "f (byte 0)"]);
  t.strictSame(place("[1, 2] 3"), ["E_JSON", "f (byte 7)"]);
  t.strictSame(place("[1, [2, 3]"), ["E_JSON", "f#/1"]);
  t.strictSame(place('[1, "]'), ["E_JSON", "f#/1"]);
  t.strictSame(place("[1, 2"), ["E_JSON", "f#/1"], "a number that ends with the file may be cut");
  t.strictSame(place("[1,,2]"), ["E_JSON", "f#/1:1:1"]);
  t.strictSame(place("[1,]"), ["E_JSON", "f#/1:1:1"]);
  t.strictSame(place('[1,\n{"a":1,\n"a":2}]'), ["E_JSON", "f#/1:3:4"], "line and column are the element's");
  t.strictSame(place(Buffer.from('[1,"\xff"]', "latin1")), ["E_UTF8", "f#/1"]);
  t.strictSame(place("[1}, 2]"), ["E_JSON", "f#/0:1:2"], "a bracket too many does not hide the end of the element");
  t.strictSame(place("[]"), []);
  t.strictSame(place(" [ \n] "), []);
});

t.test("depth and length are bounded as in a whole document", async (t) => {
  const deep = (levels: number): Buffer => Buffer.from("[".repeat(levels) + "]".repeat(levels));
  for (const levels of [LIMITS.jsonDepthMax - 1, LIMITS.jsonDepthMax, LIMITS.jsonDepthMax + 1]) {
    const whole = codeOf(() => parseStrictJson(deep(levels), "f"));
    t.equal(
      codeOf(() => streamed(deep(levels), 9)),
      whole,
      `${levels} levels`,
    );
    t.equal(whole, levels > LIMITS.jsonDepthMax ? "E_LIMIT" : "accepted");
  }
  let given = 0;
  function* endless(): Generator<Uint8Array> {
    yield Buffer.from('["');
    const letters = Buffer.alloc(2 ** 24, "a");
    for (;;) {
      given += letters.length;
      yield letters;
    }
  }
  t.equal(
    codeOf(() => [...jsonElements(endless(), "f")]),
    "E_LIMIT",
  );
  t.ok(given <= LIMITS.elementBytesMax + 2 ** 25, "it stops at the limit");
});
