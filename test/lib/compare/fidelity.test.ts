import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { firstDifference } from "../../../lib/compare/bytes-apart.js";
import { fidelityOf } from "../../../lib/compare/fidelity.js";
import { offeredPackets } from "../../../lib/compare/offered.js";
import { adapterOf, readDataset } from "../../../lib/dataset/index.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { type Fidelity, isDocument } from "../../../schemas/index.js";
import { goodLane, HARBOUR } from "../../support/lane.js";

t.setTimeout(120_000);

const dataset = readDataset(adapterOf("own"), readFileSync(HARBOUR), "harbour.json", false);
const packetsOf = (arm: string) => [
  ...preparePackets(dataset, preparationProtocol(dataset, { arm, tokenizer: "o200k_base", ceilingTokens: 300 })),
];
const OWN = packetsOf("bm25");
const DENSE = packetsOf("dense");
const files = await goodLane();

const opened = (text: string | Buffer) => new MemorySource(new Map([["theirs", Buffer.from(text)]])).open("theirs");
const textOf = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

function compared(records: readonly object[] | string | Buffer, withDataset = false): Fidelity {
  const text = typeof records === "string" || Buffer.isBuffer(records) ? records : textOf(records);
  const offered = offeredPackets(opened(text), "theirs");
  const found = fidelityOf(new MemorySource(files), offered, withDataset ? dataset : undefined);
  if (!isDocument("fidelity", found)) throw new Error("it is no document of its schema");
  return found;
}

t.test("the same packets, in every form that they may have and in any order", async (t) => {
  const forms: ((packet: (typeof OWN)[number]) => object)[] = [
    ({ record }) => record,
    ({ record: { question_id, evidence_sha256 } }) => ({ evidence_sha256, question_id }),
    ({ record: { question_id }, evidence }) => ({ question_id, evidence, of: "another implementation" }),
    ({ record, evidence }) => ({ ...record, evidence }),
  ];
  const all = { exit_code: 0, questions: 36, packets: 36, equal: 36, missing_total: 0, extra_total: 0, different: [] };
  for (const form of forms) {
    t.match(compared(OWN.map(form)), all);
    t.match(compared(OWN.map(form).reverse(), true), all);
  }
  t.match(compared(files.get("packets.jsonl")!), all, "the lane's own file");
  const text = textOf(OWN.map(({ record }) => record));
  t.match(compared(text.trimEnd()), all, "the last line not ended");
  t.match(compared(`\r\n${text.replaceAll("\n", "\r\n\n")} `), all, "empty lines, and ends of lines of others");
  const recounted = OWN.map(({ record }, index) => ({ ...record, tokens: record.tokens + (index < 3 ? 1 : 0) }));
  t.match(compared(recounted), { ...all, tokens_differ: 3 });
});

t.test("missing, extra and different questions are told apart, and no difference is lost", async (t) => {
  const records = OWN.map(({ record }) => record);
  t.match(compared([]), { exit_code: 7, packets: 0, equal: 0, missing_total: 36 });
  t.equal(compared([]).missing.length, 20);
  t.match(compared(records.slice(1)), {
    exit_code: 7,
    equal: 35,
    missing: [records[0]!.question_id],
    different_total: 0,
  });
  const extra = compared([...records, { ...records[0]!, question_id: "else-1" }]);
  t.match(extra, { exit_code: 7, equal: 36, extra_total: 1, extra: ["else-1"], missing_total: 0 });
  const other = compared(DENSE.map(({ record }) => record));
  const apart = DENSE.filter(({ record }, index) => record.evidence_sha256 !== records[index]!.evidence_sha256);
  t.match(other, { exit_code: 7, equal: 36 - apart.length, different_total: apart.length, missing_total: 0 });
  t.ok(apart.length > 20);
  t.strictSame(
    other.different.map(({ question_id }) => question_id),
    apart.slice(0, 20).map(({ record }) => record.question_id),
  );
});

t.test("spans: where two lists part, and what stands in one alone", async (t) => {
  const index = OWN.findIndex(({ record }) => record.spans.length >= 4);
  const { record } = OWN[index]!;
  const { spans } = record;
  const withSpans = (theirs: typeof spans) =>
    compared(
      OWN.map((own, at) => (at === index ? { ...record, evidence_sha256: "0".repeat(64), spans: theirs } : own.record)),
    ).different[0]!.spans;
  const n = spans.length;
  t.strictSame(withSpans(spans.slice(0, -1)), {
    here: n,
    there: n - 1,
    first: { at: n, here: spans[n - 1], there: null },
    only_here: [spans[n - 1]],
    only_here_total: 1,
    only_there: [],
    only_there_total: 0,
  });
  const swapped = withSpans([spans[1]!, spans[0]!, ...spans.slice(2)]);
  t.match(swapped, { first: { at: 1, here: spans[0], there: spans[1] }, only_here_total: 0, only_there_total: 0 });
  t.match(withSpans([[9, 9, 0, 1], ...spans]), { first: { at: 1 }, only_here_total: 0, only_there: [[9, 9, 0, 1]] });
  t.equal(withSpans(spans)!.first, null, "the same spans, another text");
  t.equal(withSpans(Array.from({ length: 30 }, (_, turn) => [8, turn + 1, 0, 1]))!.only_there.length, 20);
});

