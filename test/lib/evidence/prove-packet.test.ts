import fc from "fast-check";
import t from "tap";
import { Coverage } from "../../../lib/evidence/admit.js";
import { provePacket, proveSegments, repeatedSpan } from "../../../lib/evidence/prove-packet.js";
import { segmentHistory } from "../../../lib/evidence/segment.js";
import { histories, historyOf, SEED, span } from "./histories.js";

const anySpan = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 }), fc.nat(20), fc.integer({ min: 1, max: 8 }))
  .map(([session, turn, start, length]) => span(session, turn, start, start + length));

t.test("a byte that stands twice is found, by other means than admission's", async (t) => {
  t.equal(repeatedSpan([]), undefined);
  t.equal(repeatedSpan([span(1, 1, 3, 5), span(1, 1, 0, 3), span(1, 2, 0, 9), span(2, 1, 0, 9)]), undefined);
  t.strictSame(repeatedSpan([span(1, 1, 3, 5), span(2, 1, 0, 3), span(1, 1, 0, 4)]), span(1, 1, 3, 5));
  t.strictSame(repeatedSpan([span(1, 1, 0, 9), span(1, 1, 0, 9)]), span(1, 1, 0, 9));
  let repeated = 0;
  fc.assert(
    fc.property(fc.array(anySpan, { maxLength: 6 }), (spans) => {
      const coverage = new Coverage();
      const apart = spans.every((next) => coverage.cover(next));
      if (!apart) repeated += 1;
      return (repeatedSpan(spans) === undefined) === apart;
    }),
    { seed: SEED, numRuns: 1000 },
  );
  t.ok(repeated > 200 && repeated < 900, `${repeated} of 1,000`);
});

t.test("segments are the slices they name", async (t) => {
  const history = historyOf("Zoë: 👍🏽 yes", "no");
  const segments = segmentHistory(history, 6);
  t.doesNotThrow(() => proveSegments(history, segments));
  const wrong = (change: object) => segments.map((one, index) => (index === 1 ? { ...one, ...change } : one));
  for (const change of [{ text: "Zoe" }, { start: 0 }, { end: 99 }, { turn: 2 }, { session: 2 }, { turn: 9 }]) {
    t.throws(() => proveSegments(history, wrong(change)), { code: "E_SPAN", at: "h" }, JSON.stringify(change));
  }
  fc.assert(
    fc.property(histories(6), fc.integer({ min: 4, max: 20 }), (made, bytesMax) =>
      proveSegments(made, segmentHistory(made, bytesMax)),
    ),
    { seed: SEED, numRuns: 300 },
  );
});

t.test("what a finished packet must hold", async (t) => {
  const counter = { count: (text: string) => text.length };
  const record = { question_id: "q", tokens: 4, spans: [[1, 1, 0, 4]] as [number, number, number, number][] };
  const prove = (changed: object, evidence = "abcd", prefixes = [{ name: "baseline", evidence: "ab" }]) =>
    provePacket({ ...record, ...changed }, evidence, prefixes, 4, counter);
  t.doesNotThrow(() => prove({}));
  t.doesNotThrow(() => prove({}, "abcd", []));
  t.throws(() => prove({ tokens: 3 }), { code: "E_BUDGET", at: "q" }, "a count that is not true");
  t.throws(() => prove({ tokens: 5 }, "abcde"), { code: "E_BUDGET", at: "q" }, "over the ceiling");
  const twice = [...record.spans, [1, 1, 3, 5]];
  t.throws(() => prove({ spans: twice }), { code: "E_SPAN", at: "q" });
  const other = [
    { name: "baseline", evidence: "ab" },
    { name: "backbone", evidence: "abd" },
  ];
  t.throws(() => prove({}, "abcd", other), { code: "E_PREFIX", at: "q" });
});
