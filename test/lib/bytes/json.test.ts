import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson, parseCanonicalJson, parseStrictJson } from "../../../lib/bytes/json.js";
import { LIMITS } from "../../../lib/bytes/limits.js";
import { SealaneError } from "../../../lib/finding.js";
import { shared } from "../../support/shared.js";
import { codeOf } from "./codes.js";

const strict = (text: string | Buffer) => parseStrictJson(Buffer.from(text as string), "x.json");
const gate = (text: string | Buffer) => parseCanonicalJson(Buffer.from(text as string), "x.json");

/** Any JSON value with any well-formed text in it, also as keys. */
const jsonValue = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 });

t.test("canonical form: examples of RFC 8785", async (t) => {
  const literals = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  t.equal(canonicalJson(strict(literals)), expected);
  t.same(gate(expected), strict(literals));
  const keys = String.raw`{
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  t.equal(
    canonicalJson(strict(keys)),
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
      '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    "keys stand in order of UTF-16 code units: a surrogate before U+FB33",
  );
  t.equal(canonicalJson({ 10: 1, 9: 2, a: 3, B: 4, "": 5 }), '{"":5,"10":1,"9":2,"B":4,"a":3}');
});

/** A double given by its 64 bits in hexadecimal. */
function double(bits: string): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(`0x${bits}`));
  return bytes.readDoubleBE();
}

t.test("canonical form: numbers of RFC 8785 appendix B", async (t) => {
  for (const [bits, expected] of [
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ] as const) {
    t.equal(canonicalJson(double(bits)), expected, bits);
  }
  t.equal(
    codeOf(() => canonicalJson(double("7fffffffffffffff"))),
    "E_JSON_CANON",
  );
  t.equal(
    codeOf(() => canonicalJson(double("7ff0000000000000"))),
    "E_JSON_CANON",
  );
});

const jcs = shared("vectors/jcs/testdata");

t.test("canonical form: JCS test data", { skip: jcs.skip }, async (t) => {
  const names = readdirSync(join(jcs.path, "input"));
  t.equal(names.length, 6);
  for (const name of names) {
    const input = readFileSync(join(jcs.path, "input", name));
    const output = readFileSync(join(jcs.path, "output", name));
    const outhex = readFileSync(join(jcs.path, "outhex", name.replace(".json", ".txt")), "latin1");
    const canonical = Buffer.from(canonicalJson(strict(input)));
    t.ok(canonical.equals(output), `${name}: output`);
    t.ok(canonical.equals(Buffer.from(outhex.replace(/\s/g, ""), "hex")), `${name}: outhex`);
    t.same(gate(output), strict(input), `${name}: the output passes the gate`);
    t.equal(canonicalJson(gate(output)), output.toString(), name);
    const same = input.equals(output);
    t.equal(
      codeOf(() => gate(input)),
      same ? "accepted" : "E_JSON_CANON",
      `${name}: the input does not`,
    );
  }
});

const es6 = shared("vectors/jcs/es6testfile-10k.txt");

t.test("canonical form: 10,000 numbers", { skip: es6.skip }, async (t) => {
  const bytes = readFileSync(es6.path);
  t.equal(sha256Hex(bytes), "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892", "as published");
  const lines = bytes.toString("latin1").trimEnd().split("\n");
  const wrong = lines.filter((line) => {
    const [bits, expected] = line.split(",");
    const value = double(bits!);
    return canonicalJson(value) !== expected || gate(expected!) !== (value === 0 ? 0 : value);
  });
  t.equal(lines.length, 10_000);
  t.same(wrong, [], "each is written as expected and read back as it was");
});

t.test("canonical form: what JSON cannot hold", async (t) => {
  class Point {
    x = 1;
  }
  const values: [string, unknown][] = [
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["a Date", new Date(0)],
    ["a Map", new Map([["a", 1]])],
    ["a Set", new Set([1])],
    ["a class instance", new Point()],
    ["an object that inherits", Object.create({ a: 1 })],
    ["a boxed string", new String("a")],
    ["a boxed number", new Number(1)],
    ["a RegExp", /a/],
    ["an Error", new Error("a")],
    ["bytes", Buffer.from("a")],
    ["an object with toJSON", { toJSON: () => 1 }],
    ["a lone high surrogate", "a\ud83d"],
    ["a lone low surrogate", "\ude00a"],
    ["surrogates in the wrong order", "\ude00\ud83d"],
    ["a lone surrogate in a key", { "\ud83d": 1 }],
  ];
  for (const [name, value] of values) {
    for (const [place, holder] of [
      ["alone", value],
      ["in an array", [1, [value]]],
      ["in an object", { a: { b: value } }],
    ] as const) {
      t.equal(
        codeOf(() => canonicalJson(holder)),
        name.includes("surrogate") ? "E_SURROGATE" : "E_JSON_CANON",
        `${name} ${place}`,
      );
    }
  }
  t.equal(
    codeOf(() => canonicalJson(new Array(2))),
    "E_JSON_CANON",
    "a hole in an array",
  );
  t.match(t.throws(() => canonicalJson(undefined, "answers.jsonl:3")) as unknown, { at: "answers.jsonl:3" });
  t.equal(
    canonicalJson(Object.assign(Object.create(null), { a: 1 })),
    '{"a":1}',
    "an object without a prototype is plain",
  );
  t.equal(
    canonicalJson([-0, 0.1 + 0.2, 1e21, 123456789012345680000]),
    "[0,0.30000000000000004,1e+21,123456789012345680000]",
  );
  t.equal(
    canonicalJson("\u007f\u2028\u2029</script>/é😀"),
    '"\u007f\u2028\u2029</script>/é😀"',
    "nothing else is escaped",
  );
  t.equal(canonicalJson('\x00\x07\b\t\n\v\f\r\x1b\x1f"\\'), String.raw`"\u0000\u0007\b\t\n\u000b\f\r\u001b\u001f\"\\"`);
});

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + (open === "[" ? "" : "1") + close.repeat(depth);
}

t.test("depth", async (t) => {
  t.equal(LIMITS.jsonDepthMax, 64);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    for (const [depth, expected] of [
      [64, "accepted"],
      [65, "E_LIMIT"],
      [100_000, "E_LIMIT"],
    ] as const) {
      const text = nested(depth, open, close);
      t.equal(
        codeOf(() => strict(text)),
        expected,
        `${open} ${depth} times, read`,
      );
      t.equal(
        codeOf(() => gate(text)),
        expected,
        `${open} ${depth} times, read as canonical`,
      );
      let value: unknown = open === "[" ? [] : { a: 1 };
      for (let level = 1; level < depth; level += 1) value = open === "[" ? [value] : { a: value };
      t.equal(
        codeOf(() => canonicalJson(value)),
        expected,
        `${open} ${depth} times, written`,
      );
    }
    t.equal(
      codeOf(() => strict(open.repeat(100_000))),
      "E_LIMIT",
      `${open} never closed`,
    );
    t.equal(
      codeOf(() => gate(open.repeat(100_000))),
      "E_JSON",
      `${open} never closed`,
    );
  }
  const circle: unknown[] = [];
  circle.push(circle);
  t.equal(
    codeOf(() => canonicalJson(circle)),
    "E_LIMIT",
    "a circle",
  );
});

const parsing = shared("vectors/jsontestsuite/test_parsing");
const transform = shared("vectors/jsontestsuite/test_transform");

/** Reads every file of a folder whose name starts in a given way; the codes of the two readers by name. */
function readAll(folder: string, prefix: string): Map<string, { strict: string; gate: string }> {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(folder, name));
      return [name, { strict: codeOf(() => strict(bytes)), gate: codeOf(() => gate(bytes)) }];
    }),
  );
}

function acceptedBy(results: ReturnType<typeof readAll>, reader: "strict" | "gate"): string[] {
  return [...results].filter(([, codes]) => codes[reader] === "accepted").map(([name]) => name);
}

t.test("JSONTestSuite: parsing", { skip: parsing.skip }, async (t) => {
  const no = readAll(parsing.path, "n_");
  t.equal(no.size, 188);
  t.same(acceptedBy(no, "strict"), [], "n_: none is accepted");
  t.same(acceptedBy(no, "gate"), [], "n_: none is accepted as canonical");

  const yes = readAll(parsing.path, "y_");
  t.equal(yes.size, 95);
  // Each refusal of a y_ file, with the rule.
  t.same(
    [...yes].filter(([, codes]) => codes.strict !== "accepted").map(([name, codes]) => [name, codes.strict]),
    [
      ["y_object_duplicated_key.json", "E_JSON"], // no key stands twice
      ["y_object_duplicated_key_and_value.json", "E_JSON"], // not even with the same value
    ],
    "y_: all others are accepted",
  );
  const wrong = acceptedBy(yes, "gate").filter((name) => {
    const bytes = readFileSync(join(parsing.path, name));
    return !Buffer.from(canonicalJson(strict(bytes))).equals(bytes) || !isDeepStrictEqual(gate(bytes), strict(bytes));
  });
  t.same(wrong, [], "y_: what the gate accepts is canonical, and both readers agree on it");
  t.same(
    [...yes.values()].filter(({ gate }) => !["accepted", "E_JSON_CANON", "E_INT"].includes(gate)),
    [],
    "y_: what it refuses is not canonical",
  );

  const maybe = readAll(parsing.path, "i_");
  t.equal(maybe.size, 35);
  t.same(
    acceptedBy(maybe, "strict"),
    [
      "i_number_double_huge_neg_exp.json",
      "i_number_real_underflow.json",
      "i_number_too_big_neg_int.json",
      "i_number_too_big_pos_int.json",
      "i_number_very_big_negative_int.json",
    ],
    "i_: numbers that round to a double are read as that double",
  );
  t.same(acceptedBy(maybe, "gate"), ["i_number_too_big_pos_int.json"], "i_: [100000000000000000000] is canonical");
  const expected = (name: string) => {
    if (/^i_number_/.test(name)) return "E_JSON"; // beyond double range
    if (name === "i_structure_500_nested_arrays.json") return "E_LIMIT";
    if (name === "i_structure_UTF-8_BOM_empty_object.json") return "E_JSON";
    const isEscape = /surrogate/.test(name) && name !== "i_string_UTF8_surrogate_U+D800.json";
    return isEscape ? "E_SURROGATE" : "E_UTF8"; // lone surrogates as escapes; bytes that are not UTF-8
  };
  for (const [name, codes] of maybe) {
    if (codes.strict !== "accepted") t.equal(codes.strict, expected(name), name);
  }
});

t.test("JSONTestSuite: transform", { skip: transform.skip }, async (t) => {
  const traps = readAll(transform.path, "");
  t.same(Object.fromEntries([...traps].map(([name, codes]) => [name, codes.strict])), {
    // Other spellings of a number are read as the double they round to.
    "number_-9223372036854775808.json": "accepted",
    "number_-9223372036854775809.json": "accepted",
    "number_1.0.json": "accepted",
    "number_1.000000000000000005.json": "accepted",
    "number_1000000000000000.json": "accepted",
    "number_10000000000000000999.json": "accepted",
    "number_1e-999.json": "accepted",
    "number_1e6.json": "accepted",
    "number_9223372036854775807.json": "accepted",
    "number_9223372036854775808.json": "accepted",
    // Keys that only normalisation would make equal are two keys, and U+0000 is a character.
    "object_key_nfc_nfd.json": "accepted",
    "object_key_nfd_nfc.json": "accepted",
    "string_with_escaped_NULL.json": "accepted",
    // Keys that stand twice.
    "object_same_key_different_values.json": "E_JSON",
    "object_same_key_same_value.json": "E_JSON",
    "object_same_key_unclear_values.json": "E_JSON",
    // Lone surrogates, as escapes and as bytes.
    "string_1_escaped_invalid_codepoint.json": "E_SURROGATE",
    "string_2_escaped_invalid_codepoints.json": "E_SURROGATE",
    "string_3_escaped_invalid_codepoints.json": "E_SURROGATE",
    "string_1_invalid_codepoint.json": "E_UTF8",
    "string_2_invalid_codepoints.json": "E_UTF8",
    "string_3_invalid_codepoints.json": "E_UTF8",
  });
  t.same(acceptedBy(traps, "gate"), ["object_key_nfd_nfc.json", "string_with_escaped_NULL.json"], "20 of 22 refused");
  t.same(strict(readFileSync(join(transform.path, "object_key_nfc_nfd.json"))), { "\u00e9": "NFC", "e\u0301": "NFD" });
  t.same(strict(readFileSync(join(transform.path, "string_with_escaped_NULL.json"))), ["A\0B"]);
});

t.test("strict reader: agrees with JSON.parse", async (t) => {
  fc.assert(
    fc.property(jsonValue, fc.constantFrom("", " ", "\t", "    "), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      return isDeepStrictEqual(strict(`${indent}${text}\r\n`), JSON.parse(text));
    }),
    { seed: 8785, numRuns: 2000 },
  );
  t.pass("on well-formed documents");

  // Oracle for what alone the strict reader refuses and JSON.parse does not: duplicate keys leave fewer keys than there
  // are colons; lone surrogates and infinities show in the value.
  const keysIn = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 0
      : (Array.isArray(value) ? 0 : Object.keys(value).length) +
        Object.values(value).reduce<number>((sum, child) => sum + keysIn(child), 0);
  const refusedByRule = (text: string, value: unknown): boolean => {
    const colons = text.replace(/"(?:[^"\\]|\\.)*"/gs, "").split(":").length - 1;
    return keysIn(value) < colons || ["E_JSON_CANON", "E_SURROGATE"].includes(codeOf(() => canonicalJson(value)));
  };
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 2 }),
    insert: fc.constantFrom(
      ...'",:[]{}\\/u0129.-+eE tfn\n\x00\x1f',
      "\\u",
      "\\ud800",
      "\ufeff",
      "null",
      "true",
      "1e999",
      '"a":1,',
      "00",
    ),
  });
  const tally = { same: 0, neither: 0, rule: 0 };
  fc.assert(
    fc.property(jsonValue, fc.array(edit, { minLength: 1, maxLength: 3 }), (value, edits) => {
      let text = JSON.stringify(value);
      for (const { at, remove, insert } of edits) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + insert + text.slice(place + remove);
      }
      text = text.toWellFormed();
      let parsed: { value: unknown } | undefined;
      try {
        parsed = { value: JSON.parse(text) };
      } catch {
        // Not JSON.
      }
      const code = codeOf(() => strict(text));
      if (code === "accepted") {
        tally.same += 1;
        return parsed !== undefined && isDeepStrictEqual(strict(text), parsed.value);
      }
      if (parsed === undefined) tally.neither += 1;
      else tally.rule += 1;
      return (
        (code === "E_JSON" || code === "E_SURROGATE") && (parsed === undefined || refusedByRule(text, parsed.value))
      );
    }),
    { seed: 7493, numRuns: 5000 },
  );
  t.ok(tally.same > 500 && tally.neither > 500 && tally.rule > 20, "on edited documents", { tally });
});

t.test("canonical form: stable", async (t) => {
  const reversed = (value: unknown): unknown =>
    typeof value !== "object" || value === null
      ? value
      : Array.isArray(value)
        ? value.map(reversed)
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, child]) => [key, reversed(child)]),
          );
  fc.assert(
    fc.property(jsonValue, (value) => {
      const text = canonicalJson(strict(JSON.stringify(value)));
      return (
        canonicalJson(gate(text)) === text &&
        canonicalJson(strict(text)) === text &&
        canonicalJson(reversed(JSON.parse(text))) === text &&
        isDeepStrictEqual(JSON.parse(text), gate(text))
      );
    }),
    { seed: 3, numRuns: 2000 },
  );
  t.pass("canonical(parse(canonical(x))) is canonical(x), whatever the order of keys");
});

t.test("canonical gate: everything else is refused", async (t) => {
  // Whole numbers in another spelling than their own have a code that says so.
  const expected = new Map(
    ["-0", "1.0", "1e1", "1e21", "100000000000000000001", "9007199254740993"].map((text) => [text, "E_INT"]),
  ).set(String.raw`"\ud800"`, "E_SURROGATE");
  for (const text of [
    "{}\n",
    "{}\r\n",
    " {}",
    "\t{}",
    '{"a": 1}',
    '{"a" :1}',
    "[1, 2]",
    "[1\n]",
    "-0",
    "1.0",
    "1e1",
    "1E400",
    "1e21",
    "0.0000001",
    "100000000000000000001",
    "9007199254740993",
    String.raw`"\/"`,
    String.raw`"\u0041"`,
    String.raw`"\u000a"`,
    String.raw`"\u001F"`,
    String.raw`"\u00e9"`,
    String.raw`"\ud83d\ude00"`,
    String.raw`"\ud800"`,
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":1,"a":2}',
    '{"\ufb33":1,"😀":2}',
    '{"__proto__":1,"__proto__":1}',
  ]) {
    t.equal(
      codeOf(() => gate(text)),
      expected.get(text) ?? "E_JSON_CANON",
      JSON.stringify(text),
    );
  }
  for (const text of [
    "",
    " ",
    "\ufeff{}",
    "{",
    "{}{}",
    "undefined",
    "NaN",
    "'a'",
    '"\n"',
    "[1,]",
    "\u00a0{}",
    "{}\0",
  ]) {
    t.equal(
      codeOf(() => gate(text)),
      "E_JSON",
      JSON.stringify(text),
    );
    t.equal(
      codeOf(() => strict(text)),
      "E_JSON",
      JSON.stringify(text),
    );
  }
  t.same(gate("[]"), []);
  t.equal(gate('"\ufeff"'), "\ufeff", "a byte order mark within a string is a character");
  t.equal(strict(' \t\r\n"\ufeff"\n'), "\ufeff");
  for (const [name, bytes] of [
    ["UTF-16", Buffer.from("ff fe 7b 00 7d 00".replaceAll(" ", ""), "hex")],
    ["Latin-1", Buffer.from('"é"', "latin1")],
    ["a surrogate in three bytes", Buffer.from("22eda08022", "hex")],
    ["an overlong quote", Buffer.from("22c0a222", "hex")],
  ] as const) {
    t.equal(
      codeOf(() => gate(bytes)),
      "E_UTF8",
      name,
    );
    t.equal(
      codeOf(() => strict(bytes)),
      "E_UTF8",
      name,
    );
  }
});

t.test("strict reader: errors name the place", async (t) => {
  const errorOf = (text: string): SealaneError => {
    const error: unknown = t.throws(() => strict(text), SealaneError);
    return error as SealaneError;
  };
  for (const [text, place] of [
    ["", "1:1"],
    ["{]", "1:2"],
    ['{"a" 1}', "1:6"],
    ['{"a":1 "b":2}', "1:8"],
    ["[1\n,2\n,,3]", "3:2"],
    ['{\r\n  "a": 1,\r\n  "b": nope\r\n}', "3:8"],
    ['["é😀", x]', "1:9"],
    ["[1]\n[2]", "2:1"],
    ['["\\x"]', "1:2"],
    ['["a\nb"]', "1:4"],
    ["\ufeff[]", "1:1"],
    ["[1e999]", "1:7"],
    ['\n\n["abc', "3:6"],
  ] as const) {
    const error = errorOf(text);
    t.equal(error.code, "E_JSON");
    t.equal(error.at, `x.json:${place}`, JSON.stringify(text));
  }
  t.match(errorOf('{\n"a": 1,\n\n"a": 2}').at, /^x\.json:4:\d+$/, "a key that stands twice");

  const whole = '{"name": "caf\\u00e9 \\n 😀", "n": [0, -1.50e+10, 2E-3, true, false, null], "o": {"k": []}}';
  const document = strict(whole) as object;
  t.same(Object.keys(document), ["name", "n", "o"]);
  for (let length = 0; length < whole.length; length += 1) {
    const cut = whole.slice(0, length);
    if (cut.isWellFormed()) t.match(errorOf(cut).message, /cut short/, JSON.stringify(cut));
  }
  for (const text of ["-", "1.", "1e", "1e+", "t", "tr", "fals", "nul", '"a'])
    t.match(errorOf(text).message, /cut short/);
  for (const text of ["[1 2]", "{]", "[tru]", "[-]", "[1.]", "nope", '["\\x"]', "[1]]", '{"a":1,"a":2}', "[1,\n,2]"]) {
    t.notMatch(errorOf(text).message, /cut short/, JSON.stringify(text));
  }
});

t.test("keys with a meaning for JavaScript are ordinary keys", async (t) => {
  const text = '{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":2,"toString":null}';
  for (const [name, value] of [
    ["strict", strict(text)],
    ["gate", gate(text)],
  ] as const) {
    const object = value as Record<string, unknown>;
    t.ok(Object.hasOwn(object, "__proto__"), name);
    t.equal(Object.getPrototypeOf(object), Object.prototype);
    t.equal(object.polluted, undefined);
    t.equal(canonicalJson(object), text, "and come out again");
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined);
  t.equal(
    codeOf(() => strict('{"__proto__":1,"\\u005f_proto__":1}')),
    "E_JSON",
    "twice is twice, however it is spelt",
  );
});

t.test("20 megabytes", async (t) => {
  const size = 20_000_000;
  const plain = `"${"a".repeat(size)}"`;
  t.equal((strict(plain) as string).length, size);
  t.equal((gate(plain) as string).length, size);
  const escaped = `"${"\\n".repeat(size / 2)}"`;
  t.equal((strict(escaped) as string).length, size / 2);
  t.equal((gate(escaped) as string).length, size / 2);
  t.equal(strict(`${" ".repeat(size)}1`), 1, "white space");
  t.equal(strict(`0.${"0".repeat(size)}1`), 0, "digits");
  t.equal(
    codeOf(() => strict(plain.slice(0, -1))),
    "E_JSON",
    "a string that is not closed",
  );
  t.equal(
    codeOf(() => strict(`[${"1,".repeat(1_000_000)}`)),
    "E_JSON",
    "a list that is not closed",
  );
});
