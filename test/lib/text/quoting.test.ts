// What a text quotes is found whatever its case, its punctuation and the escapes around it; and the pieces make the text again.
import fc from "fast-check";
import t from "tap";
import { type NamedText, PhraseIndex } from "../../../lib/text/phrase-index.js";
import { assembled, type Piece } from "../../../lib/text/pieces.js";
import { quoted, unescaped, withCopy } from "../../../lib/text/quoting.js";
import { placedWords } from "../../../lib/text/word-places.js";

const TEXTS: readonly NamedText[] = [
  { name: "1.1", text: "Last Saturday I signed the papers for that little wooden sloop, Łukasz ⛵ — she is mine!" },
  { name: "1.2", text: "昨日、港で小さな船を買いました。" },
  { name: "1.2.1", text: "Straße und Öl, naïve Zoë: eins zwei drei vier" },
];
const index = new PhraseIndex(TEXTS, 4);
const textOf = (name: string): string | undefined => TEXTS.find((text) => text.name === name)?.text;
const remade = (pieces: readonly Piece[], isEscaped: boolean): string => assembled(pieces, textOf, isEscaped, "test");
const literals = (pieces: readonly Piece[]): string[] => pieces.filter((piece) => typeof piece === "string");

t.test("known quotations", async (t) => {
  const cases: [text: string, isEscaped: boolean, pieces: Piece[]][] = [
    ["signed the papers for", false, [["1.1", 16, 37]]],
    ["He signed the papers for it.", false, ["He ", ["1.1", 16, 37], " it."]],
    ["signed the papers", false, ["signed the papers"]],
    [
      "Signed THE papers, for!",
      false,
      ["S", ["1.1", 17, 23], ["1.1", 23, 26, "upper"], ["1.1", 26, 33], ", ", ["1.1", 34, 37], "!"],
    ],
    ['{"a":"x\\nsigned the\\npapers for"}', true, ['{"a":"x\\n', ["1.1", 16, 26], "\\n", ["1.1", 27, 37], '"}']],
    ["小さな船を", false, [["1.2", 15, 30]]],
    [
      "na\\u00efve Zo\\u00eb: eins zwei",
      true,
      [["1.2.1", 17, 19], "\\u00ef", ["1.2.1", 21, 26], "\\u00eb", ["1.2.1", 28, 39]],
    ],
  ];
  for (const [text, isEscaped, pieces] of cases) {
    const found = quoted(text, isEscaped, [index]);
    t.equal(remade(found, isEscaped), text, text);
    if (text.startsWith("Signed"))
      t.equal(literals(found).join(""), "S, !", "of a quotation in capitals nothing is left");
    else t.strictSame(found, pieces, text);
  }
});

t.test("copies that the texts do not hold are refused", async (t) => {
  const wrong: Piece[] = [
    ["1.3", 0, 1],
    ["1.1", 0, 1000],
    ["1.1", 5, 5],
    ["1.1", 9, 3],
    ["1.2", 1, 3],
    ["1.2", 0, 2],
  ];
  for (const piece of wrong) t.throws(() => remade([piece], false), { code: "E_RECIPE" }, JSON.stringify(piece));
});

const word = fc.constantFrom("a", "the", "sloop", "Zoë", "Öl", "x1", "船", "é", "e\u0301", "İ", "ß", "ﬁn", "𝒳", "12");
const gap = fc.constantFrom(" ", "  ", ", ", "\n", "\t", '"', " — ", "\\", "\\n", "/", "\u0007", "⛵");
const prose = fc
  .array(fc.tuple(word, gap), { maxLength: 40 })
  .map((parts) => parts.map(([one, between]) => one + between).join(""));
const recased = (text: string, how: number): string => [text, text.toUpperCase(), text.toLowerCase()][how % 3]!;
/** A text that quotes pieces of others, as it is, in other case, with other punctuation. */
const quoting = fc
  .tuple(
    fc.array(prose, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), prose), { maxLength: 6 }),
  )
  .map(([sources, quotes]) => {
    const text = quotes.map(([of, from, how, own]) => {
      const source = Array.from(sources[of % sources.length]!);
      const start = from % (source.length + 1);
      return own + recased(source.slice(start, start + (how % 60)).join(""), how);
    });
    return { sources: sources.map((source, at) => ({ name: `1.${at + 1}`, text: source })), text: text.join(" ") };
  });

/** Words of a literal piece as a reader would tell them apart, and whether a source holds so many of them in a row. */
function shares(pieces: readonly Piece[], isEscaped: boolean, sources: readonly NamedText[], length: number): boolean {
  const runs = (text: string): string[] => {
    const words = [...placedWords(text)].map((placed) => placed.word);
    return words
      .map((_, at) => words.slice(at, at + length))
      .filter((run) => run.length === length)
      .map((run) => run.join("\0"));
  };
  const held = new Set(sources.flatMap(({ text }) => runs(text)));
  return literals(pieces).some((piece) => runs(isEscaped ? unescaped(piece) : piece).some((run) => held.has(run)));
}

for (const isEscaped of [false, true]) {
  t.test(`any text that quotes any others, ${isEscaped ? "inside JSON" : "plain"}`, async () => {
    fc.assert(
      fc.property(quoting, fc.integer({ min: 1, max: 5 }), ({ sources, text }, length) => {
        const raw = isEscaped ? JSON.stringify({ content: text }) : text;
        const pieces = quoted(raw, isEscaped, [new PhraseIndex(sources, length)]);
        const own = (name: string): string | undefined => sources.find((source) => source.name === name)?.text;
        if (assembled(pieces, own, isEscaped, "test") !== raw) return false;
        return !shares(pieces, isEscaped, sources, length);
      }),
      { numRuns: 500 },
    );
  });
}

t.test("an answer of a thousand times the same words is found in time", async (t) => {
  const text = "so it goes and ".repeat(20_000);
  const started = performance.now();
  const pieces = quoted(text, false, [new PhraseIndex([{ name: "1.1", text }], 4)]);
  t.equal(pieces.length <= 3, true);
  t.ok(performance.now() - started < 20_000);
});

t.test("one string that is a text's is one copy, and stands where it stood", async (t) => {
  const texts = [
    { name: "1.1", text: 'Hé "no" way' },
    { name: "1.2", text: "way, no\nway" },
  ];
  const made = (json: string, value: string | undefined): unknown => withCopy(json, value, texts, (part) => [part]);
  t.strictSame(made('{"a":"way","b":1}', "way"), ['{"a":"', ["1.1", 9, 12], '","b":1}'], "bytes, of the first text");
  t.strictSame(made('{"a":"no\\nway"}', "no\nway"), ['{"a":"', ["1.2", 5, 11], '"}'], "as JSON escapes it");
  t.strictSame(made('{"a":"way","b":"way"}', "way"), ['{"a":"way","b":"way"}'], "which of two is not known");
  t.strictSame(made('{"a":"ways"}', "ways"), ['{"a":"ways"}'], "no text's");
  t.strictSame(made('{"a":"n\\u006f"}', "no"), ['{"a":"n\\u006f"}'], "escaped in another way");
  t.strictSame(made('{"a":""}', ""), ['{"a":""}']);
  t.strictSame(made("{}", undefined), ["{}"]);
});
