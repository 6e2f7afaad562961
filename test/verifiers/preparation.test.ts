// A lane's packets made again by its own arm: those of every arm are the same, and whatever is changed in one is seen.
import { readFileSync } from "node:fs";
import t from "tap";
import { canonicalJson } from "../../lib/bytes/json.js";
import { adapterOf, openDataset } from "../../lib/dataset/index.js";
import type { EmbeddingIdentity, VectorSource } from "../../lib/embedding/types.js";
import { ARMS } from "../../lib/evidence/arms/index.js";
import { preparationProtocol, preparePackets } from "../../lib/evidence/prepare.js";
import { PacketReplay } from "../../lib/evidence/replay.js";
import { tokenizerFromJson } from "../../lib/evidence/tokenizer-json.js";
import { tokenizerOf } from "../../lib/evidence/tokens.js";
import { SealaneError } from "../../lib/finding.js";
import { openInput } from "../../lib/io/input.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { CheckReport, PacketRecord, PreparationProtocol, Report } from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { withNumbers } from "../../verifiers/numbers.js";
import { checksOf } from "../../verifiers/only.js";
import { verifyLane } from "../../verifiers/verify.js";
import { verifyOnTwoThreads } from "../../verifiers/verify-on-two-threads.js";
import { vectorFor } from "../support/embedding-server.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  editRecords,
  goodLane,
  HARBOUR,
  harbourBytes,
  type LaneFiles,
  parsed,
  reseal,
  runOf,
  sealedFrom,
  verifyFiles,
} from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(300_000);

const PACKETS = "packets.jsonl";
const PROTOCOL = "protocols/preparation.json";
const harbour = () => openDataset(adapterOf("own"), openInput(HARBOUR), true);

const checkIn = (report: Report): CheckReport => report.checks.find(({ id }) => id === "preparation")!;

/** What this check alone says of a lane that its signer sealed as it stands. */
function judged(files: LaneFiles, given: { vectors?: VectorSource; tokenizer?: "o200k_base" } = {}): CheckReport {
  reseal(files);
  const tokenizer = given.tokenizer && tokenizerOf(given.tokenizer);
  const evidence = gatherLane(new MemorySource(files), harbourBytes(), tokenizer, given.vectors);
  return checkIn(verifyLane(evidence, { trust: authorTrust() }, checksOf(["preparation"])));
}

const codes = (check: CheckReport): string[] =>
  check.outcome === "failed" ? check.findings.map(({ code }) => code) : [];

for (const { id } of ARMS) {
  const ceiling = id === "full-untrimmed" ? 8000 : 600;
  t.test(`a lane of ${id} passes beside its dataset, in one thread and in two`, async (t) => {
    const files = await goodLane(ceiling, id, true);
    const report = verifyFiles(files, authorTrust(), harbourBytes());
    t.strictSame([report.exit_code, codesOf(report)], [0, []]);
    t.match(checkIn(report), { outcome: "passed", examined: 36 });
    const evidence = gatherLane(new MemorySource(files), harbourBytes());
    const two = await verifyOnTwoThreads(evidence, { trust: authorTrust() }, CHECKS, undefined, { fromBytes: 0 });
    t.equal(canonicalJson(two), canonicalJson(report));
  });
}

t.test("whatever is changed in one packet is another packet", async (t) => {
  const edits: Readonly<Record<keyof PacketRecord, (packet: PacketRecord) => unknown>> = {
    question_id: (packet) => (packet.question_id = "choir-99"),
    evidence_sha256: (packet) => (packet.evidence_sha256 = "0".repeat(64)),
    evidence_bytes: (packet) => (packet.evidence_bytes += 1),
    tokens: (packet) => (packet.tokens += 1),
    candidates: (packet) => (packet.candidates -= 1),
    skipped: (packet) => (packet.skipped += 1),
    temperature: (packet) => (packet.temperature = packet.temperature === 0.6 ? 0.8 : 0.6),
    prefixes: (packet) => (packet.prefixes![1]!.spans -= 1),
    spans: (packet) => packet.spans.pop(),
  };
  for (const [field, edit] of Object.entries(edits)) {
    const files = await goodLane(600, "cl1", true);
    editRecords<PacketRecord>(files, PACKETS, (packets) => void edit(packets[7]!));
    const check = judged(files);
    t.strictSame(codes(check), ["E_PREPARATION"], field);
    const [finding] = check.outcome === "failed" ? check.findings : [];
    t.match(finding, { at: `${PACKETS}:8`, message: new RegExp(`\\b${field}$`) });
    t.not(finding?.expected, finding?.found);
  }
  const files = await goodLane(600, "cl1", true);
  editRecords<PacketRecord>(files, PACKETS, (packets) => void delete packets[7]!.temperature);
  t.strictSame(codes(judged(files)), ["E_PREPARATION"], "left out");
});

