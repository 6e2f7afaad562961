import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import type { Dataset } from "../../../lib/dataset/index.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import type { Packet } from "../../../lib/evidence/prepared-history.js";
import { RENDERER, renderEvidence } from "../../../lib/evidence/render.js";
import { tokenizerFromJson } from "../../../lib/evidence/tokenizer-json.js";
import { HF_TOKENIZER_ID, pinnedTokenizer, type Tokenizer, tokenizerOf } from "../../../lib/evidence/tokens.js";
import { repositoryFile } from "../../support/shared.js";
import { ATOMS, SEED, texts } from "./histories.js";
import { harbour } from "./packets.js";

const bytes = readFileSync(repositoryFile("fixtures/tokenizers/tiny.json"));
const tiny = tokenizerFromJson(bytes, "tiny.json");

interface TokenizerFile {
  added_tokens: { content: string; lstrip: boolean; rstrip: boolean; single_word: boolean }[];
  normalizer: { type: string } | null;
  pre_tokenizer: { pretokenizers: Record<string, unknown>[] };
  model: { type: string; vocab: Record<string, number>; merges: (string | [string, string])[] };
}
const fileOf = (): TokenizerFile => JSON.parse(bytes.toString("utf8")) as TokenizerFile;
const changed = (change: (file: TokenizerFile) => unknown): Tokenizer => {
  const file = fileOf();
  change(file);
  return tokenizerFromJson(Buffer.from(JSON.stringify(file)), "changed.json");
};

t.test("a tokenizer.json is known by its digest and counted by its rules", async (t) => {
  const { version } = JSON.parse(
    readFileSync(repositoryFile("node_modules/@huggingface/tokenizers/package.json"), "utf8"),
  );
  t.strictSame(tiny.identity, {
    id: HF_TOKENIZER_ID,
    package: `@huggingface/tokenizers@${version}`,
    sha256: sha256Hex(bytes),
  });
  // By hand, from the merges in the file, in their order: he, ll, hell, hello, " w", or, " wor", ld, " world", th, the, ... " t", in, ing.
  const known: [string, number][] = [
    ["", 0],
    ["hello", 1],
    ["hell", 1],
    ["help", 3],
    ["hello world", 2],
    ["hello world hello", 4],
    ["world", 3],
    [" the thing", 5],
    ["Hello", 4],
    ["12", 2],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 4],
    ["\n\n", 1],
    ["a.\n\n", 3],
    ["\n[Session", 8],
    ["<|end|>", 1],
    ["hello<|end|>hello", 3],
    ["<|end|", 6],
  ];
  for (const [text, tokens] of known) t.equal(tiny.count(text), tokens, JSON.stringify(text));
  t.equal(tiny.count("hello ".repeat(20)), 40, "truncation that the file asks for is not applied");
});

/** Byte pair encoding as its definition has it, over a file of the tiny one's form. */
function naive({ model, added_tokens, pre_tokenizer }: TokenizerFile): (text: string) => number {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let others = 0;
  const letters = Array.from({ length: 256 }, (_, byte) => {
    if (printable(byte)) return String.fromCharCode(byte);
    others += 1;
    return String.fromCharCode(255 + others);
  });
  const ranks = new Map(
    model.merges.map((pair, rank) => [typeof pair === "string" ? pair : pair.join(" "), rank] as const),
  );
  const { Regex } = pre_tokenizer.pretokenizers[0]!.pattern as { Regex: string };
  const contraction = /\(\?i:([^)]*)\)/.exec(Regex)!;
  const anyCase = contraction[1]!.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const source = Regex.replace(contraction[0], `(?:${anyCase})`)
    .replaceAll("\\s", "\\p{White_Space}")
    .replaceAll("\\S", "\\P{White_Space}");
  const split = new RegExp(source, "gu");
  const specials = added_tokens.map(({ content }) => content);
  const isSpecial = new RegExp(`(${specials.map((s) => s.replaceAll("|", "\\|")).join("|")})`, "u");
  return (text) => {
    let total = 0;
    for (const section of text.split(isSpecial)) {
      if (specials.includes(section)) {
        total += 1;
        continue;
      }
      for (const [piece] of section.normalize("NFC").matchAll(split)) {
        const parts = Array.from(Buffer.from(piece), (byte) => letters[byte]!);
        for (;;) {
          let best = Number.POSITIVE_INFINITY;
          let at = -1;
          for (let index = 0; index + 1 < parts.length; index += 1) {
            const rank = ranks.get(`${parts[index]} ${parts[index + 1]}`);
            if (rank !== undefined && rank < best) [best, at] = [rank, index];
          }
          if (at < 0) break;
          parts.splice(at, 2, parts[at]! + parts[at + 1]!);
        }
        total += parts.length;
      }
    }
    return total;
  };
}

