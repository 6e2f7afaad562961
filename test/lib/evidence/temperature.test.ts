import t from "tap";
import { LexicalIndex } from "../../../lib/evidence/lexical.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import { segmentHistory } from "../../../lib/evidence/segment.js";
import { bestPassageShare, TEMPERATURE_RULE, temperatureOf } from "../../../lib/evidence/temperature.js";
import { isDocument } from "../../../schemas/index.js";
import { historyOf, span } from "./histories.js";
import { harbour, packetsOf } from "./packets.js";

t.test("the value of the first threshold reached, edges included", async (t) => {
  t.strictSame(TEMPERATURE_RULE, { rule: "best-passage-1", values: [0.6, 0.8, 1], thresholds: [0.6, 0.4] });
  t.strictSame(
    [1, 0.6, 0.6 - 2 ** -53, 0.4, 0.4 - 2 ** -54, 0].map((share) => temperatureOf(share, TEMPERATURE_RULE)),
    [0.6, 0.6, 0.8, 0.8, 1, 1],
  );
});

t.test("the share of a question that one passage of the packet holds, by hand", async (t) => {
  const segments = segmentHistory(historyOf("red kite", "red", "sea kite", "Zoë"), 1200);
  const lexical = new LexicalIndex(segments.map(({ text }) => text));
  const share = (question: string, ...turns: number[]) =>
    bestPassageShare(
      question,
      segments,
      lexical,
      turns.map((turn) => span(1, turn, 0, 2)),
    );
  // Four segments: red and kite stand in two (ln 2), sea in one (ln 10/3), nowhere in none (ln 10).
  const near = (found: number, wanted: number, why: string) =>
    t.ok(Math.abs(found - wanted) < 1e-12, `${why}: ${found}`);
  near(share("red kite", 1, 2), 1, "all in one");
  near(share("red kite", 2, 3), 0.5, "a half in each of two");
  near(share("Red red sea?", 2, 3), Math.log(10 / 3) / (Math.log(10 / 3) + Math.log(2)), "the rarer word weighs more");
  near(share("red nowhere", 1), Math.log(2) / (Math.log(2) + Math.log(10)), "a word the history does not know");
  t.equal(share("red kite", 4), 0, "not in the packet");
  t.equal(share("red kite"), 0, "an empty packet");
  t.equal(share("?!", 1), 0, "no word");
});

t.test("only what the packet quotes of a turn counts", async (t) => {
  const segments = segmentHistory(historyOf("red.\nkite"), 5);
  const lexical = new LexicalIndex(segments.map(({ text }) => text));
  t.equal(bestPassageShare("kite", segments, lexical, [span(1, 1, 0, 5)]), 0);
  t.equal(bestPassageShare("kite", segments, lexical, [span(1, 1, 5, 9)]), 1);
  t.equal(bestPassageShare("kite", segments, lexical, [span(1, 1, 0, 9)]), 1, "neighbours merged");
});

t.test("packets name temperatures when the protocol has a rule, and are the same otherwise", async (t) => {
  const dataset = harbour();
  const choice = { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 300 };
  const protocol = preparationProtocol(dataset, { ...choice, temperature: true });
  t.ok(isDocument("preparation-protocol", protocol));
  const packets = [...preparePackets(dataset, protocol)];
  t.ok(packets.every(({ record }) => isDocument("packet-record", record)));
  t.strictSame(
    packets.map(({ record: { temperature, ...record }, evidence }) => ({ record, evidence })),
    packetsOf(dataset, "bm25", 300),
  );
  const named = new Set(packets.map(({ record }) => record.temperature));
  t.ok([...named].every((value) => value !== undefined && [0.6, 0.8, 1].includes(value)));
  t.ok(named.size > 1, "it is a choice");
  const other = { ...TEMPERATURE_RULE, rule: "best-passage-2" };
  t.throws(() => preparePackets(dataset, { ...protocol, temperature: other }).next(), { code: "E_VERSION" });
});
