// One question's way through the built command line: proved by whoever has the lane or the reader's side of it, verified by
// someone who has neither.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import { packLane } from "../../lib/lane/pack.js";
import { type AnswerRecord, type BodyRecord, isDocument, type ProofReport } from "../../schemas/index.js";
import { type Ended, fewAtATime, oneDocument, reasonOf, sealane, sealaneBatch } from "../support/cli.js";
import { goodLane, type LaneFiles } from "../support/lane.js";
import { testKey } from "../support/test-key.js";
import { trustFileOf } from "../support/trust-files.js";

t.setTimeout(120_000);
const dir = t.testdir();
const QUESTION = "kitchen-03";
const run = (...args: string[]): Promise<Ended> => sealane(args, { cwd: dir });

function write(folder: string, files: ReadonlyMap<string, Uint8Array | string>): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(dir, folder, path)), { recursive: true });
    writeFileSync(join(dir, folder, path), bytes);
  }
}

/** The line of the question in a record file. */
function recordOf<T>(files: LaneFiles, path: string): T {
  const lines = files.get(path)!.toString("utf8").split("\n");
  return JSON.parse(lines.find((line) => line.includes(`"question_id":"${QUESTION}"`))!) as T;
}

const READER_SIDE = [
  "manifest.json",
  "manifest.dsse.json",
  "population.jsonl",
  "packets.jsonl",
  "requests.jsonl",
  "checkpoints/reader",
];

const files = await goodLane();
write("lane", files);
write("reader-side", new Map(READER_SIDE.map((path) => [path, files.get(path)!])));
write("manifest-alone", new Map([["manifest.json", files.get("manifest.json")!]]));
write(
  ".",
  new Map<string, Uint8Array | string>([
    ["trust.json", trustFileOf(testKey("author"), "the author", "*")],
    ["stranger.json", trustFileOf(testKey("stranger"), "a stranger", "*")],
    ["request.json", recordOf<BodyRecord>(files, "bodies/requests.jsonl").body],
    ["answer.txt", recordOf<AnswerRecord>(files, "answers.jsonl").answer!],
    ["other.txt", "another answer"],
  ]),
);
await packLane(new MemorySource(files), join(dir, "lane.tar.gz"));

const MANIFEST = ["--manifest", "lane/manifest.json"];
const verify = (proof: string, ...more: string[]) =>
  run("verify", "--question", QUESTION, "--proof", proof, ...MANIFEST, "--trust", "trust.json", ...more);

t.test(
  "a lane's folder and its archive give the same proof, the reader's side proves without a reference",
  async (t) => {
    const proved = await fewAtATime(
      [
        ["prove", "lane", "--question", QUESTION, "-o", "item.tlog-proof", "--json"],
        ["prove", "lane.tar.gz", "--question", QUESTION, "--out", "packed.tlog-proof", "--json"],
        ["prove", "reader-side", "--question", QUESTION, "--tree", "reader", "-o", "reader.tlog-proof", "--json"],
        ["prove", "lane", "--question", QUESTION, "--tree", "reader", "-o", "reader2.tlog-proof", "--json"],
        ["prove", "lane", "--question", QUESTION, "--tree", "evaluator", "-o", "evaluator.tlog-proof", "--json"],
      ],
      (args) => run(...args),
    );
    for (const ended of proved) t.equal(ended.code, 0, ended.stderr + ended.stdout);
    const read = (name: string): string => readFileSync(join(dir, name), "utf8");
    t.match(oneDocument(proved[0]!), {
      schema: "sealane-proved/1",
      file: "item.tlog-proof",
      bytes: read("item.tlog-proof").length + 2,
      lane_id: "harbour-test",
      lane_version: 1,
      question_id: QUESTION,
      tree: "item",
      size: 36,
    });
    t.equal(read("packed.tlog-proof"), read("item.tlog-proof"));
    t.equal(read("reader2.tlog-proof"), read("reader.tlog-proof"));
    t.match(read("reader.tlog-proof"), /^c2sp\.org\/tlog-proof@v1\nextra [A-Za-z0-9+/=]+\nindex [0-9]+\n/);
    for (const name of ["item", "reader", "evaluator"]) t.ok(read(`${name}.tlog-proof`).length < 4096);
  },
);

t.test("a stranger verifies one question", async (t) => {
  const [item, reader, evaluator] = await fewAtATime(
    [
      ["item.tlog-proof", "--request", "request.json", "--answer", "answer.txt", "--json"],
      ["reader.tlog-proof", "--request", "request.json", "--json"],
      ["evaluator.tlog-proof", "--json"],
    ],
    ([proof = "", ...more]) => verify(proof, ...more),
  );
  const reports = [item!, reader!, evaluator!].map((ended) => {
    t.equal(ended.code, 0, ended.stdout + ended.stderr);
    t.equal(ended.stderr, "");
    const document: unknown = oneDocument(ended);
    t.ok(isDocument("proof-report", document));
    return document as ProofReport;
  });
  t.strictSame(
    reports.map(({ tree, bound }) => [tree, ...Object.values(bound!).map((side) => side !== null)]),
    [
      ["item", true, true, true],
      ["reader", false, false, true],
      ["evaluator", true, false, false],
    ],
    "evaluator, item and reader side, as the document has them in order",
  );
  t.strictSame(
    reports[0]?.checks.map(({ id, outcome }) => [id, outcome]),
    ["signatures", "manifest", "proof", "checkpoint", "leaf", "inclusion", "request", "answer"].map((id) => [
      id,
      "passed",
    ]),
  );
  t.strictSame(reports[1]?.bound?.reader, reports[0]?.bound?.reader);
});

