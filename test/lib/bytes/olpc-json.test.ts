import { Metadata, Root } from "@tufjs/models";
import fc from "fast-check";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { olpcJson } from "../../../lib/bytes/olpc-json.js";
import { codeOf } from "./codes.js";

/** What tuf-js would sign for root metadata with `members` more. */
function byTufJs(members: Record<string, unknown>): { signed: object; text: string } {
  const root = new Root({
    specVersion: "1.0.31",
    version: 1,
    expires: "2030-01-01T00:00:00Z",
    unrecognizedFields: members as never,
  });
  let text = "";
  new Metadata(root, {}).sign((bytes) => {
    text = bytes.toString();
    return { keyID: "", sig: "", toJSON: () => ({}) };
  });
  return { signed: root.toJSON(), text };
}

t.test("as tuf-js writes it", async (t) => {
  const integer = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\t", "\u0000", "\u007f", "é", "😀") }),
      integer,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: "grapheme-ascii" }), tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (member) => {
      const { signed, text } = byTufJs({ member });
      return olpcJson(signed) === text;
    }),
    { numRuns: 300, seed: 20260101 },
  );
  t.equal(olpcJson({ b: "\n", a: ['"\\', -1, true, null, {}, []] }), '{"a":["\\"\\\\",-1,true,null,{},[]],"b":"\n"}');
});

t.test("as RFC 8785 has it, where no string holds a control character", async (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme-ascii" }), fc.oneof(fc.string({ unit: "grapheme" }), fc.integer())),
      (value) => olpcJson(value) === canonicalJson(value),
    ),
    { numRuns: 300, seed: 20260102 },
  );
  t.pass();
});

t.test("what it refuses", async (t) => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 65; depth += 1) deep = [deep];
  for (const [name, value, code] of [
    ["a fraction", 1.5, "E_JSON_CANON"],
    ["an integer beyond a double's", 2 ** 53, "E_JSON_CANON"],
    ["no number", Number.NaN, "E_JSON_CANON"],
    ["infinity", [Number.POSITIVE_INFINITY], "E_JSON_CANON"],
    ["a lone surrogate", "\ud800", "E_JSON_CANON"],
    ["a key that tools order differently", { "\uffee": 1 }, "E_JSON_CANON"],
    ["nothing", undefined, "E_JSON_CANON"],
    ["nothing inside", { a: undefined }, "E_JSON_CANON"],
    ["a big integer", 1n, "E_JSON_CANON"],
    ["depth", deep, "E_LIMIT"],
  ] as const) {
    t.equal(
      codeOf(() => olpcJson(value)),
      code,
      name,
    );
  }
});