const chatty = fc
  .array(
    fc.oneof(texts(3), fc.constantFrom("hello", " world", " the", "thing", "<|end|>", "\n[S", ".\n\n", "it's", "'LL")),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(""));

t.test("counts are those of the definition", async (t) => {
  const count = naive(fileOf());
  t.strictSame(
    ATOMS.filter((atom) => tiny.count(atom) !== count(atom)),
    [],
  );
  fc.assert(
    fc.property(chatty, (text) => tiny.count(text) === count(text)),
    { seed: SEED, numRuns: 2000 },
  );
});

const PATTERN = (fileOf().pre_tokenizer.pretokenizers[0]!.pattern as { Regex: string }).Regex;
/** The splitting pattern of GPT-2: white space before a line's end is cut by what follows it. */
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const gpt2 = changed((file) => Object.assign(file.pre_tokenizer.pretokenizers[0]!, { pattern: { Regex: GPT2 } }));

t.test("where counts are said to add up at lines, they do", async (t) => {
  t.equal(tiny.addsUpAtLines, true);
  const threes = changed((file) =>
    Object.assign(file.pre_tokenizer.pretokenizers[0]!, {
      pattern: { Regex: PATTERN.replace("|\\p{N}|", "|\\p{N}{1,3}|") },
    }),
  );
  t.equal(threes.addsUpAtLines, true);
  const before = fc
    .tuple(chatty, fc.constantFrom("\n", "\r\n", "\n\n", " \n", ".\n", "\u2028\n"))
    .map((parts) => parts.join(""));
  const after = fc
    .tuple(fc.constantFrom("[", "("), fc.constantFrom("Session 2 | ", "1.1) ", "\u0301", ""), chatty)
    .map((parts) => parts.join(""));
  for (const { count } of [tiny, threes]) {
    fc.assert(
      fc.property(before, after, (a, b) => count(a + b) === count(a) + count(b)),
      { seed: SEED, numRuns: 3000 },
    );
  }
});

t.test("where it is not known that they do, it is not said", async (t) => {
  const split = (more: object) => (file: TokenizerFile) => Object.assign(file.pre_tokenizer.pretokenizers[0]!, more);
  const byteLevel = (more: object) => (file: TokenizerFile) =>
    Object.assign(file.pre_tokenizer.pretokenizers[1]!, more);
  const added = (more: object) => (file: TokenizerFile) => Object.assign(file.added_tokens[0]!, more);
  const others: [string, (file: TokenizerFile) => unknown][] = [
    ["another pattern", split({ pattern: { Regex: GPT2 } })],
    ["a pattern that is one thing more", split({ pattern: { Regex: `\\n\\[|${PATTERN}` } })],
    ["another behaviour", split({ behavior: "MergedWithNext" })],
    ["what is matched is dropped", split({ behavior: "Removed", invert: true })],
    ["a blank before each text", byteLevel({ add_prefix_space: true })],
    ["byte level with a pattern of its own", byteLevel({ use_regex: true })],
    ["another step", (file) => file.pre_tokenizer.pretokenizers.push({ type: "Digits", individual_digits: true })],
    ["the steps the other way round", (file) => file.pre_tokenizer.pretokenizers.reverse()],
    ["another normaliser", (file) => Object.assign(file, { normalizer: { type: "Lowercase" } })],
    ["an added token with a line feed", added({ content: "\n[" })],
    ["an added token that strips on its left", added({ content: "[Session", lstrip: true })],
    ["an added token that strips on its right", added({ rstrip: true })],
  ];
  for (const [name, change] of others) t.equal(changed(change).addsUpAtLines, false, name);
  t.equal(changed((file) => Object.assign(file, { normalizer: null })).addsUpAtLines, true);
  t.not(gpt2.count("a\n\n") + gpt2.count("[b"), gpt2.count("a\n\n[b"), "and they do not");
});