t.test("the text for people", async (t) => {
  const said = (proof: string, trust: string) => [
    "verify",
    "--question",
    QUESTION,
    "--proof",
    proof,
    ...MANIFEST,
    "--trust",
    trust,
  ];
  const [item, reader, failed] = await sealaneBatch(
    [
      said("item.tlog-proof", "trust.json"),
      said("reader.tlog-proof", "trust.json"),
      said("item.tlog-proof", "stranger.json"),
    ],
    dir,
  );
  const { answer_sha256 } = recordOf<AnswerRecord>(files, "answers.jsonl");
  t.match(item!.stdout, answer_sha256);
  t.match(item!.stdout, /^ {2}grade +[0-9a-f]{64}$/m);
  t.notMatch(reader!.stdout, answer_sha256);
  t.match(reader!.stdout, "no digest of a reference or grade");
  t.equal(failed!.code, 3);
  t.notMatch(failed!.stdout, answer_sha256, "nothing is said to be bound that no trusted key signed");
  for (const { stdout } of [item!, reader!, failed!]) {
    t.ok(stdout.endsWith("\n") && !stdout.endsWith("\n\n"));
    t.strictSame(
      stdout.split("\n").filter((line) => line.length > 80),
      [],
    );
  }
});

t.test("what is refused, and with which code", async (t) => {
  writeFileSync(
    join(dir, "broken.tlog-proof"),
    readFileSync(join(dir, "item.tlog-proof"), "utf8").replace("index ", "index 0"),
  );
  const altered = new Map(files);
  altered.set(
    "packets.jsonl",
    Buffer.from(
      files
        .get("packets.jsonl")!
        .toString("utf8")
        .replace(/"evidence_sha256":"./, '"evidence_sha256":"g')
        .replace('"g', '"0'),
    ),
  );
  write("altered", altered);
  const part = new Map(files);
  part.delete("packets.jsonl");
  write("part", part);
  const old = new Map(files);
  old.delete("checkpoints/item");
  write("old", old);
  const proof = (...args: string[]) => ["verify", "--question", QUESTION, "--trust", "trust.json", ...args];
  const cases: readonly (readonly [why: string, args: readonly string[], code: string | undefined, exit: number])[] = [
    ["a question that there is not", ["prove", "lane", "--question", "nobody-1", "-o", "x"], "E_UNKNOWN", 64],
    [
      "a tree that there is not",
      ["prove", "lane", "--question", QUESTION, "--tree", "files", "-o", "x"],
      "E_USAGE",
      64,
    ],
    ["no -o", ["prove", "lane", "--question", QUESTION], "E_USAGE", 64],
    ["an output that is there", ["prove", "lane", "--question", QUESTION, "-o", "item.tlog-proof"], "E_EXISTS", 64],
    ["records that do not give the root", ["prove", "altered", "--question", QUESTION, "-o", "x"], "E_TREE", 1],
    ["a record file missing", ["prove", "part", "--question", QUESTION, "-o", "x"], "E_FILE_MISSING", 1],
    ["no checkpoint", ["prove", "old", "--question", QUESTION, "-o", "x"], "E_FILE_MISSING", 1],
    [
      "an item proof of the reader's side",
      ["prove", "reader-side", "--question", QUESTION, "-o", "x"],
      "E_FILE_MISSING",
      1,
    ],
    ["neither lane nor proof", ["verify", "--trust", "trust.json"], "E_USAGE", 64],
    ["lane and proof", proof("lane", "--proof", "item.tlog-proof", ...MANIFEST), "E_USAGE", 64],
    ["a lane and a question", proof("lane"), "E_USAGE", 64],
    ["a lane and a manifest", ["verify", "lane", ...MANIFEST], "E_USAGE", 64],
    ["a proof without a manifest", proof("--proof", "item.tlog-proof"), "E_USAGE", 64],
    ["a proof without a question", ["verify", "--proof", "item.tlog-proof", ...MANIFEST], "E_USAGE", 64],
    ["a proof and a dataset", proof("--proof", "item.tlog-proof", ...MANIFEST, "--dataset", "x"), "E_USAGE", 64],
    ["a proof that is not there", proof("--proof", "none", ...MANIFEST), "E_MISSING", 64],
    [
      "an envelope that is not there",
      proof("--proof", "item.tlog-proof", ...MANIFEST, "--envelope", "none"),
      "E_MISSING",
      64,
    ],
    [
      "no envelope beside the manifest",
      proof("--proof", "item.tlog-proof", "--manifest", "manifest-alone/manifest.json"),
      undefined,
      1,
    ],
    [
      "an envelope elsewhere",
      proof(
        "--proof",
        "item.tlog-proof",
        "--manifest",
        "manifest-alone/manifest.json",
        "--envelope",
        "lane/manifest.dsse.json",
      ),
      undefined,
      0,
    ],
    ["a proof that is none", proof("--proof", "broken.tlog-proof", ...MANIFEST), undefined, 2],
    ["another answer", proof("--proof", "item.tlog-proof", ...MANIFEST, "--answer", "other.txt"), undefined, 1],
    [
      "an answer and a reader proof",
      proof("--proof", "reader.tlog-proof", ...MANIFEST, "--answer", "answer.txt"),
      undefined,
      6,
    ],
    [
      "another question",
      ["verify", "--question", "kitchen-01", "--trust", "trust.json", "--proof", "item.tlog-proof", ...MANIFEST],
      undefined,
      1,
    ],
  ];
  const ended = await sealaneBatch(
    cases.map(([, args]) => [...args, "--json"]),
    dir,
  );
  for (const [index, [why, , code, exit]] of cases.entries()) {
    t.equal(reasonOf(ended[index]!), code, why);
    t.equal(ended[index]!.code, exit, why);
  }
  t.notOk(existsSync(join(dir, "x")), "a refused proof leaves no file");
});
