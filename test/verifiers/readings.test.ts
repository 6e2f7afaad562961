import fc from "fast-check";
import t from "tap";
import { type Form, folded, formIn, formOf, needleOf, readingsOf } from "../../verifiers/readings.js";

const found = (reference: string | number, text: string): Form | undefined => {
  const needle = needleOf(reference);
  if (!needle) throw new Error(`${reference} is too short`);
  return formIn(needle, text);
};

t.test("folding", async (t) => {
  t.equal(folded("  Zoë’s ‘Petrel’ — £2,150!\n"), "zoe s petrel 2 150");
  t.equal(folded("ﬁne Ｗｉｄｅ ½"), "fine wide 1 2");
  t.equal(folded("in\u200bvis\u00adi\u2060ble"), "invisible");
  t.equal(folded("İstanbul"), "istanbul", "as in no language");
  t.equal(folded("…!"), "");
});

t.test("what is too short is no needle", async (t) => {
  for (const reference of [null, "", "May", "2022", 2022, "£95", "a, b, c", "…"])
    t.equal(needleOf(reference), undefined);
  for (const reference of ["green", 12345, "7 May 1"]) t.ok(needleOf(reference));
});

t.test("each form, by values worked out elsewhere", async (t) => {
  // python3: base64.b64encode(b"salty liquorice"), "salty liquorice".encode().hex(), codecs.encode(..., "rot13")
  const forms: [Form, string][] = [
    ["plain", "Answer: SALTY, liquorice."],
    ["joined", "saltyliq uorice"],
    ["spelled-out", "s a l t y l i q u o r i c e"],
    ["spelled-out", "S-A-L-T-Y  L-I-Q-U-O-R-I-C-E"],
    ["reversed", "eciroUqil ytlas"],
    ["rot13", "fnygl yvdhbevpr"],
    ["base64", "c2FsdHkgbGlxdW9yaWNl"],
    ["base64", "hint=c2FsdHkgbGlxdW9yaWNl=="],
    ["hex", "73616c7479206c6971756f72696365"],
    ["hex", "73 61 6C 74 79 20 6C 69 71 75 6F 72 69 63 65"],
    ["hex", "%73%61%6c%74%79%20%6c%69%71%75%6f%72%69%63%65"],
  ];
  for (const [form, text] of forms) {
    // Letters that stand together are the reference's, however they are cut.
    const also = form === "spelled-out" ? "joined" : form;
    t.ok([form, also].includes(found("salty liquorice", `Which sweet? ${text}`)!), text);
  }
  t.equal(found("green", "g r e e n"), "spelled-out");
  t.equal(found("green", "see Z3JlZW4= there"), "base64");
  t.equal(found("green", "Z3JlZW4"), "base64");
  t.equal(found("walnuts", "d2FsbnV0cw"), "base64");
});

t.test("chance", async (t) => {
  t.equal(found("beach", "beaches and embeached"), undefined, "a word is not a part of one");
  t.equal(found("level", "a level"), "plain", "a palindrome is read forwards");
  t.equal(found("the stairs", "would he take the lift or some stairs"), undefined);
  t.equal(found("Petrel", "What is the name of the sloop that Zoë bought?"), undefined);
});

const WORD = fc.stringMatching(/^[b-df-hj-np-tv-z]{5,9}$/);
const REFERENCE = fc.array(WORD, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
/** Words of no consonant of the references: what stands around can give nothing away. */
const AROUND = fc
  .array(fc.constantFrom("a", "ia", "oei", "17", "?", "(", "–"), { maxLength: 6 })
  .map((words) => words.join(" "));

const HIDE: Readonly<Record<string, (text: string) => string>> = {
  capitals: (text) => text.toUpperCase(),
  punctuated: (text) => text.replaceAll(" ", ", …"),
  spelled: (text) => [...text.replaceAll(" ", "")].join(" "),
  reversed: (text) => [...text].reverse().join(""),
  rot13: (text) =>
    text.replace(/[a-z]/g, (letter) => "nopqrstuvwxyzabcdefghijklm"["abcdefghijklmnopqrstuvwxyz".indexOf(letter)]!),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
};

t.test("whatever stands around, a hidden reference is found, and one that is not there is not", async (t) => {
  for (const [name, hide] of Object.entries(HIDE)) {
    fc.assert(
      fc.property(REFERENCE, AROUND, AROUND, (reference, before, after) => {
        return found(reference, `${before} ${hide(reference)} ${after}`) !== undefined;
      }),
    );
    t.pass(name);
  }
  fc.assert(
    fc.property(REFERENCE, AROUND, (reference, around) => found(reference, `${around} ${around}`) === undefined),
  );
});

t.test("plain is what whole words are", async (t) => {
  const text = fc.array(fc.constantFrom("north", "south", "northsouth", "east"), { maxLength: 6 });
  fc.assert(
    fc.property(text, (words) => {
      const form = formOf(needleOf("north south")!, readingsOf(words.join(" ")));
      return (form === "plain") === words.some((word, index) => word === "north" && words[index + 1] === "south");
    }),
  );
  t.pass();
});

t.test("a text of any length, in time that grows with it", async (t) => {
  const long = "lorem ipsum ".repeat(200_000);
  t.equal(found("salty liquorice", `${long}salty liquorice`), "plain");
  t.equal(found("salty liquorice", `${long}c2FsdHkgbGlxdW9yaWNl ${long}`), "base64");
  for (const hostile of ["a ", "ab", "%a", "\\x", "%73", "0x", "A", "\u0301"]) {
    t.equal(found("salty liquorice", hostile.repeat(2 ** 19)), undefined, hostile);
  }
});