t.test("a question in doubt bounds its number, and a check that could not run takes no bounds away", async (t) => {
  const overall = (files: LaneFiles) => {
    reseal(files);
    const report = verifyFiles(files, authorTrust(), harbourBytes());
    const { numbers } = withNumbers(report, new MemorySource(files));
    return numbers!.find(({ category }) => category === null);
  };
  const other = await goodLane();
  editRecords<PacketRecord>(other, PACKETS, (packets) => {
    packets[7]!.candidates += 1;
  });
  t.match(overall(other), { doubtful: 1, low: Number, high: Number });
  const unmade = await goodLane();
  editDocument<PreparationProtocol>(unmade, PROTOCOL, (protocol) => {
    protocol.arm.parameters.k1 = 1.3;
  });
  editRecords<PacketRecord>(unmade, PACKETS, (packets) => {
    packets[7]!.tokens += 1;
  });
  t.match(overall(unmade), { doubtful: 1, low: Number, high: Number });
});

t.test("without the dataset, or beside another, it does not apply", async (t) => {
  const files = await goodLane();
  t.equal(checkIn(verifyFiles(files)).outcome, "not-applicable");
  const other = openInput(repositoryFile("package.json"));
  t.equal(checkIn(verifyFiles(files, authorTrust(), other)).outcome, "not-applicable");
});

t.test("by another protocol than this release's nothing is made, and the limits say so", async (t) => {
  const edits: readonly ((protocol: PreparationProtocol) => unknown)[] = [
    (protocol) => (protocol.arm.id = "bm26"),
    (protocol) => (protocol.arm.parameters.k1 = 1.3),
    (protocol) => (protocol.segmenter.id = "sentence-1"),
    (protocol) => (protocol.segmenter.bytes_max = 600),
    (protocol) => (protocol.renderer.id = "plain-1"),
    (protocol) => (protocol.renderer.date_missing = "no date"),
    (protocol) => (protocol.admission = "greedy-1"),
    (protocol) => (protocol.span_order = "history"),
    (protocol) => (protocol.protected = ["baseline"]),
    (protocol) => protocol.temperature!.thresholds.reverse(),
    (protocol) => (protocol.tokenizer.sha256 = "0".repeat(64)),
    (protocol) => (protocol.tokenizer.id = "cl100k_base"),
    (protocol) => (protocol.embedding = { ...IDENTITY, id: "lsa" }),
  ];
  for (const edit of edits) {
    const files = await goodLane(300, "bm25", true);
    editDocument<PreparationProtocol>(files, PROTOCOL, (protocol) => void edit(protocol));
    t.equal(judged(files).outcome, "not-run", String(edit));
    const evidence = gatherLane(new MemorySource(files), harbourBytes());
    const report = verifyLane(evidence, { trust: authorTrust() }, checksOf(["signatures", "preparation"]));
    t.equal(report.exit_code, 0, "the verdict stands");
    t.ok(report.verdict.limits.some((limit) => limit.startsWith("That packets are those")));
  }
});

t.test("a protocol under which its arm makes no packet has none", async (t) => {
  const files = await goodLane(8000, "full-untrimmed");
  editDocument<PreparationProtocol>(files, PROTOCOL, (protocol) => {
    protocol.ceiling_tokens = 50;
  });
  const check = judged(files);
  t.strictSame(new Set(codes(check)), new Set(["E_PREPARATION"]));
  t.equal(check.outcome === "failed" && check.findings_total, 36);
});

