// Expected figures: sums of whole numbers, and 40-digit arithmetic (mpmath) for tails of up to a million trials.
import fc from "fast-check";
import t from "tap";
import { EXACT_TRIALS_MAX, fairLowerTail, upperTail } from "../../../lib/statistics/binomial.js";
import { binomialChance } from "../../../lib/statistics/binomial-chance.js";
import { fisherExact } from "../../../lib/statistics/fisher.js";
import { exactMcNemar } from "../../../lib/statistics/mcnemar.js";
import { ratio } from "../../../lib/statistics/ratio.js";
import { signTest, signTestPower, signTestThreshold } from "../../../lib/statistics/sign-test.js";
import { near } from "./near.js";

t.test("tails keep twelve digits to a million trials", async (t) => {
  for (const [k, n, p, expected] of [
    [500_500, 1_000_000, 0.5, 0.15889734568165276],
    [502_500, 1_000_000, 0.5, 2.881270818870302e-7],
    [510_000, 1_000_000, 0.5, 2.7721816438496123e-89],
    [499_000, 1_000_000, 0.5, 0.9773038320453279],
    [300, 1_000_000, 0.0001, 1.782793253435843e-58],
    [50, 1_000_000, 0.0001, 0.9999999882310853],
    [900_001, 1_000_000, 0.9, 0.4995124039243862],
    [700_000, 1_000_000, 0.6999, 0.41411680921835864],
    [5001, 10_000, 0.5, 0.4960106769303089],
    [15, 20, 0.65, 0.24539574514843926],
    [3, 10, 0.1, 0.0701908264],
  ] as const) {
    near(t, upperTail(k, n, p), expected, 1e-12, `P(X >= ${k}) of ${n} at ${p}`);
  }
});

t.test("where one way of counting ends the other goes on", async (t) => {
  const whole = (k: number, n: number): number => {
    let coefficient = 1n;
    let sum = 1n;
    for (let i = 1; i <= k; i += 1) {
      coefficient = (coefficient * BigInt(n - i + 1)) / BigInt(i);
      sum += coefficient;
    }
    return ratio(sum, 1n << BigInt(n));
  };
  for (const n of [EXACT_TRIALS_MAX, EXACT_TRIALS_MAX + 1, EXACT_TRIALS_MAX + 500]) {
    for (const k of [0, 1, n >> 2, (n >> 1) - 40, n >> 1])
      near(t, fairLowerTail(k, n), whole(k, n), 1e-12, `${k} of ${n}`);
  }
});

t.test("impossible and certain outcomes", async (t) => {
  t.equal(upperTail(0, 0, 0.5), 1);
  t.equal(upperTail(1, 0, 0.5), 0);
  t.equal(upperTail(1, 1, 0.25), 0.25);
  t.equal(upperTail(2, 5, 0), 0);
  t.equal(upperTail(2, 5, 1), 1);
  t.equal(fairLowerTail(-1, 5), 0);
  t.equal(fairLowerTail(5, 5), 1);
  t.equal(binomialChance(0, 3, 0), 1);
  t.equal(binomialChance(3, 3, 1), 1);
  t.equal(binomialChance(1, 3, 0), 0);
});

t.test("chances of all outcomes make one", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (n, p) => {
      let sum = 0;
      for (let x = 0; x <= n; x += 1) sum += binomialChance(x, n, p);
      return Math.abs(sum - 1) < 1e-12 && Math.abs(upperTail(1, n, p) + binomialChance(0, n, p) - 1) < 1e-12;
    }),
  );
});

t.test("exact McNemar and sign tests, figures of scipy.stats.binomtest", async (t) => {
  near(t, exactMcNemar(41, 16), 0.001263559472435463, 1e-14);
  near(t, exactMcNemar(38, 22), 0.051893895928921435, 1e-14);
  t.equal(exactMcNemar(0, 20), 2 ** -19);
  t.equal(exactMcNemar(0, 0), 1, "nothing discordant");
  t.equal(exactMcNemar(1, 0), 1);
  t.equal(exactMcNemar(5, 5), 1, "an even split is not more than certain");
  t.equal(signTest(38, 60), exactMcNemar(38, 22));
  near(t, exactMcNemar(501_500, 498_500), 0.002708655306059757, 1e-12);
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), (b, c) => {
      const p = exactMcNemar(b, c);
      return p === exactMcNemar(c, b) && p > 0 && p <= 1 && (b < c || exactMcNemar(b + 1, c) <= exactMcNemar(b, c));
    }),
  );
});

t.test("thresholds and powers of the sign test", async (t) => {
  t.equal(signTestThreshold(20, 0.05)?.wins, 15);
  t.equal(signTestThreshold(30, 0.05)?.wins, 21);
  t.equal(signTestThreshold(5, 0.05), null, "five pairs never reject");
  t.equal(signTestThreshold(0, 0.05), null);
  near(t, signTestPower(20, 15, 0.65), 0.24539574514843926, 1e-13);
  for (const n of [6, 7, 41, 200]) {
    const found = signTestThreshold(n, 0.05)!;
    t.ok(found.p <= 0.05 && signTest(found.wins - 1, n) > 0.05, `${n}: one win less does not reject`);
  }
});

t.test("Fisher's exact test, figures of scipy.stats.fisher_exact", async (t) => {
  for (const [a, b, c, d, expected] of [
    [3, 1, 1, 3, 0.48571428571428565],
    [8, 2, 1, 5, 0.034965034965034975],
    [1000, 1100, 900, 1200, 0.0021428178977255154],
    [0, 5, 5, 0, 0.007936507936507938],
    [100, 120, 80, 140, 0.06529508891710147],
  ] as const) {
    near(t, fisherExact(a, b, c, d), expected, 1e-13, `${a} ${b} ${c} ${d}`);
  }
  t.equal(fisherExact(0, 0, 3, 4), 1);
  t.equal(fisherExact(0, 3, 0, 4), 1);
  t.equal(fisherExact(0, 0, 0, 0), 1);
  const cell = fc.nat(30);
  fc.assert(
    fc.property(cell, cell, cell, cell, (a, b, c, d) => {
      const p = fisherExact(a, b, c, d);
      const same = [fisherExact(c, d, a, b), fisherExact(b, a, d, c), fisherExact(a, c, b, d)];
      return p > 0 && p <= 1 && same.every((other) => Math.abs(other - p) <= 1e-9 * p);
    }),
  );
});
