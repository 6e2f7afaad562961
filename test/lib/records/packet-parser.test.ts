// Packets that share their spans are read to what each would be read to alone, and refused for the same reason.
import fc from "fast-check";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { SealaneError } from "../../../lib/finding.js";
import { type LineParser, recordParser } from "../../../lib/records/documents.js";
import { packetParser } from "../../../lib/records/packet-parser.js";
import type { PacketRecord } from "../../../schemas/index.js";

const record = (id: string, spans: unknown): string =>
  canonicalJson({
    candidates: 1,
    evidence_bytes: 10,
    evidence_sha256: "0".repeat(64),
    question_id: id,
    skipped: 0,
    spans,
    tokens: 3,
  });

const spansFrom = (first: number, count = 200): number[][] =>
  Array.from({ length: count }, (_, index) => [first, index + 1, 0, 10]);

/** The record, or why there is none. */
function outcome(parse: LineParser<PacketRecord>, line: string): unknown {
  try {
    return canonicalJson(parse(Buffer.from(line), "packets.jsonl:1"));
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    return { code: error.code, message: error.message };
  }
}

t.test("packets with the same spans share them", async (t) => {
  const parse = packetParser();
  const [one, two, other] = [spansFrom(1), spansFrom(1), spansFrom(2)].map((spans, index) =>
    parse(Buffer.from(record(`q${index}`, spans)), "at"),
  );
  t.equal(one?.spans, two?.spans);
  t.equal(two?.question_id, "q1");
  t.not(other?.spans, two?.spans);
  t.strictSame(other?.spans, spansFrom(2));
});

t.test("any lines, one after another, are what each is alone", async (t) => {
  const good = fc
    .tuple(fc.constantFrom("q1", "q2"), fc.constantFrom(spansFrom(1), spansFrom(2), spansFrom(1, 201), [], "no list"))
    .map(([id, spans]) => record(id, spans));
  const edits: readonly ((line: string) => string)[] = [
    (line) => line,
    (line) => line.replace('"tokens":3', '"tokens":"3"'),
    (line) => line.replace('"tokens":3', '"tokens":3.0'),
    (line) => line.replace('"skipped":0', '"skipped": 0'),
    (line) => line.replace(',"tokens":3}', `,"spans":${JSON.stringify(spansFrom(1))},"tokens":3}`),
    (line) => line.replace('"skipped":0', `"skipped":0,"spans":[]`),
    (line) => line.replace('"skipped":0', `"skipped":{"a":0,"spans":${JSON.stringify(spansFrom(1))}}`),
    (line) => line.replace(/"spans":\[.*\],/s, (spans) => `"spans":[${spans.slice(8, -1)}],`),
    (line) => line.replace('"question_id":"q1"', '"question_id":"q1,\\"spans\\":[["'),
    (line) => line.replace("]]", "],[0]]"),
    (line) => line.replace("]],", "]"),
    (line) => line.slice(0, -1),
    (line) => `${line} `,
  ];
  const seen = { read: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(fc.tuple(good, fc.constantFrom(...edits)), { minLength: 1, maxLength: 8 }), (drawn) => {
      const parse = packetParser();
      return drawn.every(([line, edit]) => {
        const expected = outcome(recordParser("packet-record"), edit(line));
        seen[typeof expected === "string" ? "read" : "refused"] += 1;
        return canonicalJson(outcome(parse, edit(line))) === canonicalJson(expected);
      });
    }),
    { seed: 12, numRuns: 1500 },
  );
  t.ok(seen.read > 500 && seen.refused > 500, "both ways", { seen });
});
