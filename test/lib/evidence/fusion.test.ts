import fc from "fast-check";
import t from "tap";
import {
  fused,
  isEligible,
  leadersFirst,
  type ScoredRow,
  scoredRows,
  semanticScale,
} from "../../../lib/evidence/fusion.js";
import { contextOf } from "./contexts.js";
import { asked, historyOf, SEED } from "./histories.js";

const row = (index: number, semantic: number, lexical: number, session = 1): ScoredRow => ({
  index,
  session,
  semantic,
  lexical,
  matched: lexical > 0,
});

t.test("the recorded semantic scale", async (t) => {
  t.strictSame([-1, 0, 0.5, 1].map(semanticScale), [0, 0.5, 0.75, 1]);
  t.strictSame([-1.0000001, 1.0000001].map(semanticScale), [0, 1], "clipped");
});

t.test("who is eligible, at the edges", async (t) => {
  const eligible = (semantic: number, lexical: number, matched = true) =>
    isEligible({ ...row(0, semantic, lexical), matched }, 0.05, 0.75);
  t.equal(eligible(0, 0.05), true, "exactly 0.05 with a word that matches");
  t.equal(eligible(0, 0.05 - 2 ** -57), false, "the number just below");
  t.equal(eligible(0, 0.05, false), false, "no word that matches");
  t.equal(eligible(0.75, 0, false), true, "exactly 0.75");
  t.equal(eligible(semanticScale(0.5), 0, false), true, "a cosine of one half");
  t.equal(eligible(0.75 - 2 ** -53, 0, false), false);
  t.equal(eligible(0.7499, 0.0499), false, "twice nearly is not once");
  t.not(0.05 - 2 ** -57, 0.05);
  t.not(0.75 - 2 ** -53, 0.75);
});

t.test("equation 1 by hand", async (t) => {
  // r_sem: a 1, b 2, c 3, d 4. r_lex: c 1, b 2, d 3; a has no word that matches.
  const [a, b, c, d] = [row(0, 0.9, 0), row(1, 0.8, 0.3), row(2, 0.7, 0.6), row(3, 0.6, 0.1)];
  t.strictSame(fused([a, b, c, d], 60), [
    { row: c, f: 1 / 63 + 1 / 61 },
    { row: b, f: 1 / 62 + 1 / 62 },
    { row: d, f: 1 / 64 + 1 / 63 },
    { row: a, f: 1 / 61 },
  ]);
  t.strictSame(
    fused([a, b, c, d], 60).map(({ f }) => f.toFixed(6)),
    ["0.032266", "0.032258", "0.031498", "0.016393"],
    "1/63 + 1/61, 2/62, 1/64 + 1/63, 1/61",
  );
  t.strictSame(
    fused([a, b, c, d], 0).map(({ row }) => row.index),
    [2, 0, 1, 3],
    "with another offset, another order: 4/3, then 1 and 1, of which a means more, then 7/12",
  );
});

t.test("ties: semantic score, then lexical score, then identity", async (t) => {
  const [a, b] = [row(0, 0.8, 0.2), row(1, 0.9, 0.1)];
  t.strictSame(
    fused([a, b], 60).map(({ row, f }) => [row.index, f]),
    [
      [1, 1 / 61 + 1 / 62],
      [0, 1 / 62 + 1 / 61],
    ],
    "ranks 1 and 2 against 2 and 1: f is the same number",
  );
  t.strictSame(
    fused([row(0, 0.8, 0.1), row(1, 0.8, 0.2)], 60).map(({ row }) => row.index),
    [1, 0],
    "equal meaning: the better words rank first in both",
  );
  t.strictSame(
    fused([row(5, 0.8, 0.2), row(3, 0.8, 0.2), row(4, 0.8, 0.2)], 60).map(({ row }) => row.index),
    [3, 4, 5],
    "all equal: in order of the history, whatever the order of the pool",
  );
  const unmatched = { ...row(1, 0.5, 0.4), matched: false };
  t.strictSame(fused([unmatched], 60), [{ row: unmatched, f: 1 / 61 }], "no matched word, no lexical rank");
});

t.test("the best of each session first", async (t) => {
  const list = [row(0, 0, 0, 2), row(1, 0, 0, 2), row(2, 0, 0, 1), row(3, 0, 0, 3), row(4, 0, 0, 1), row(5, 0, 0, 2)];
  t.strictSame(
    leadersFirst(list).map(({ index }) => index),
    [0, 2, 3, 1, 4, 5],
  );
  t.strictSame(leadersFirst([]), []);
});