t.test("questions in another order than the dataset's are not made", async (t) => {
  const files = await goodLane();
  for (const path of ["population.jsonl", PACKETS]) {
    editRecords(files, path, (records) => [...records.slice(1), records[0]!]);
  }
  t.equal(judged(files).outcome, "not-run");
});

t.test("a history is prepared as often as by preparation, whatever is asked for", async (t) => {
  const dataset = harbour();
  const protocol = preparationProtocol(dataset, { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 300 });
  const read: string[] = [];
  const histories = {
    ...dataset.histories,
    get: (id: string) => {
      read.push(id);
      return dataset.histories.get(id);
    },
    [Symbol.iterator]: () => dataset.histories[Symbol.iterator](),
  };
  const replay = new PacketReplay({ ...dataset, histories }, protocol, null);
  const ids = dataset.asked.map(({ questionId }) => questionId);
  const made = ids.flatMap((id, index) => [replay.packet(id), replay.packet(ids[index >> 1]!)]);
  const packets = [...preparePackets(dataset, protocol)].map(({ record }) => record);
  t.strictSame(
    made.filter((_, index) => index % 2 === 0),
    packets,
  );
  t.strictSame(read, dataset.histories.ids);
  t.equal(replay.packet("nobody's"), undefined);
});

const IDENTITY: EmbeddingIdentity = {
  id: "ollama",
  model: "nomic-embed-text",
  digest: "0a".repeat(32),
  dimensions: 5,
  document_prefix: "",
  query_prefix: "",
  vectors_sha256: "1b".repeat(32),
  parameters: { truncate: false },
};

const VECTORS: VectorSource = {
  identity: IDENTITY,
  vector: (_kind, text) => Float32Array.from(vectorFor(text, IDENTITY.dimensions)),
};

t.test("vectors of a model are needed, and the very ones", async (t) => {
  const made = await sealedFrom((folder) => runOf(harbour(), folder, 300, { arm: "dense", vectors: VECTORS }));
  t.strictSame(parsed<PreparationProtocol>(made, PROTOCOL).embedding, IDENTITY);
  const copy = (): LaneFiles => new Map(made);
  t.equal(judged(copy(), { vectors: VECTORS }).outcome, "passed");
  t.equal(judged(copy()).outcome, "not-run");
  const other = { ...VECTORS, identity: { ...IDENTITY, vectors_sha256: "2c".repeat(32) } };
  t.equal(judged(copy(), { vectors: other }).outcome, "not-run");
  const lacking: VectorSource = {
    ...VECTORS,
    vector: (kind, text) => {
      if (kind === "query" && text.includes("a")) throw new SealaneError("E_VECTOR", "there is none");
      return VECTORS.vector(kind, text);
    },
  };
  const check = judged(copy(), { vectors: lacking });
  t.ok(check.outcome === "failed" && check.findings_total > 0 && check.examined === 36);
  const broken: VectorSource = {
    ...VECTORS,
    vector: () => {
      throw new SealaneError("E_RUN_CHANGED", "it was changed meanwhile");
    },
  };
  t.throws(() => judged(copy(), { vectors: broken }), { code: "E_RUN_CHANGED" }, "which is no fault of the lane's");
});

t.test("a tokenizer that is a file is needed, and the very one", async (t) => {
  const tiny = tokenizerFromJson(readFileSync(repositoryFile("fixtures/tokenizers/tiny.json")), "tiny.json");
  const made = await sealedFrom((folder) => runOf(harbour(), folder, 700, { tokenizer: tiny }), "tiny");
  const outcome = (tokenizer?: typeof tiny): string =>
    checkIn(verifyLane(gatherLane(new MemorySource(made), harbourBytes(), tokenizer), { trust: authorTrust() }))
      .outcome;
  t.strictSame([outcome(tiny), outcome(), outcome(tokenizerOf("o200k_base"))], ["passed", "not-run", "not-run"]);
});
