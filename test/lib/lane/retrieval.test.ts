import { readFileSync } from "node:fs";
import t from "tap";
import { adapterOf, readDataset } from "../../../lib/dataset/index.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { historyBytesOf, measureRetrieval, RetrievalBuilder } from "../../../lib/lane/retrieval.js";
import type { PacketRecord, PreparationProtocol, ReferenceRecord } from "../../../schemas/index.js";
import { isDocument } from "../../../schemas/index.js";
import { editRecords, goodLane, HARBOUR, parsed } from "../../support/lane.js";

const packet = (spans: PacketRecord["spans"], tokens = 10) => ({ spans, tokens });
const question = (category: string, history_id = "h") => ({ category, history_id });

t.test("any, all and part of the labelled turns and sessions", async (t) => {
  const builder = new RetrievalBuilder(new Map([["h", 40]]));
  // Two of three turns, in one of two sessions; one of them quoted in two pieces.
  builder.add(
    question("b"),
    packet([
      [1, 1, 0, 4],
      [1, 1, 6, 10],
      [1, 2, 0, 2],
      [9, 1, 0, 10],
    ]),
    [
      [1, 1],
      [1, 2],
      [2, 1],
    ],
  );
  builder.add(question("a"), packet([[2, 1, 0, 10]], 30), [[2, 1]]);
  builder.add(question("a"), packet([], 0), [[2, 1]]);
  builder.add(question("a"), packet([[2, 1, 0, 10]], 20), []);
  const [a, b, all] = builder.retrieval().rows;
  t.strictSame(b, {
    category: "b",
    questions: 1,
    labelled: 1,
    turn: { any: 1, all: 0, fraction: 2 / 3 },
    session: { any: 1, all: 0, fraction: 1 / 2 },
    evidence_tokens: { mean: 10, median: 10, max: 10 },
    history_share: 0.5,
  });
  t.strictSame(a, {
    category: "a",
    questions: 3,
    labelled: 2,
    turn: { any: 0.5, all: 0.5, fraction: 0.5 },
    session: { any: 0.5, all: 0.5, fraction: 0.5 },
    evidence_tokens: { mean: 50 / 3, median: 20, max: 30 },
    history_share: 20 / 40 / 3,
  });
  t.equal(all?.category, null);
  t.equal(all?.questions, 4);
  t.equal(all?.labelled, 3);
  t.equal(all?.turn.fraction, (2 / 3 + 1) / 3);
});

t.test("of nothing there is no mean", async (t) => {
  const { rows } = new RetrievalBuilder().retrieval();
  t.strictSame(rows, [
    {
      category: null,
      questions: 0,
      labelled: 0,
      turn: { any: null, all: null, fraction: null },
      session: { any: null, all: null, fraction: null },
      evidence_tokens: { mean: null, median: null, max: null },
      history_share: null,
    },
  ]);
});

t.test("a lane is measured from its packets and references alone", async (t) => {
  const files = await goodLane();
  const { rows } = measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] });
  t.ok(isDocument("retrieval", { schema: "sealane-retrieval/1", rows }));
  t.equal(rows.at(-1)!.labelled, 32, "4 of harbour's 36 questions have no support, because they have no answer");
  for (const path of [...files.keys()]) {
    if (!["population.jsonl", "packets.jsonl", "evaluator/references.jsonl"].includes(path)) files.delete(path);
  }
  t.strictSame(measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] }).rows, rows);
  // Whoever labels every quoted turn as support has a perfect recall.
  const packets = files.get("packets.jsonl")!.toString("utf8").trimEnd().split("\n");
  editRecords<ReferenceRecord>(files, "evaluator/references.jsonl", (references) => {
    for (const [index, reference] of references.entries()) {
      const { spans } = JSON.parse(packets[index]!) as PacketRecord;
      reference.evidence = spans.map(([session, turn]) => [session, turn]);
    }
  });
  const perfect = measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] }).rows.at(-1)!;
  t.strictSame(perfect.turn, { any: 1, all: 1, fraction: 1 });
  files.set("packets.jsonl", Buffer.from("{}\n"));
  t.throws(() => measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] }), {
    code: "E_SCHEMA",
  });
});

t.test("the share of the history needs the dataset that the packets were made from", async (t) => {
  const files = await goodLane();
  const preparation = parsed<PreparationProtocol>(files, "protocols/preparation.json");
  const dataset = readDataset(adapterOf("own"), readFileSync(HARBOUR), "harbour.json", false);
  const bytes = historyBytesOf(preparation, dataset);
  t.equal(bytes.size, 3);
  const { rows } = measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] }, bytes);
  t.ok(rows.every((row) => row.history_share! > 0 && row.history_share! < 1));
  const other = { ...dataset, identity: { ...dataset.identity, sha256: "0".repeat(64) } };
  t.throws(() => historyBytesOf(preparation, other), { code: "E_DATASET" });
});