t.test("texts: the first byte, by the request bodies or by the dataset", async (t) => {
  const { record, evidence } = OWN[4]!;
  const { question_id } = record;
  const at = Buffer.byteLength(evidence) - 5;
  const changed = `${Buffer.from(evidence).subarray(0, at).toString()}~${Buffer.from(evidence)
    .subarray(at + 1)
    .toString()}`;
  const [here] = compared([{ question_id, evidence: changed }]).different;
  t.match(here, {
    spans: null,
    tokens: { here: record.tokens, there: null },
    evidence: { at_byte: at, from: "bodies" },
  });
  t.ok(here!.evidence!.there.startsWith("~"));
  t.equal(here!.evidence!.here, Buffer.from(evidence).subarray(at).toString());
  t.ok(evidence.includes(here!.evidence!.before + here!.evidence!.here));
  const [rendered] = compared([{ question_id, evidence: changed }], true).different;
  t.match(rendered, { evidence: { ...here!.evidence, from: "dataset" } });
  // Spans alone are rendered from the dataset, when that gives the digest beside them.
  const dense = DENSE[4]!;
  t.not(dense.record.evidence_sha256, record.evidence_sha256);
  t.equal(compared([dense.record]).different[0]!.evidence, null);
  const apart = compared([dense.record], true).different[0]!.evidence!;
  t.equal(apart.at_byte, firstDifference(Buffer.from(evidence), Buffer.from(dense.evidence)).at_byte);
  const elsewhere = { ...dense.record, evidence_sha256: sha256Hex("rendered in another way") };
  t.equal(compared([elsewhere], true).different[0]!.evidence, null);
  const nowhere = { ...dense.record, spans: [[99, 1, 0, 1]] };
  t.equal(compared([nowhere], true).different[0]!.evidence, null);
});

t.test("what is no list of packets is refused", async (t) => {
  const { record, evidence } = OWN[0]!;
  const { question_id } = record;
  const refusals: [string, string][] = [
    ["{", "E_JSON"],
    ["[]\n", "E_SCHEMA"],
    [textOf([{ evidence_sha256: record.evidence_sha256 }]), "E_SCHEMA"],
    [textOf([{ question_id }]), "E_SCHEMA"],
    [textOf([record, record]), "E_SCHEMA"],
    [textOf([{ ...record, evidence: `${evidence} ` }]), "E_SCHEMA"],
    [textOf([{ ...record, spans: [[0, 1, 0, 1]] }]), "E_INT"],
    [textOf([{ ...record, tokens: -1 }]), "E_INT"],
    [textOf([{ ...record, evidence_sha256: "A".repeat(64) }]), "E_DIGEST_FORMAT"],
    ['{"question_id":"a","question_id":"b"}\n', "E_JSON"],
  ];
  for (const [text, code] of refusals) t.throws(() => compared(text), { code, exitCode: 2 }, text.slice(0, 80));
});

t.test("two texts part where their bytes do, and what is shown is whole characters", async (t) => {
  t.strictSame(firstDifference(Buffer.from("a\u00e9b"), Buffer.from("a\u00e8b")), {
    at_byte: 2,
    before: "a",
    here: "\u00e9b",
    there: "\u00e8b",
  });
  t.match(firstDifference(Buffer.from("ab"), Buffer.from("abc")), { at_byte: 2, before: "ab", here: "", there: "c" });
  const text = fc.string({
    unit: fc.constantFrom("a", "\u00e9", "\u00e8", "\u20ac", "\u{1f6f6}", "\u{1f6f5}"),
    maxLength: 200,
  });
  fc.assert(
    fc.property(text, text, text, (common, one, other) => {
      const [here, there] = [Buffer.from(common + one), Buffer.from(common + other)];
      const found = firstDifference(here, there);
      const shown = found.before + found.here + found.there;
      return (
        here.subarray(0, found.at_byte).equals(there.subarray(0, found.at_byte)) &&
        (here[found.at_byte] !== there[found.at_byte] || here.equals(there)) &&
        !shown.includes("\ufffd") &&
        (common + one).includes(found.before + found.here) &&
        (common + other).includes(found.before + found.there)
      );
    }),
    { seed: 6, numRuns: 500 },
  );
});
