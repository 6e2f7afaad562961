import t from "tap";
import {
  checkpointOf,
  checkpointSigners,
  checkpointText,
  originOf,
  parseCheckpoint,
  signCheckpoint,
} from "../../../lib/manifest/checkpoint.js";
import { openNote, parseNote } from "../../../lib/manifest/note.js";
import { TREE_NAMES } from "../../../lib/manifest/trees.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const root = (digit: string) => digit.repeat(64);
const LANE = {
  lane_id: "bm25-locomo1540-24k-v1",
  lane_version: 3,
  trees: {
    reader: { size: 1540, root: root("a") },
    evaluator: { size: 1540, root: root("b") },
    item: { size: 1540, root: root("c") },
  },
};
const AUTHOR = testKey("author");

t.test("the text says origin, size and root, and nothing else", async (t) => {
  t.equal(originOf(LANE, "reader"), "sealane.dev/lane/bm25-locomo1540-24k-v1/3/reader");
  t.equal(
    checkpointText(checkpointOf(LANE, "item")),
    "sealane.dev/lane/bm25-locomo1540-24k-v1/3/item\n1540\nzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw=\n",
  );
  t.equal(new Set(TREE_NAMES.map((tree) => originOf(LANE, tree))).size, 3, "each tree is a log of its own");
});

t.test("what is signed is read again", async (t) => {
  for (const tree of TREE_NAMES) {
    const note = Buffer.from(signCheckpoint(LANE, tree, AUTHOR));
    const signers = checkpointSigners(LANE, tree, [testKey("other"), AUTHOR]);
    const text = openNote(note, signers, tree);
    t.same(parseCheckpoint(text, tree), checkpointOf(LANE, tree));
    t.equal(parseNote(note, tree).signatures[0]?.name, originOf(LANE, tree), "the key's name is the origin");
    t.equal(
      codeOf(() => openNote(note, checkpointSigners({ ...LANE, lane_version: 4 }, tree, [AUTHOR]), tree)),
      "E_CHECKPOINT",
      "the key of one version is not the key of the next",
    );
  }
});

t.test("the example of the specification", async (t) => {
  const text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
  const read = parseCheckpoint(text, "checkpoint");
  t.match(read, { origin: "example.com/behind-the-sofa", size: 20852163n });
  t.equal(checkpointText(read), text);
});

t.test("what is no checkpoint", async (t) => {
  const hash = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
  t.equal(parseCheckpoint(`o\n0\n${hash}\n`, "checkpoint").size, 0n, "an empty tree has one");
  t.equal(parseCheckpoint(`o\n9223372036854775807\n${hash}\n`, "checkpoint").size, 2n ** 63n - 1n);
  for (const [why, text] of [
    ["nothing", ""],
    ["two lines", "o\n5\n"],
    ["no line feed at the end", `o\n5\n${hash}`],
    ["no origin", `\n5\n${hash}\n`],
    ["an extension line", `o\n5\n${hash}\nmore\n`],
    ["an empty extension line", `o\n5\n${hash}\n\n`],
    ["no size", `o\n\n${hash}\n`],
    ["a leading zero", `o\n05\n${hash}\n`],
    ["two zeros", `o\n00\n${hash}\n`],
    ["a sign", `o\n+5\n${hash}\n`],
    ["less than nothing", `o\n-5\n${hash}\n`],
    ["a fraction", `o\n5.0\n${hash}\n`],
    ["an exponent", `o\n5e3\n${hash}\n`],
    ["a hexadecimal size", `o\n0x5\n${hash}\n`],
    ["digits of another script", `o\n٥\n${hash}\n`],
    ["a space before the size", `o\n 5\n${hash}\n`],
    ["twenty digits", `o\n${"1".repeat(20)}\n${hash}\n`],
    ["no root", "o\n5\n\n"],
    ["31 bytes", `o\n5\n${Buffer.alloc(31).toString("base64")}\n`],
    ["33 bytes", `o\n5\n${Buffer.alloc(33).toString("base64")}\n`],
    ["hexadecimal", `o\n5\n${root("a")}\n`],
    ["the URL-safe alphabet", `o\n5\n${hash.replace("/", "_")}\n`],
    ["no padding", `o\n5\n${hash.slice(0, -1)}\n`],
    ["bits behind the last byte", `o\n5\n${hash.replace(/I=$/, "J=")}\n`],
  ] as const) {
    t.equal(
      codeOf(() => parseCheckpoint(text, "checkpoint")),
      "E_CHECKPOINT",
      why,
    );
  }
});
