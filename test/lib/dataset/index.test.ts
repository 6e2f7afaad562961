import t from "tap";
import { historiesOf } from "../../../lib/dataset/histories.js";
import { ADAPTERS, adapterOf, readDataset } from "../../../lib/dataset/index.js";
import { wholeFile } from "../../../lib/dataset/one-file.js";
import { populationRecord, referenceRecord } from "../../../lib/dataset/records.js";
import type { AskedQuestion, DatasetAdapter, ParsedDataset, Reference } from "../../../lib/dataset/types.js";
import { isDocument } from "../../../schemas/index.js";

t.test("the adapters", async (t) => {
  t.strictSame(
    ADAPTERS.map(({ id }) => id),
    ["beam", "locomo", "longmemeval", "own"],
  );
  for (const adapter of ADAPTERS) {
    t.match(adapter.id, /^[a-z0-9][a-z0-9_-]{0,63}$/);
    t.equal(adapterOf(adapter.id), adapter);
    for (const { sha256, bytes } of adapter.published) {
      t.match(sha256, /^[0-9a-f]{64}$/);
      t.ok(bytes === undefined || Number.isSafeInteger(bytes));
    }
  }
  for (const id of ["", "LoCoMo", "__proto__", "locomo "]) {
    t.throws(() => adapterOf(id), { code: "E_UNKNOWN", expected: "beam | locomo | longmemeval | own", found: id });
  }
});

const asked: AskedQuestion = {
  questionId: "h/0",
  historyId: "h",
  category: "temporal",
  question: " when?\n",
  questionDate: null,
  flags: ["b", "a"],
};
const reference: Reference = {
  questionId: "h/0",
  reference: 2022,
  evidence: [[1, 2]],
  evidenceUnresolved: [],
};

t.test("records of questions and references", async (t) => {
  const record = populationRecord(asked, 7);
  t.strictSame(record, {
    question_id: "h/0",
    ordinal: 7,
    history_id: "h",
    category: "temporal",
    question: " when?\n",
    flags: ["b", "a"],
  });
  t.notOk("question_date" in record, "no date is no field, not an empty one");
  t.equal(populationRecord({ ...asked, questionDate: "" }, 0).question_date, "");
  t.ok(isDocument("population-record", record));
  t.strictSame(referenceRecord(reference), { question_id: "h/0", reference: 2022, evidence: [[1, 2]] });
  t.strictSame(referenceRecord({ ...reference, reference: null, evidenceUnresolved: ["D:1"] }), {
    question_id: "h/0",
    reference: null,
    evidence: [[1, 2]],
    evidence_unresolved: ["D:1"],
  });
  t.ok(isDocument("reference-record", referenceRecord({ ...reference, evidenceUnresolved: ["D:1"] })));
});

function adapterWith(more: Partial<ParsedDataset>): DatasetAdapter {
  const parsed: ParsedDataset = {
    name: "made up",
    licence: "none",
    histories: historiesOf([{ historyId: "h", sessions: [] }]),
    asked: [asked],
    references: [reference],
    questionsTotal: 1,
    excluded: [],
    ...more,
  };
  return { id: "made-up", title: "", published: [], ...wholeFile(() => parsed) };
}

t.test("what an adapter may hand over", async (t) => {
  const bytes = Buffer.from("bytes");
  const read = (more: Partial<ParsedDataset>) => readDataset(adapterWith(more), bytes, "file", false);
  t.equal(read({}).identity.pinned, false);
  const excluded = [{ reason: "r", category: "c", count: 2 }];
  t.equal(read({ questionsTotal: 3, excluded }).asked.length, 1);
  t.throws(() => read({ questionsTotal: 2 }), Error, "a question that is neither asked nor left out for a reason");
  t.throws(() => read({ questionsTotal: 2, excluded }), Error);
  for (const wrong of [{ historyId: "h 1" }, { questionId: "" }, { category: "Temporal" }, { flags: ["A"] }]) {
    t.throws(() => read({ asked: [{ ...asked, ...wrong }] }), { code: "E_SCHEMA" }, JSON.stringify(wrong));
  }
});
