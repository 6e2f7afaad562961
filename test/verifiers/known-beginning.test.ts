// A line that begins as the one before it comes to what it would come to alone.
import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { extractive } from "../../lib/reader/extractive.js";
import { readerProtocol } from "../../lib/reader/index.js";
import { evidenceOf, type RequestQuestion, requestBody } from "../../lib/reader/request.js";
import { bodyParser } from "../../lib/records/documents.js";
import { BodyExaminer } from "../../verifiers/body.js";

const PROTOCOL = readerProtocol(extractive, { name: "m", digest: null }, { options: {} });

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom('"', "\\", "\n", 'say "é"\\n\n', "\u001f😀", ""),
);
const EVIDENCE = ['[Session 1 | May]\n(1.1) Ann: "hé"\\\n', '[Session 1 | May]\n(1.1) Ann: "hé"\\', "", "😀"];
const asked = fc.record({ question: text, questionDate: fc.constantFrom(null, "1 May", "2 May") });

/** What is done to a line or to what was asked, so that they no longer belong together. */
const FAULTS: readonly ((line: Buffer) => Buffer)[] = [
  (line) => line,
  (line) => line,
  (line) => line.subarray(0, -1),
  (line) => Buffer.from(line.toString("utf8").replace("QUESTION:", "QUESTIONS:")),
  (line) => Buffer.from(line.toString("utf8").replace("QUESTION", "Q\\u0055ESTION")),
  (line) => Buffer.concat([line.subarray(0, -30), Buffer.from([0xff]), line.subarray(-30)]),
  (line) => Buffer.from(line.toString("utf8").replace("keep_alive", "keep_alife")),
];

t.test("lines one after another", async (t) => {
  const row = fc.record({
    asked,
    evidence: fc.constantFrom(...EVIDENCE),
    fault: fc.constantFrom(...FAULTS),
    other: fc.boolean(),
  });
  const seen = { shared: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(row, { minLength: 2, maxLength: 6 }), (rows) => {
      const examiner = new BodyExaminer(PROTOCOL, undefined);
      let before: RequestQuestion | undefined;
      return rows.every(({ asked, evidence, fault, other }, index) => {
        const made = canonicalJson({ body: requestBody(PROTOCOL, asked, evidence), question_id: `q${index}` });
        const line = fault(Buffer.from(made));
        const question = other && before ? before : asked;
        before = asked;
        const out = { body: Buffer.alloc(line.length), evidence: Buffer.alloc(line.length) };
        const found = examiner.digestLine(question, line, out);
        if (!found) {
          seen.refused += 1;
          // Such a line is refused by the rule for all records, or is not in the one form that is scanned.
          return new BodyExaminer(PROTOCOL, undefined).digestLine(question, line, out) === undefined;
        }
        if (index > 0) seen.shared += 1;
        const { body } = bodyParser(line, "at");
        const expected = evidenceOf(PROTOCOL, question, body);
        return (
          found.question_id === `q${index}` &&
          found.body.equals(body) &&
          found.bodySha256 === sha256Hex(body) &&
          (expected ? found.evidence?.equals(expected) === true : found.evidence === undefined) &&
          found.evidenceSha256 === (expected && sha256Hex(expected))
        );
      });
    }),
    { seed: 11, numRuns: 1500 },
  );
  t.ok(seen.shared > 1000 && seen.refused > 300, "both ways", { seen });
});
