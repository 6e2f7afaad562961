// Lanes of every adapter, held against the user's own copy; and a lane whose tokenizer is a file.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { adapterOf, openDataset } from "../../lib/dataset/index.js";
import { tokenizerFromJson } from "../../lib/evidence/tokenizer-json.js";
import { tokenizerOf } from "../../lib/evidence/tokens.js";
import { openInput } from "../../lib/io/input.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { PacketRecord, PreparationProtocol, ReferenceRecord, Report, TurnRecord } from "../../schemas/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  editRecords,
  HARBOUR,
  type LaneFiles,
  reseal,
  runOf,
  sealedFrom,
  verifyFiles,
} from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

const DATASETS = {
  longmemeval: repositoryFile("fixtures/datasets/lanterns-longmemeval.json"),
  beam: repositoryFile("fixtures/datasets/orchard-beam"),
  own: HARBOUR,
};
const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(work, { recursive: true }));

const outcomeOf = (report: Report, id: string): string => report.checks.find((check) => check.id === id)!.outcome;

for (const [id, path] of Object.entries(DATASETS)) {
  t.test(`a lane of ${id}, with the dataset`, async (t) => {
    const adapter = adapterOf(id);
    const made = await sealedFrom((folder) => runOf(openDataset(adapter, openInput(path), true), folder, 120), "small");
    const copy = (): LaneFiles => new Map([...made].map(([name, bytes]) => [name, Buffer.from(bytes)]));
    const codes = (files: LaneFiles): string[] => codesOf(verifyFiles(files, authorTrust(), openInput(path)));
    const report = verifyFiles(copy(), authorTrust(), openInput(path));
    t.strictSame(codesOf(report), []);
    t.equal(report.exit_code, 0);
    for (const check of ["dataset", "packets", "references", "population"]) t.equal(outcomeOf(report, check), "passed");

    const turns = copy();
    editRecords<TurnRecord>(turns, "turns.jsonl", (records) => {
      records.at(-1)!.turn_sha256 = sha256Hex("another turn");
    });
    reseal(turns);
    t.strictSame(codes(turns), ["E_SPAN"], "a turn that is not the dataset's");
    t.strictSame(codesOf(verifyFiles(turns)), [], "which only the dataset tells");

    const references = copy();
    editRecords<ReferenceRecord>(references, "evaluator/references.jsonl", (records) => {
      records[1]!.evidence = [[1, 1], ...records[1]!.evidence, [9, 9]];
    });
    reseal(references);
    t.ok(codes(references).includes("E_REFERENCE"), "labels that are not the dataset's");

    for (const name of ["histories", "sessions", "turns"] as const) {
      const counted = copy();
      editDocument<PreparationProtocol>(counted, "protocols/preparation.json", (protocol) => {
        protocol.population[name] += 1;
      });
      reseal(counted);
      t.strictSame(codes(counted), ["E_POPULATION"], `another number of ${name}`);
    }

    // Another copy is told apart by its digest alone, also when it cannot be read.
    const other = join(work, id);
    cpSync(path, other, { recursive: true });
    writeFileSync(id === "beam" ? join(other, "100K/2/chat.json") : other, "[");
    t.strictSame(codesOf(verifyFiles(copy(), authorTrust(), openInput(other))), ["E_DATASET"]);
  });
}

t.test("turns of a history that no question is asked over", async (t) => {
  const made = await sealedFrom(
    (folder) => runOf(openDataset(adapterOf("beam"), openInput(DATASETS.beam), true), folder, 120),
    "small",
  );
  editRecords<TurnRecord>(made, "turns.jsonl", (records) => [
    ...records,
    { history_id: "500K/1", session: 1, turn: 1, bytes: 4, turn_sha256: sha256Hex("made up") },
  ]);
  reseal(made);
  const { checks } = verifyFiles(made, authorTrust(), openInput(DATASETS.beam));
  const packets = checks.find((check) => check.id === "packets")!;
  t.equal(packets.outcome === "failed" && packets.findings_total, 2, "not the dataset's, and quoted by nothing");
});

t.test("a lane whose tokenizer is a file", async (t) => {
  const bytes = readFileSync(repositoryFile("fixtures/tokenizers/tiny.json"));
  const tiny = tokenizerFromJson(bytes, "tiny.json");
  const other = tokenizerFromJson(Buffer.concat([bytes, Buffer.from("\n")]), "other.json");
  const harbour = openDataset(adapterOf("own"), openInput(HARBOUR), true);
  const made = await sealedFrom((folder) => runOf(harbour, folder, 700, { tokenizer: tiny }), "tiny");
  const verify = (files: LaneFiles, tokenizer?: typeof tiny): Report =>
    verifyLane(gatherLane(new MemorySource(files), undefined, tokenizer), { trust: authorTrust() });

  const given = verify(made, tiny);
  t.strictSame([given.exit_code, outcomeOf(given, "tokens")], [0, "passed"]);
  const without = verify(made);
  t.strictSame([without.exit_code, outcomeOf(without, "tokens")], [0, "not-run"], "the verdict stands, and says so");
  t.equal(without.verdict.limits.length, given.verdict.limits.length + 1);
  for (const wrong of [other, tokenizerOf("o200k_base")]) {
    const report = verify(made, wrong);
    t.strictSame([report.exit_code, outcomeOf(report, "tokens")], [6, "not-run"], "what was asked for was not done");
  }
  editRecords<PacketRecord>(made, "packets.jsonl", (records) => {
    // Two counts changed places, so that no total gives them away.
    const place = records.findIndex(({ tokens }) => tokens !== records[0]!.tokens);
    [records[0]!.tokens, records[place]!.tokens] = [records[place]!.tokens, records[0]!.tokens];
  });
  reseal(made);
  t.strictSame(codesOf(verify(made, tiny)), ["E_BUDGET"]);
  t.strictSame(codesOf(verify(made)), []);

  const o200k = await sealedFrom((folder) => runOf(harbour, folder, 300), "o200k");
  t.equal(verify(o200k, tiny).exit_code, 6, "a tokenizer that is not the lane's");
  t.equal(verify(o200k, tokenizerOf("o200k_base")).exit_code, 0);
});