const protocolOf = (dataset: Dataset, tokenizer: Tokenizer, ceilingTokens: number, arm = "bm25") =>
  preparationProtocol(dataset, { arm, tokenizer, ceilingTokens });

/** Which spans enter, by counting the packet whole for each candidate in turn. */
function admittedByHand(
  dataset: Dataset,
  all: Packet,
  index: number,
  tokenizer: Tokenizer,
  ceiling: number,
): unknown[] {
  const history = dataset.histories.get(dataset.asked[index]!.historyId)!;
  const spans: { session: number; turn: number; start: number; end: number }[] = [];
  for (const [session, turn, start, end] of all.record.spans) {
    const more = [...spans, { session, turn, start, end }];
    if (tokenizer.count(renderEvidence(history, more, RENDERER)!) <= ceiling) spans.push(more.at(-1)!);
  }
  return spans.map(({ session, turn, start, end }) => [session, turn, start, end]);
}

t.test("packets hold their ceiling and skip by whole counts, whether counts add up or not", async (t) => {
  const whole = harbour();
  const dataset = { ...whole, asked: whole.asked.filter((_, index) => index % 12 === 5) };
  const joined = changed((file) => {
    // Nothing is split off before merging, so that tokens reach over every boundary there is.
    Object.assign(file, {
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    });
  });
  t.equal(joined.addsUpAtLines, false);
  t.not(joined.count("a\n") + joined.count("[b"), joined.count("a\n[b"));
  for (const tokenizer of [tiny, gpt2, joined]) {
    const everything = [...preparePackets(dataset, protocolOf(dataset, tokenizer, 1_000_000), null, tokenizer)];
    for (const ceiling of [150, 700]) {
      const packets = [...preparePackets(dataset, protocolOf(dataset, tokenizer, ceiling), null, tokenizer)];
      const wrong = packets.filter(({ record, evidence }, index) => {
        const expected = admittedByHand(dataset, everything[index]!, index, tokenizer, ceiling);
        const counted = tokenizer.count(evidence);
        return (
          JSON.stringify(record.spans) !== JSON.stringify(expected) || counted !== record.tokens || counted > ceiling
        );
      });
      t.strictSame(wrong, [], `ceiling ${ceiling}`);
      t.ok(packets.some(({ record }) => record.skipped > 0 && record.spans.length > 0));
    }
    const full = [...preparePackets(dataset, protocolOf(dataset, tokenizer, 700, "full"), null, tokenizer)];
    t.ok(full.every(({ record, evidence }) => record.tokens === tokenizer.count(evidence) && record.tokens <= 700));
  }
});

t.test("a protocol's tokenizer must be the one at hand", async (t) => {
  const dataset = harbour();
  const protocol = protocolOf(dataset, tiny, 300);
  t.strictSame(protocol.tokenizer, tiny.identity);
  t.throws(() => preparePackets(dataset, protocol, null, gpt2).next(), { code: "E_VERSION" });
  t.throws(() => preparePackets(dataset, protocol, null, tokenizerOf("o200k_base")).next(), { code: "E_VERSION" });
  t.throws(() => preparePackets(dataset, protocol).next(), { code: "E_UNKNOWN" }, "it is not one of this release");
  t.equal(pinnedTokenizer(tiny.identity, tiny), tiny);
  t.equal(pinnedTokenizer(tokenizerOf("o200k_base").identity), tokenizerOf("o200k_base"));
  t.throws(() => pinnedTokenizer({ ...tokenizerOf("o200k_base").identity, sha256: "0".repeat(64) }), {
    code: "E_VERSION",
  });
});

