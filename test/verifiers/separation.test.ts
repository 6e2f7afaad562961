// The real dataset must not raise a false alarm, and what is known of it without its file must be true.
import { readFileSync } from "node:fs";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { adapterOf, publishedRecords, readDataset } from "../../lib/dataset/index.js";
import { populationRecord, referenceRecord } from "../../lib/dataset/records.js";
import { RENDERER } from "../../lib/evidence/render.js";
import { extractive } from "../../lib/reader/extractive.js";
import { READERS, readerProtocol } from "../../lib/reader/index.js";
import { SYSTEM_INSTRUCTION } from "../../lib/reader/request.js";
import type { PreparationProtocol } from "../../schemas/index.js";
import { formIn, formOf, needleOf, readingsOf } from "../../verifiers/readings.js";
import { difference, strangeWording } from "../../verifiers/surface.js";
import { shared } from "../support/shared.js";

const LOCOMO = shared("data/locomo/locomo10.json");
const preparation = { renderer: RENDERER } as PreparationProtocol;

t.test("this release's own wording is not strange, and other wording is", async (t) => {
  for (const kind of READERS) {
    const protocol = readerProtocol(kind, { name: kind.defaultModel ?? "", digest: null }, { options: {} });
    t.equal(strangeWording(protocol, preparation).trim(), "", kind.id);
    const changes = {
      system: { ...protocol, system: `${SYSTEM_INSTRUCTION}\nHint: green` },
      user: { ...protocol, user: ["Hint: green", ...protocol.user] },
      date: { ...protocol, question_date_missing: "Hint: green" },
      option: { ...protocol, options: { ...protocol.options, "Hint: green": 1 } },
      model: { ...protocol, model: { ...protocol.model, name: "Hint: green" } },
      think: { ...protocol, think: "Hint: green" },
      keep: { ...protocol, keep_alive: "Hint: green" },
    };
    for (const [name, changed] of Object.entries(changes)) {
      t.equal(strangeWording(changed, preparation).trim(), "Hint: green", name);
    }
  }
  const protocol = readerProtocol(extractive, { name: "extractive-1", digest: null }, { options: {} });
  for (const name of ["session_header", "turn_line", "caption_line"] as const) {
    const renderer = { ...RENDERER, [name]: ["Hint: green", ...RENDERER[name]] };
    t.equal(strangeWording(protocol, { ...preparation, renderer }).trim(), "Hint: green", name);
  }
});

t.test("where two texts part", async (t) => {
  const parts = (one: string, other: string): string[] => {
    const { mine, others } = difference(Buffer.from(one), Buffer.from(other));
    return [mine.toString(), others.toString()];
  };
  t.strictSame(parts("abXcd", "abcd"), ["X", ""]);
  t.strictSame(parts("abcd", "abcd"), ["", ""]);
  t.strictSame(parts("aaa", "aa"), ["a", ""]);
  t.strictSame(parts("xby", "xcy"), ["b", "c"]);
  t.strictSame(parts("", "q"), ["", "q"]);
});

t.test("LoCoMo: no question is taken for one that hides its answer", { skip: LOCOMO.skip }, async (t) => {
  const dataset = readDataset(adapterOf("locomo"), readFileSync(LOCOMO.path), "locomo10.json", false);
  const forms = new Map<string, number>();
  let short = 0;
  for (const [index, { question }] of dataset.asked.entries()) {
    const needle = needleOf(dataset.references[index]!.reference);
    if (!needle) short += 1;
    const form = needle && formIn(needle, question);
    if (form) forms.set(form, (forms.get(form) ?? 0) + 1);
  }
  // Counted by hand: questions of the form "a beach or the mountains?".
  t.strictSame([...forms], [["plain", 9]]);
  t.equal(short, 87);
});

t.test(
  "LoCoMo: the wording that every request holds gives no phrase of an answer away",
  { skip: LOCOMO.skip },
  async (t) => {
    const dataset = readDataset(adapterOf("locomo"), readFileSync(LOCOMO.path), "locomo10.json", false);
    const readings = readingsOf(SYSTEM_INSTRUCTION);
    const hits = dataset.references.flatMap(({ reference }) => {
      const needle = needleOf(reference);
      const form = needle && formOf(needle, readings);
      return form ? [`${reference}: ${form}`] : [];
    });
    t.strictSame(hits, []);
  },
);

t.test("LoCoMo: what its lanes hold is known without the file", { skip: LOCOMO.skip }, async (t) => {
  const { identity, asked, references } = readDataset(adapterOf("locomo"), readFileSync(LOCOMO.path), "x", false);
  const digest = (records: readonly object[]): string =>
    sha256Hex(records.map((record) => `${canonicalJson(record)}\n`).join(""));
  t.strictSame(publishedRecords(identity), {
    questions: asked.length,
    populationSha256: digest(asked.map((question, ordinal) => populationRecord(question, ordinal))),
    referencesSha256: digest(references.map(referenceRecord)),
  });
  t.equal(publishedRecords({ ...identity, sha256: "0".repeat(64) }), undefined);
  t.equal(publishedRecords({ ...identity, adapter: "own" }), undefined);
});
