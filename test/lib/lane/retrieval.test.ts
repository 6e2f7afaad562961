import { readFileSync } from "node:fs";
import t from "tap";
import { adapterOf, openDataset, readDataset } from "../../../lib/dataset/index.js";
import { openInput } from "../../../lib/io/input.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { measuredWith, measureRetrieval, RetrievalBuilder } from "../../../lib/lane/retrieval.js";
import type { PacketRecord, PreparationProtocol, ReferenceRecord } from "../../../schemas/index.js";
import { isDocument } from "../../../schemas/index.js";
import { editRecords, goodLane, HARBOUR, parsed, runOf, sealedFrom } from "../../support/lane.js";
import { shared } from "../../support/shared.js";

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
    {
      evidence: [
        [1, 1],
        [1, 2],
        [2, 1],
      ],
    },
  );
  builder.add(question("a"), packet([[2, 1, 0, 10]], 30), { evidence: [[2, 1]] });
  builder.add(question("a"), packet([], 0), { evidence: [[2, 1]] });
  builder.add(question("a"), packet([[2, 1, 0, 10]], 20), { evidence: [] });
  const [a, b, all] = builder.retrieval().rows;
  t.strictSame(b, {
    category: "b",
    questions: 1,
    labelled: 1,
    labelled_sessions: 1,
    turn: { any: 1, all: 0, fraction: 2 / 3 },
    session: { any: 1, all: 0, fraction: 1 / 2 },
    evidence_tokens: { mean: 10, median: 10, max: 10 },
    history_share: 0.5,
  });
  t.strictSame(a, {
    category: "a",
    questions: 3,
    labelled: 2,
    labelled_sessions: 2,
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
      labelled_sessions: 0,
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
  const given = measuredWith(preparation, dataset);
  t.equal(given.historyBytes.size, 3);
  const { rows } = measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] }, given);
  t.ok(rows.every((row) => row.history_share! > 0 && row.history_share! < 1));
  const other = { ...dataset, identity: { ...dataset.identity, sha256: "0".repeat(64) } };
  t.throws(() => measuredWith(preparation, other), { code: "E_DATASET" });
});

t.test("a dataset that labels sessions is taken at its word, whatever turns it labels", async (t) => {
  const measured = (support: Parameters<RetrievalBuilder["add"]>[2], sessions: readonly number[]) => {
    const builder = new RetrievalBuilder();
    const spans = sessions.map((session): [number, number, number, number] => [session, 1, 0, 4]);
    builder.add(question("a"), packet(spans), support);
    const { labelled, labelled_sessions, turn, session } = builder.retrieval().rows.at(-1)!;
    return [labelled, labelled_sessions, turn.fraction, session.any, session.all, session.fraction];
  };
  const named = { evidence: [[2, 1]] as [number, number][], evidence_sessions: [1, 2, 3] };
  t.strictSame(measured(named, [2]), [1, 1, 1, 1, 0, 1 / 3], "its turn is there, two of three sessions are not");
  t.strictSame(measured(named, [1, 3]), [1, 1, 0, 1, 0, 2 / 3]);
  t.strictSame(measured(named, [1, 2, 3, 4]), [1, 1, 1, 1, 1, 1]);
  t.strictSame(measured({ evidence: [], evidence_sessions: [4] }, [4]), [0, 1, null, 1, 1, 1], "sessions alone");
  t.strictSame(measured({ evidence: [], evidence_sessions: [4] }, [5]), [0, 1, null, 0, 0, 0]);
  t.strictSame(measured({ ...named, evidence_sessions: [] }, [2]), [1, 1, 1, 1, 1, 1], "none is named: its turns' own");
  t.strictSame(measured({ evidence: [] }, [2]), [0, 0, null, null, null, null]);
});

const ORACLE = shared("data/longmemeval/longmemeval_oracle_2_full_questions_rebuilt.json");

t.test("LongMemEval's own labels, on real questions", { skip: ORACLE.skip }, async (t) => {
  const dataset = openDataset(adapterOf("longmemeval"), openInput(ORACLE.path), true);
  const files = await sealedFrom((folder) => runOf(dataset, folder, 300), "oracle");
  const { rows } = measureRetrieval({ source: new MemorySource(files), name: "lane", endpoints: [] });
  // Counted from the published form: ids of sessions, and flags of turns.
  interface Raw {
    question_id: string;
    question_type: string;
    haystack_session_ids: string[];
    haystack_sessions: { has_answer?: boolean }[][];
    answer_session_ids: string[];
  }
  const raw = JSON.parse(readFileSync(ORACLE.path, "utf8")) as Raw[];
  const packets = files.get("packets.jsonl")!.toString().trimEnd().split("\n");
  for (const [index, item] of raw.entries()) {
    const { spans } = JSON.parse(packets[index]!) as PacketRecord;
    const quoted = new Set(spans.map(([session]) => item.haystack_session_ids[session - 1]!));
    const found = item.answer_session_ids.filter((id) => quoted.has(id)).length;
    const row = rows.find(({ category }) => category === item.question_type)!;
    const sessions = item.answer_session_ids.length;
    const [any, all] = [found > 0 ? 1 : 0, found === sessions ? 1 : 0];
    t.strictSame(row.session, { any, all, fraction: found / sessions }, item.question_id);
    const turns = item.haystack_sessions.flatMap((talk, session) =>
      talk.flatMap((turn, at) => (turn.has_answer ? [`${session + 1}.${at + 1}`] : [])),
    );
    const held = turns.filter((name) => spans.some(([session, turn]) => `${session}.${turn}` === name)).length;
    t.equal(row.turn.fraction, held / turns.length);
  }
  const [, onlyByName] = dataset.references;
  t.strictSame(
    [onlyByName!.evidenceSessions, onlyByName!.evidence.map(([session]) => session)],
    [
      [1, 2, 3],
      [2, 3],
    ],
    "a session that is labelled and has no labelled turn: what this measure is for",
  );
});
