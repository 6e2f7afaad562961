// One question without its lane: every question proves, and each way to prove something that is not so has its code.
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { leafHash, MerkleAccumulator } from "../../lib/bytes/merkle.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { proveQuestion } from "../../lib/lane/prove.js";
import { checkpointOf, checkpointText, originOf, signCheckpoint } from "../../lib/manifest/checkpoint.js";
import { signNote } from "../../lib/manifest/note.js";
import { buildProof, type ProofParts, parseProof } from "../../lib/manifest/proof.js";
import { TREE_NAMES } from "../../lib/manifest/trees.js";
import { trustOf } from "../../lib/manifest/trust.js";
import {
  type AnswerRecord,
  type BodyRecord,
  type Envelope,
  isDocument,
  type Manifest,
  type PacketRecord,
  type PopulationRecord,
  type Proof,
  type ProofReport,
  type RequestRecord,
  type TreeName,
} from "../../schemas/index.js";
import type { Policy } from "../../verifiers/evidence.js";
import { type GivenProof, verifyProof } from "../../verifiers/proof.js";
import { authorTrust, editDocument, editRecords, goodLane, type LaneFiles, parsed, reseal } from "../support/lane.js";
import { testKey } from "../support/test-key.js";

const AUTHOR = testKey("author");
const THIEF = testKey("thief");
const TRUSTED: Policy = { trust: authorTrust() };

/** The records of one file. */
function recordsOf<T extends object>(files: LaneFiles, path: string): T[] {
  let all: T[] = [];
  editRecords<T>(files, path, (records) => {
    all = structuredClone(records);
  });
  return all;
}

const idsOf = (files: LaneFiles): string[] =>
  recordsOf<PopulationRecord>(files, "population.jsonl").map((record) => record.question_id);
const prove = (files: LaneFiles, tree: TreeName, id: string): string =>
  proveQuestion(new MemorySource(files), tree, id).proof;
const noteOf = (files: LaneFiles, tree: TreeName): string => files.get(`checkpoints/${tree}`)!.toString("utf8");

/** What is given to a verifier: a proof, and the manifest and envelope of a lane. */
function given(files: LaneFiles, questionId: string, proof: string, more: Partial<GivenProof> = {}): GivenProof {
  return {
    questionId,
    proof: { bytes: Buffer.from(proof), at: "proof" },
    manifest: files.get("manifest.json")!,
    envelope: files.get("manifest.dsse.json"),
    ...more,
  };
}

function codesOf(report: ProofReport): string[] {
  const found = report.checks.flatMap((check) =>
    check.outcome === "failed" ? check.findings.map((finding) => finding.code) : [],
  );
  return [...new Set(found)].sort();
}

t.test("every question of a lane proves, in every tree, with what the lane records of it", async (t) => {
  const files = await goodLane();
  const packets = recordsOf<PacketRecord>(files, "packets.jsonl");
  const requests = recordsOf<RequestRecord>(files, "requests.jsonl");
  const bodies = recordsOf<BodyRecord>(files, "bodies/requests.jsonl");
  const answers = recordsOf<AnswerRecord>(files, "answers.jsonl");
  for (const [index, id] of idsOf(files).entries()) {
    for (const tree of TREE_NAMES) {
      const request = { bytes: Buffer.from(bodies[index]!.body), at: "request" };
      const answer = { bytes: Buffer.from(answers[index]!.answer!), at: "answer" };
      const more = { item: { request, answer }, reader: { request }, evaluator: {} }[tree];
      const report = verifyProof(given(files, id, prove(files, tree, id), more), TRUSTED);
      t.equal(report.exit_code, 0, `${id}, ${tree}`);
      t.ok(isDocument("proof-report", report));
      const place = { question_id: id, ordinal: index };
      t.match(report.bound, {
        reader: tree === "evaluator" ? null : { ...place, request_sha256: requests[index]!.body_sha256 },
        evaluator: tree === "reader" ? null : place,
        item: tree === "item" ? { ...place, answer_sha256: answers[index]!.answer_sha256 } : null,
      });
      if (tree !== "evaluator") t.equal(report.bound?.reader?.evidence_sha256, packets[index]!.evidence_sha256);
    }
  }
});