t.test("what is no tokenizer.json", async (t) => {
  const read = (value: unknown) => tokenizerFromJson(Buffer.from(JSON.stringify(value)), "x.json");
  for (const value of [
    null,
    [],
    3,
    "x",
    {},
    { model: {} },
    { ...fileOf(), model: null },
    { ...fileOf(), pre_tokenizer: { type: "Nothing" } },
    { ...fileOf(), added_tokens: 4 },
  ]) {
    t.throws(() => read(value), { code: "E_SCHEMA", at: "x.json" }, JSON.stringify(value).slice(0, 40));
  }
  t.throws(() => tokenizerFromJson(bytes.subarray(0, 500), "x.json"), { code: "E_JSON" });
  t.throws(() => tokenizerFromJson(Buffer.from('{"model":{},"model":{}}'), "x.json"), { code: "E_JSON" });
});

const folder = process.env.SEALANE_QWEN3_TOKENIZER;

t.test(
  "Qwen 3's own file",
  { skip: folder ? false : "SEALANE_QWEN3_TOKENIZER names no folder with its tokenizer.json" },
  async (t) => {
    const file = readFileSync(join(folder!, "tokenizer.json"));
    const qwen = tokenizerFromJson(file, "tokenizer.json");
    t.equal(qwen.addsUpAtLines, true);
    const count = naive(JSON.parse(file.toString("utf8")) as TokenizerFile);
    t.equal(qwen.count("hello world"), 2);
    t.equal(qwen.count("<|im_end|>\n<|im_start|>"), 3);
    t.strictSame(
      ATOMS.filter((atom) => qwen.count(atom) !== count(atom)),
      [],
    );
    fc.assert(
      fc.property(texts(12), (text) => qwen.count(text) === count(text)),
      { seed: SEED, numRuns: 500 },
    );
    fc.assert(
      fc.property(
        texts(6),
        texts(6),
        (a, b) => qwen.count(`${a}\n[${b}`) === qwen.count(`${a}\n`) + qwen.count(`[${b}`),
      ),
      { seed: SEED, numRuns: 1000 },
    );
  },
);

t.test("a pattern of an unknown form is refused, wherever it stands, and not left out", async (t) => {
  const said = t.capture(console, "warn");
  const replace = { type: "Replace", pattern: { String: "a" }, content: "b" };
  const [split, bytesLevel] = fileOf().pre_tokenizer.pretokenizers as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  for (const pattern of [undefined, null, "a", {}, { a: "x" }, { Regex: 1 }, [{ Regex: "a" }]]) {
    const steps: readonly object[] = [
      { normalizer: { ...replace, pattern } },
      { normalizer: { type: "Sequence", normalizers: [{ type: "NFC" }, { ...replace, pattern }] } },
      { pre_tokenizer: { type: "Sequence", pretokenizers: [{ ...split, pattern }, bytesLevel] } },
      { decoder: { type: "Sequence", decoders: [{ ...replace, pattern }] } },
    ];
    for (const step of steps) {
      const file = Buffer.from(JSON.stringify({ ...fileOf(), ...step }));
      t.throws(() => tokenizerFromJson(file, "x.json"), { code: "E_SCHEMA", at: "x.json" }, JSON.stringify(step));
    }
  }
  t.equal(
    changed((file) => Object.assign(file, { normalizer: replace })).count("a"),
    tiny.count("b"),
    "a known one is used",
  );
  t.strictSame(said(), [], "and nothing is said past the caller");
});
