import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { signCheckpoint } from "../../../lib/manifest/checkpoint.js";
import { buildProof, type ProofParts, parseProof } from "../../../lib/manifest/proof.js";
import type { EvaluatorLeaf, ItemLeaf, Proof, ReaderLeaf, TreeName } from "../../../schemas/index.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const hex = (digit: string) => digit.repeat(64);
const place = { question_id: "conv-26/0", ordinal: 5 };
const reader: ReaderLeaf = {
  ...place,
  evidence_sha256: hex("1"),
  protocol_sha256: hex("2"),
  request_sha256: hex("3"),
};
const evaluator: EvaluatorLeaf = {
  ...place,
  endpoints: [{ endpoint: "token-f1", protocol_sha256: hex("4") }],
  reference_sha256: hex("5"),
};
const item: ItemLeaf = {
  ...place,
  answer_sha256: hex("6"),
  answer_status: "answered",
  evaluator_leaf_sha256: hex("7"),
  grades: [{ endpoint: "token-f1", grade_sha256: hex("8"), score: 0.30769230769230771 }],
  reader_leaf_sha256: hex("9"),
  receipt_sha256: hex("a"),
};
const ITEM = {
  schema: "sealane-proof/1",
  tree: "item",
  leaf: item,
  reader_leaf: reader,
  evaluator_leaf: evaluator,
} as const satisfies Proof;
const READER: Proof = { schema: "sealane-proof/1", tree: "reader", leaf: reader };
const EVALUATOR: Proof = { schema: "sealane-proof/1", tree: "evaluator", leaf: evaluator };

const tree = (size: number) => ({ size, root: hex("b") });
const laneOf = (lane_id: string, size: number) => ({
  lane_id,
  lane_version: 1,
  trees: { reader: tree(size), evaluator: tree(size), item: tree(size) },
});
const checkpoint = (name: TreeName, size = 1540, lane = "bm25-locomo1540-24k-v1") =>
  signCheckpoint(laneOf(lane, size), name, testKey("author"));
const hashes = (count: number) => Array.from({ length: count }, (_, level) => Buffer.alloc(32, level));
const parts = (document: Proof, index = 5n, path: readonly Uint8Array[] = hashes(11)): ProofParts => ({
  document,
  index,
  path,
});
const parse = (text: string | Uint8Array) => parseProof(typeof text === "string" ? Buffer.from(text) : text, "proof");

t.test("what is built is parsed", async (t) => {
  for (const document of [ITEM, READER, EVALUATOR]) {
    for (const [index, path] of [
      [0n, []],
      [5n, hashes(11)],
      [2n ** 63n - 1n, hashes(63)],
    ] as const) {
      const text = buildProof(parts(document, index, path), checkpoint(document.tree));
      const { checkpoint: note, ...read } = parse(text);
      t.strictSame(read, parts(document, index, path));
      t.equal(note.signatures.length, 1);
      t.ok(text.startsWith("c2sp.org/tlog-proof@v1\nextra "));
      t.ok(text.endsWith(`\n\n${checkpoint(document.tree)}`), "the checkpoint stands there verbatim");
    }
  }
});

/** The largest proof of a question there is under one endpoint: the longest ids, a score of 17 digits. */
function largest(size: number): string {
  const question_id = "q".repeat(128);
  const ordinal = size - 1;
  const document: Proof = {
    ...ITEM,
    leaf: { ...item, question_id, ordinal, answer_status: "output-limit" },
    reader_leaf: { ...reader, question_id, ordinal },
    evaluator_leaf: { ...evaluator, question_id, ordinal },
  };
  const path = hashes(Math.ceil(Math.log2(size)));
  return buildProof(parts(document, BigInt(ordinal), path), checkpoint("item", size, "l".repeat(64)));
}

t.test("a proof is smaller than 4 KB, also of one question among a million", async (t) => {
  for (const size of [1, 36, 1540, 1_000_000]) {
    const bytes = Buffer.byteLength(largest(size));
    t.ok(bytes < 4096, `${size} questions: ${bytes} bytes`);
  }
});