t.test("the same bytes give the same proof and the same report", async (t) => {
  const files = await goodLane();
  const [id = ""] = idsOf(files);
  t.equal(prove(files, "item", id), prove(await goodLane(), "item", id));
  const report = () => canonicalJson(verifyProof(given(files, id, prove(files, "item", id)), TRUSTED));
  t.equal(report(), report());
});

t.test("a reader proof holds nothing of the evaluator's side", async (t) => {
  const files = await goodLane();
  const [id = ""] = idsOf(files);
  const proof = prove(files, "reader", id);
  const secrets = new Set(
    [
      ...files
        .get("evaluator/references.jsonl")!
        .toString("utf8")
        .matchAll(/[0-9a-f]{64}/g),
    ].flat(),
  );
  for (const line of files.get("evaluator/references.jsonl")!.toString("utf8").split("\n"))
    secrets.add(sha256Hex(line));
  for (const line of files.get("evaluator/token-f1/grades.jsonl")!.toString("utf8").split("\n")) {
    secrets.add(sha256Hex(line));
  }
  const { document } = parseProof(Buffer.from(proof), "proof");
  const text = canonicalJson(document);
  for (const secret of secrets) t.notOk(text.includes(secret));
  t.strictSame(Object.keys(document.leaf).sort(), [
    "evidence_sha256",
    "ordinal",
    "protocol_sha256",
    "question_id",
    "request_sha256",
  ]);
});

interface Built {
  readonly files: LaneFiles;
  readonly id: string;
  readonly parts: ProofParts;
  readonly note: string;
}

interface Case {
  readonly why: string;
  readonly tree?: TreeName;
  /** Which question; the last when not said. */
  readonly at?: number;
  /** What is verified, by changing what was built: the files are the verifier's. */
  readonly fault: (built: Built) => Partial<Built> & { more?: Partial<GivenProof>; raw?: string };
  readonly codes: readonly string[];
  readonly exit: number;
  readonly policy?: Policy;
}

const path = (built: Built, edit: (hashes: Uint8Array[]) => Uint8Array[]) => ({
  parts: { ...built.parts, path: edit([...built.parts.path]) },
});
const at = (built: Built, index: bigint) => ({ parts: { ...built.parts, index } });
const document = (built: Built, edit: (document: Proof & { tree: "item" }) => void) => {
  const changed = structuredClone(built.parts.document) as Proof & { tree: "item" };
  edit(changed);
  return { parts: { ...built.parts, document: changed } };
};
/** The lane sealed again by its signer with other trees, and a proof with the checkpoint of those. */
const otherTree = (built: Built, tree: TreeName, change: Partial<Manifest["trees"]["item"]>) => {
  reseal(built.files, { edit: (manifest) => Object.assign(manifest.trees[tree], change) });
  return { files: built.files, note: noteOf(built.files, tree) };
};
const manifestOf = (built: Built): Manifest => parsed(built.files, "manifest.json");
const noise = (level: number): Buffer => Buffer.alloc(32, level + 1);
const longer = (built: Built, length: number) =>
  path(built, (hashes) => [...hashes, ...Array.from({ length: length - hashes.length }, (_, level) => noise(level))]);

