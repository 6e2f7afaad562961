import t from "tap";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { measureLengths } from "../../../lib/lane/lengths.js";
import { measuredBy } from "../../../lib/lane/measured-by.js";
import type { PopulationRecord, ReceiptRecord } from "../../../schemas/index.js";
import { editRecords, goodLane, type LaneFiles } from "../../support/lane.js";

const opened = (files: LaneFiles) => ({ source: new MemorySource(files), name: "lane", endpoints: ["token-f1"] });

t.test("calls are measured by their receipts, those that never came back left out", async (t) => {
  const files = await goodLane();
  editRecords<ReceiptRecord>(files, "receipts/reader.jsonl", (receipts) => {
    for (const [index, receipt] of receipts.entries()) {
      receipt.started = "2026-01-01T00:00:00.000Z";
      receipt.ended = `2026-01-01T00:00:0${index === 0 ? 9 : 1}.500Z`;
    }
    delete receipts[1]!.ended;
  });
  const { call_ms, evidence_tokens } = measureLengths(opened(files));
  t.equal(call_ms?.n, evidence_tokens!.n - 1);
  t.match(call_ms, { median: 1500, max: 9500 });
  t.strictSame(measureLengths(opened(new Map())), { evidence_tokens: null, call_ms: null });
});

t.test("a population is the same in any order, and another with another word", async (t) => {
  const files = await goodLane();
  const digest = (): string => measuredBy(opened(files)).population_sha256;
  const first = digest();
  editRecords<PopulationRecord>(files, "population.jsonl", (population) => population.reverse());
  t.equal(digest(), first);
  editRecords<PopulationRecord>(files, "population.jsonl", (population) => {
    population[0]!.question += "?";
  });
  t.not(digest(), first);
});