t.test("what is no proof", async (t) => {
  const good = buildProof(parts(ITEM), checkpoint("item"));
  const [, extra = "", , first = ""] = good.split("\n");
  const withExtra = (document: unknown) =>
    good.replace(extra, `extra ${Buffer.from(canonicalJson(document)).toString("base64")}`);
  const raw = (text: string | Buffer) => good.replace(extra, `extra ${Buffer.from(text).toString("base64")}`);
  const node = Buffer.concat([hashes(1)[0]!, hashes(2)[1]!]);
  for (const [why, text] of [
    ["nothing", ""],
    ["a checkpoint alone", checkpoint("item")],
    ["another first line", good.replace("tlog-proof@v1", "tlog-proof@v1 ")],
    ["a line before", `\n${good}`],
    ["a byte order mark", `\ufeff${good}`],
    ["carriage returns", good.replaceAll("\n", "\r\n")],
    ["no extra line", good.replace(`${extra}\n`, "")],
    ["two extra lines", good.replace(extra, `${extra}\n${extra}`)],
    ["an empty extra line", good.replace(extra, "extra ")],
    ["extra in capitals", good.replace("extra", "Extra")],
    ["two spaces in the extra line", good.replace("extra ", "extra  ")],
    ["extra in base64 without padding", `${good.replace(extra, `${extra.replace(/=+$/, "")}A`)}`],
    ["extra that is no JSON", raw("leaf")],
    ["extra that is not canonical", raw(` ${canonicalJson(ITEM)}`)],
    ["extra with a key twice", raw(canonicalJson(ITEM).replace("{", '{"leaf":{},'))],
    ["extra that is ill-formed UTF-8", raw(Buffer.of(0x22, 0xff, 0x22))],
    ["extra of 64 bytes, two hashes of nodes", raw(node)],
    ["extra that is a string of two hashes", raw(canonicalJson(node.toString("hex")))],
    ["a leaf that is no object", withExtra({ ...ITEM, leaf: node.toString("base64") })],
    ["a leaf of another tree", withExtra({ ...READER, leaf: item })],
    [
      "a reader proof with a reference's digest",
      withExtra({ ...READER, leaf: { ...reader, reference_sha256: hex("5") } }),
    ],
    ["a reader proof with the evaluator's leaf", withExtra({ ...READER, evaluator_leaf: evaluator })],
    ["an item proof without its reader leaf", withExtra({ schema: "sealane-proof/1", tree: "item", leaf: item })],
    ["a tree that there is not", withExtra({ ...READER, tree: "files" })],
    ["no index", good.replace("index 5\n", "")],
    ["an index with a leading zero", good.replace("index 5", "index 05")],
    ["an index below zero", good.replace("index 5", "index -5")],
    ["an index with a plus sign", good.replace("index 5", "index +5")],
    ["a fraction", good.replace("index 5", "index 5.0")],
    ["an index in hexadecimal", good.replace("index 5", "index 0x5")],
    ["an index of twenty digits", good.replace("index 5", `index ${"9".repeat(20)}`)],
    ["a space after the index", good.replace("index 5", "index 5 ")],
    ["a hash of 31 bytes", good.replace(first, Buffer.alloc(31).toString("base64"))],
    ["a hash of 33 bytes", good.replace(first, Buffer.alloc(33).toString("base64"))],
    ["a hash in hexadecimal", good.replace(first, hex("0"))],
    ["a hash in the URL-safe alphabet", good.replace(first, `${"_".repeat(42)}8=`)],
    ["a hash with bits behind the last byte", good.replace(first, first.replace(/A=$/, "B="))],
    ["a space after a hash", good.replace(first, `${first} `)],
    ["64 hashes", buildProof(parts(ITEM, 5n, hashes(64)), checkpoint("item"))],
    ["65 hashes", buildProof(parts(ITEM, 5n, hashes(65)), checkpoint("item"))],
    ["no blank line before the checkpoint", good.replace("\n\nsealane", "\nsealane")],
    ["two blank lines after the path", good.replace(/\n\n(?=sealane)/, "\n\n\n").replace(/\n\n— .*\n$/, "\n")],
    ["no checkpoint", good.slice(0, good.indexOf("\n\n") + 2)],
    ["a checkpoint without a signature", good.slice(0, good.lastIndexOf("\n\n") + 1)],
    ["a blank line at the end", `${good}\n`],
    ["a line at the end", `${good}more\n`],
    ["no last line feed", good.slice(0, -1)],
    ["a second proof", good + good],
  ] as const) {
    t.equal(
      codeOf(() => parse(text)),
      "E_PROOF",
      why,
    );
  }
  t.equal(
    codeOf(() => parse(Buffer.concat([Buffer.from(good), Buffer.of(0xff)]))),
    "E_PROOF",
    "ill-formed UTF-8",
  );
  t.equal(
    codeOf(() => parse(good.replace("proof@v1", "proof@v2"))),
    "E_VERSION",
    "a later version of the format",
  );
  t.equal(
    codeOf(() => parse(withExtra({ ...ITEM, schema: "sealane-proof/2" }))),
    "E_VERSION",
    "a later version of the document",
  );
});