const CASES: readonly Case[] = [
  // J05: index, size, root, path
  {
    why: "the next index",
    at: 4,
    fault: (built) => at(built, built.parts.index + 1n),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  { why: "index 0", fault: (built) => at(built, 0n), codes: ["E_INCLUSION"], exit: 1 },
  { why: "an index that is the size", fault: (built) => at(built, 36n), codes: ["E_INCLUSION"], exit: 1 },
  { why: "an index beyond all trees", fault: (built) => at(built, 2n ** 62n), codes: ["E_INCLUSION"], exit: 1 },
  {
    why: "another index, and the leaf says so too",
    at: 4,
    fault: (built) => {
      const moved = document(built, (extra) => {
        for (const leaf of [extra.leaf, extra.reader_leaf, extra.evaluator_leaf]) leaf.ordinal += 1;
        extra.leaf.reader_leaf_sha256 = sha256Hex(canonicalJson(extra.reader_leaf));
        extra.leaf.evaluator_leaf_sha256 = sha256Hex(canonicalJson(extra.evaluator_leaf));
      });
      return { parts: { ...moved.parts, index: built.parts.index + 1n } };
    },
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a signed tree of one leaf less",
    fault: (built) => otherTree(built, "item", { size: 35 }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a signed tree of one leaf more",
    fault: (built) => otherTree(built, "item", { size: 37 }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a signed tree of 2^53-1 leaves",
    fault: (built) => otherTree(built, "item", { size: Number.MAX_SAFE_INTEGER }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a signed tree of nothing",
    fault: (built) => otherTree(built, "item", { size: 0, root: sha256Hex("") }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "another signed root",
    fault: (built) => otherTree(built, "item", { root: "7".repeat(64) }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a checkpoint of the tree that holds this leaf alone, by the right key",
    at: 0,
    fault: (built) => {
      const root = leafHash(canonicalJson(built.parts.document.leaf)).toString("hex");
      const { trees, ...lane } = manifestOf(built);
      const alone = { ...lane, trees: { ...trees, item: { size: 1, root } } };
      return { parts: { ...built.parts, path: [] }, note: signCheckpoint(alone, "item", AUTHOR) };
    },
    codes: ["E_CHECKPOINT", "E_INCLUSION"],
    exit: 1,
  },
  { why: "no path", fault: (built) => path(built, () => []), codes: ["E_INCLUSION"], exit: 1 },
  {
    why: "a path without its end",
    fault: (built) => path(built, (p) => p.slice(0, -1)),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  { why: "a path turned round", fault: (built) => path(built, (p) => p.reverse()), codes: ["E_INCLUSION"], exit: 1 },
  {
    why: "one hash too many",
    fault: (built) => longer(built, built.parts.path.length + 1),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  { why: "63 hashes", fault: (built) => longer(built, 63), codes: ["E_INCLUSION"], exit: 1 },
  { why: "64 hashes", fault: (built) => longer(built, 64), codes: ["E_PROOF"], exit: 2 },
  { why: "65 hashes", fault: (built) => longer(built, 65), codes: ["E_PROOF"], exit: 2 },
  {
    why: "another hash",
    fault: (built) => path(built, ([first, ...rest]) => [noise(0), ...rest, first!].slice(0, rest.length + 1)),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  // J06: leaf and node
  {
    why: "the place of the node above the leaf",
    at: 4,
    fault: (built) => ({
      parts: { ...built.parts, index: built.parts.index / 2n, path: built.parts.path.slice(1) },
    }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a signed tree whose leaves are pairs of the question's leaf hashes",
    at: 0,
    fault: (built) => {
      const pairs = new MerkleAccumulator();
      const hashes = idsOf(built.files).map((id) => {
        const { document } = parseProof(Buffer.from(prove(built.files, "item", id)), "proof");
        return leafHash(canonicalJson(document.leaf));
      });
      for (let index = 0; index < hashes.length; index += 2) {
        pairs.add(Buffer.concat([hashes[index]!, hashes[index + 1]!]));
      }
      const other = otherTree(built, "item", { size: pairs.size, root: pairs.root().toString("hex") });
      return { ...other, parts: { ...built.parts, path: built.parts.path.slice(1) } };
    },
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "extra of 64 bytes, the hashes of two nodes",
    fault: (built) => ({
      raw: buildProof(built.parts, built.note).replace(
        /^extra .*$/m,
        `extra ${Buffer.concat([noise(1), noise(2)]).toString("base64")}`,
      ),
    }),
    codes: ["E_PROOF"],
    exit: 2,
  },
  // The leaf
  {
    why: "the proof of another question",
    fault: (built) => ({ id: idsOf(built.files)[0]! }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "another answer",
    fault: (built) =>
      document(built, ({ leaf }) => {
        leaf.answer_sha256 = sha256Hex("yes");
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a better grade",
    fault: (built) =>
      document(built, ({ leaf }) => {
        leaf.grades[0]!.score = 0.99;
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "another request in the reader leaf",
    fault: (built) =>
      document(built, (extra) => {
        extra.reader_leaf.request_sha256 = "8".repeat(64);
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "another reference in the evaluator leaf",
    fault: (built) =>
      document(built, (extra) => {
        extra.evaluator_leaf.reference_sha256 = "8".repeat(64);
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "the reader leaf of another question",
    fault: (built) =>
      document(built, (extra) => {
        const other = parseProof(Buffer.from(prove(built.files, "item", idsOf(built.files)[0]!)), "proof");
        extra.reader_leaf = (other.document as Proof & { tree: "item" }).reader_leaf;
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  {
    why: "a reader leaf said to stand in the item tree's place",
    tree: "reader",
    fault: (built) => ({ note: noteOf(built.files, "item") }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a reader request changed in a reader proof",
    tree: "reader",
    fault: (built) =>
      document(built, ({ leaf }) => {
        Object.assign(leaf, { request_sha256: "8".repeat(64) });
      }),
    codes: ["E_INCLUSION"],
    exit: 1,
  },
  // J04, J07: lanes, versions, checkpoints
  {
    why: "the same content under another lane's name",
    fault: (built) => {
      reseal(built.files, { edit: (manifest) => Object.assign(manifest, { lane_id: "another" }) });
      return { files: built.files };
    },
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "the same content as another version",
    fault: (built) => {
      reseal(built.files, { edit: (manifest) => Object.assign(manifest, { lane_version: 2 }) });
      return { files: built.files };
    },
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "another lane's proof",
    fault: (built) => {
      const edit = (manifest: Manifest) =>
        Object.assign(manifest, {
          lane_id: "another",
          trees: { ...manifest.trees, item: { size: 36, root: "6".repeat(64) } },
        });
      reseal(built.files, { edit });
      return { files: built.files };
    },
    codes: ["E_CHECKPOINT", "E_INCLUSION"],
    exit: 1,
  },
  {
    why: "the manifest of version 2 with the signature of version 1",
    fault: (built) => {
      const envelope = built.files.get("manifest.dsse.json")!;
      reseal(built.files, { edit: (manifest) => Object.assign(manifest, { lane_version: 2 }) });
      return { files: built.files, more: { envelope } };
    },
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "a checkpoint by a key that nobody trusts",
    fault: (built) => ({ note: signCheckpoint(manifestOf(built), "item", THIEF) }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint by another key under the right name and key id",
    fault: (built) => {
      const raw = (note: string): Buffer => Buffer.from(note.trimEnd().split(" ").at(-1)!, "base64");
      const thief = raw(signCheckpoint(manifestOf(built), "item", THIEF));
      const both = Buffer.concat([raw(built.note).subarray(0, 4), thief.subarray(4)]);
      return { note: built.note.replace(raw(built.note).toString("base64"), both.toString("base64")) };
    },
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint with an extension line",
    fault: (built) => {
      const lane = manifestOf(built);
      const text = `${checkpointText(checkpointOf(lane, "item"))}more\n`;
      return { note: signNote(text, originOf(lane, "item"), AUTHOR) };
    },
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint of a shorter tree",
    fault: (built) => {
      const { trees, ...lane } = manifestOf(built);
      const shorter = { ...trees, item: { ...trees.item, size: 35 } };
      return { note: signCheckpoint({ ...lane, trees: shorter }, "item", AUTHOR) };
    },
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a line after the checkpoint",
    fault: (built) => ({ note: `${built.note}more\n` }),
    codes: ["E_PROOF"],
    exit: 2,
  },
  // The manifest and its signatures
  { why: "no envelope", fault: () => ({ more: { envelope: undefined } }), codes: ["E_SIGNATURE_MISSING"], exit: 1 },
  {
    why: "nobody is trusted",
    fault: () => ({}),
    policy: { trust: undefined },
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
  },
  {
    why: "another key is trusted",
    fault: () => ({}),
    policy: { trust: trustOf(testKey("second"), "second", "*") },
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
  },
  {
    why: "all of it made by a thief",
    fault: (built) => {
      reseal(built.files, { key: THIEF });
      return { files: built.files, note: noteOf(built.files, "item") };
    },
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
  },
  {
    why: "a false signature on the manifest",
    fault: (built) => {
      editDocument<Envelope>(built.files, "manifest.dsse.json", ({ signatures }) => {
        signatures[0]!.sig = Buffer.alloc(64, 1).toString("base64");
      });
      return { files: built.files };
    },
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    why: "another manifest than the one signed",
    fault: (built) => {
      editDocument<Manifest>(built.files, "manifest.json", (manifest) => {
        manifest.trees.item.root = "6".repeat(64);
      });
      return { files: built.files };
    },
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "a manifest that is not canonical",
    fault: (built) => ({ more: { manifest: Buffer.from(` ${built.files.get("manifest.json")!}`) } }),
    codes: ["E_JSON_CANON"],
    exit: 2,
  },
  {
    why: "a manifest of a later version",
    fault: (built) => {
      reseal(built.files, { edit: (manifest) => Object.assign(manifest, { schema: "sealane-manifest/2" }) });
      return { files: built.files };
    },
    codes: ["E_VERSION"],
    exit: 4,
  },
  {
    why: "an envelope that is none",
    fault: () => ({ more: { envelope: Buffer.from("{}") } }),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    why: "a newer version was seen here before",
    fault: () => ({}),
    policy: {
      ...TRUSTED,
      state: {
        schema: "sealane-state/1",
        lanes: {
          "harbour-test": { version: 2, manifest_sha256: "1".repeat(64), first_seen: "2026-01-01T00:00:00.000Z" },
        },
      },
    },
    codes: ["E_ROLLBACK"],
    exit: 3,
  },
  // The files that the leaf names
  {
    why: "another request",
    fault: () => ({ more: { request: { bytes: Buffer.from("{}"), at: "request" } } }),
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "the answer with a line feed more",
    fault: (built) => {
      const { answer } = recordsOf<AnswerRecord>(built.files, "answers.jsonl").at(-1)!;
      return { more: { answer: { bytes: Buffer.from(`${answer}\n`), at: "answer" } } };
    },
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "an answer, of which the reader's side says nothing",
    tree: "reader",
    fault: () => ({ more: { answer: { bytes: Buffer.from("yes"), at: "answer" } } }),
    codes: [],
    exit: 6,
  },
  {
    why: "a request, of which the evaluator's side says nothing",
    tree: "evaluator",
    fault: () => ({ more: { request: { bytes: Buffer.from("{}"), at: "request" } } }),
    codes: [],
    exit: 6,
  },
  { why: "nothing", fault: () => ({ raw: "" }), codes: ["E_PROOF"], exit: 2 },
];

async function build(tree: TreeName, index: number | undefined): Promise<Built> {
  const files = await goodLane();
  const id = idsOf(files).at(index ?? -1)!;
  const { document, index: place, path } = parseProof(Buffer.from(prove(files, tree, id)), "proof");
  return { files, id, parts: { document, index: place, path }, note: noteOf(files, tree) };
}

for (const { why, tree = "item", at: index, fault, codes, exit, policy = TRUSTED } of CASES) {
  t.test(why, async (t) => {
    const built = await build(tree, index);
    const { more, raw, ...changed } = fault(built);
    const { files, id, parts, note } = { ...built, ...changed };
    const report = verifyProof(given(files, id, raw ?? buildProof(parts, note), more), policy);
    t.strictSame(codesOf(report), codes);
    t.equal(report.exit_code, exit);
    t.equal(report.bound, null, "nothing is said to be bound");
    t.ok(isDocument("proof-report", report));
  });
}

t.test("a failed call's question proves too, without an answer", async (t) => {
  const files = await goodLane();
  editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
    const { question_id, receipt_sha256 } = answers[3]!;
    answers[3] = { question_id, receipt_sha256, status: "failed" };
  });
  const id = idsOf(files)[3]!;
  t.throws(() => prove(files, "item", id), { code: "E_TREE" }, "not before the trees are made again");
  const root = rootOf(files);
  reseal(files, { edit: (manifest) => Object.assign(manifest.trees.item, { root }) });
  const report = verifyProof(given(files, id, prove(files, "item", id)), TRUSTED);
  t.equal(report.exit_code, 0);
  t.match(report.bound?.item, { answer_status: "failed", answer_sha256: null });
  const answer = { bytes: Buffer.from("yes"), at: "answer" };
  t.equal(verifyProof(given(files, id, prove(files, "item", id), { answer }), TRUSTED).exit_code, 1);
});

/** The root that the records give, as the refusal names it. */
function rootOf(files: LaneFiles): string {
  try {
    prove(files, "item", "none");
  } catch (error) {
    return (error as { found: string }).found.split(" ")[0]!;
  }
  throw new Error("the records give the manifest's root");
}

t.test("no single changed bit of a proof passes", async (t) => {
  const files = await goodLane();
  const id = idsOf(files)[7]!;
  const good = Buffer.from(prove(files, "item", id));
  const passed: number[] = [];
  let flips = 0;
  for (let byte = 0; byte < good.length; byte += 17) {
    const bytes = Buffer.from(good);
    bytes[byte]! ^= 1 << (byte % 8);
    const proof = { bytes, at: "proof" };
    flips += 1;
    if (verifyProof(given(files, id, "", { proof }), TRUSTED).exit_code === 0) passed.push(byte);
  }
  t.strictSame(passed, []);
  t.ok(flips > 100);
});