const rowArbitrary = fc.record({
  semantic: fc.constantFrom(0, 0.25, 0.5, 0.75, 0.8, 1),
  lexical: fc.constantFrom(0, 0.01, 0.05, 0.2, 0.9),
  session: fc.integer({ min: 1, max: 4 }),
});
const pool = fc
  .array(rowArbitrary, { maxLength: 20, size: "max" })
  .map((rows) => rows.map(({ semantic, lexical, session }, index) => row(index, semantic, lexical, session)));

t.test("fusion against equation 1 as it is written, whatever the order of the pool", async (t) => {
  let ties = 0;
  fc.assert(
    fc.property(pool, fc.integer(), (rows, turn) => {
      const result = fused(rows, 60);
      const better = (a: ScoredRow, b: ScoredRow, keys: ("semantic" | "lexical")[]): boolean => {
        for (const key of keys) if (a[key] !== b[key]) return a[key] > b[key];
        return a.index < b.index;
      };
      for (const { row: one, f } of result) {
        const semantic =
          1 + rows.filter((other) => other !== one && better(other, one, ["semantic", "lexical"])).length;
        const matching = rows.filter(({ lexical }) => lexical > 0);
        const lexical = 1 + matching.filter((o) => o !== one && better(o, one, ["lexical", "semantic"])).length;
        if (f !== 1 / (60 + semantic) + (one.lexical > 0 ? 1 / (60 + lexical) : 0)) throw new Error("f");
      }
      for (const [place, { row: one, f }] of result.entries()) {
        const before = result[place - 1];
        if (before === undefined) continue;
        if (before.f === f) ties += 1;
        if (before.f < f || (before.f === f && !better(before.row, one, ["semantic", "lexical"]))) {
          throw new Error("out of order");
        }
      }
      const turned = rows.toSorted((a, b) => ((a.index * 7 + turn) % 11) - ((b.index * 7 + turn) % 11));
      if (JSON.stringify(fused(turned, 60)) !== JSON.stringify(result)) throw new Error("the order of the pool shows");
      const order = leadersFirst(result.map(({ row }) => row));
      const sessions = new Set(rows.map(({ session }) => session)).size;
      if (new Set(order.slice(0, sessions).map(({ session }) => session)).size !== sessions) throw new Error("leaders");
      if (order.length !== rows.length) throw new Error("rows lost");
    }),
    { seed: SEED, numRuns: 1000 },
  );
  t.ok(ties > 100, `${ties} ties`);
});

t.test("a row that is not eligible might as well not be there", async (t) => {
  let dropped = 0;
  fc.assert(
    fc.property(pool, (rows) => {
      const order = (of: readonly ScoredRow[]) =>
        leadersFirst(
          fused(
            of.filter((one) => isEligible(one, 0.05, 0.75)),
            60,
          ).map(({ row }) => row),
        );
      const kept = rows.filter((one) => isEligible(one, 0.05, 0.75) || one.index % 2 === 0);
      dropped += rows.length - kept.length;
      return JSON.stringify(order(kept)) === JSON.stringify(order(rows));
    }),
    { seed: SEED, numRuns: 1500 },
  );
  t.ok(dropped > 500, `${dropped} rows left out`);
});

t.test("scores of a history's rows", async (t) => {
  const context = contextOf(historyOf("red kite", "kite", "blue", "red red red red"), 0, {
    cosine: (_, index) => index / 4,
  });
  const parameters = { k1: 1.2, b: 0.75, rows_max: 4 };
  const rows = scoredRows(asked("h", "q", "red kite nowhere"), context, parameters);
  t.strictSame(
    rows.map(({ index, semantic, matched }) => [index, semantic, matched]),
    [
      [0, 0.5, true],
      [1, 0.625, true],
      [2, 0.75, false],
      [3, 0.875, true],
    ],
  );
  // Two words of two segments each, so of one weight; mean length 2. "red kite": 2 words, each 2.2 / (1 + 1.2) of it;
  // "kite": 1 word, 2.2 / (1 + 1.2 * 0.625); "red" four times in 4: 8.8 / (4 + 1.2 * 1.75). All over the best, which is 2.
  const expected = [1, 2.2 / 1.75 / 2, 0, 8.8 / 6.1 / 2];
  for (const [index, { lexical }] of rows.entries()) {
    t.ok(Math.abs(lexical - expected[index]!) < 1e-15, `${lexical} of segment ${index}`);
  }
  t.strictSame(
    scoredRows(asked("h", "q", "nowhere"), context, parameters).map(({ lexical, matched }) => [lexical, matched]),
    Array(4).fill([0, false]),
    "no word known: no score, and no division by nothing",
  );
  t.throws(() => scoredRows(asked("h", "q", "red"), context, { ...parameters, rows_max: 3 }), {
    code: "E_LIMIT",
    at: "q",
  });
  t.throws(() => scoredRows(asked("h", "q", "red"), { ...context, semantic: null }, parameters), Error);
});
