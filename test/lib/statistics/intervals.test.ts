// Expected figures: SciPy 1.17 (binomtest().proportion_ci, norm; of 1 in a million the roots in 30 digits, which SciPy gives to 7), CPython 3.11's random, and for Tango's interval a score whose
// nuisance is found by numerical maximisation of the likelihood.
import fc from "fast-check";
import t from "tap";
import { clusterBootstrap, quantile } from "../../../lib/statistics/bootstrap.js";
import { clusterNormalInterval } from "../../../lib/statistics/cluster-normal.js";
import { MersenneTwister } from "../../../lib/statistics/mersenne.js";
import { normalQuantile, normalUpperTail } from "../../../lib/statistics/normal.js";
import { clopperPearsonInterval, wilsonInterval } from "../../../lib/statistics/proportion.js";
import { ratio } from "../../../lib/statistics/ratio.js";
import { tangoInterval, tangoNonInferiority } from "../../../lib/statistics/tango.js";
import { near } from "./near.js";

t.test("Wilson's interval", async (t) => {
  for (const [k, n, level, lower, upper] of [
    [43, 54, 0.95, 0.6709769331166456, 0.8822594591257861],
    [0, 10, 0.95, 0, 0.27753279986288926],
    [10, 10, 0.95, 0.7224672001371109, 1],
    [7, 20, 0.9, 0.20226004005676104, 0.5334873111515284],
  ] as const) {
    const interval = wilsonInterval(k, n, level);
    near(t, interval?.lower, lower, 1e-13, `${k} of ${n}, lower`);
    near(t, interval?.upper, upper, 1e-13, `${k} of ${n}, upper`);
  }
  t.equal(wilsonInterval(0, 0), null);
});

t.test("Clopper and Pearson's interval", async (t) => {
  for (const [k, n, level, lower, upper] of [
    [43, 54, 0.95, 0.664695080510446, 0.8936807475098024],
    [0, 10, 0.95, 0, 0.30849710781876294],
    [10, 10, 0.95, 0.6915028921812371, 1],
    [1, 1_000_000, 0.95, 2.531780766379419e-8, 5.571630655172244e-6],
    [7, 20, 0.9, 0.17731091757446915, 0.5580345113154889],
  ] as const) {
    const interval = clopperPearsonInterval(k, n, level);
    near(t, interval?.lower, lower, 1e-12, `${k} of ${n}, lower`);
    near(t, interval?.upper, upper, 1e-12, `${k} of ${n}, upper`);
  }
  t.equal(clopperPearsonInterval(0, 0), null);
});

t.test("intervals of proportions: failures mirror successes", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 80 }), fc.nat(80), (n, raw) => {
      const k = raw % (n + 1);
      return [wilsonInterval, clopperPearsonInterval].every((of) => {
        const [here, there] = [of(k, n)!, of(n - k, n)!];
        const mirrored = Math.abs(here.lower - (1 - there.upper)) < 1e-12;
        return mirrored && here.lower <= k / n && k / n <= here.upper;
      });
    }),
    { numRuns: 40 },
  );
});

t.test("the normal distribution", async (t) => {
  for (const [p, x] of [
    [0.975, 1.959963984540054],
    [0.95, 1.6448536269514722],
    [0.999999, 4.753424308817087],
    [1e-10, -6.361340902404056],
  ] as const) {
    near(t, normalQuantile(p), x, 1e-12, `quantile ${p}`);
  }
  for (const [x, p] of [
    [0, 0.5],
    [0.5, 0.3085375387259869],
    [1, 0.15865525393145707],
    [3, 0.0013498980316300933],
    [3.0001, 0.0013494549132607172],
    [8, 6.22096057427174e-16],
    [30, 4.906713927147908e-198],
    [-2, 0.9772498680518208],
  ] as const) {
    near(t, normalUpperTail(x), p, 1e-12, `tail ${x}`);
  }
  t.throws(() => normalQuantile(0), RangeError);
  t.throws(() => normalQuantile(1), RangeError);
});

t.test("Tango's interval", async (t) => {
  for (const [b, c, n, level, lower, upper] of [
    [19, 20, 500, 0.95, -0.023178507662205826, 0.019081044664989773],
    [9, 15, 269, 0.95, -0.05426628371795768, 0.008044023647052782],
    [41, 16, 500, 0.975, 0.0211216699416552, 0.08097578398420771],
    [3, 0, 10, 0.975, -0.06079264112596947, 0.6032218525389723],
  ] as const) {
    const interval = tangoInterval(b, c, n, level);
    near(t, interval?.lower, lower, 1e-6, `${b} ${c} ${n}, lower`);
    near(t, interval?.upper, upper, 1e-6, `${b} ${c} ${n}, upper`);
  }
  t.equal(tangoInterval(0, 0, 0, 0.95), null);
  const none = tangoInterval(0, 0, 50, 0.95)!;
  t.ok(none.lower < 0 && none.upper > 0, "nothing discordant is no certainty");
  near(t, none.lower, -none.upper, 1e-12);
  fc.assert(
    fc.property(fc.nat(40), fc.nat(40), fc.nat(100), (b, c, tied) => {
      const n = b + c + tied + 1;
      const [here, there] = [tangoInterval(b, c, n, 0.975)!, tangoInterval(c, b, n, 0.975)!];
      const difference = (b - c) / n;
      const mirrored = Math.abs(here.lower + there.upper) < 1e-9 && Math.abs(here.upper + there.lower) < 1e-9;
      return mirrored && here.lower <= difference && difference <= here.upper && here.lower >= -1 && here.upper <= 1;
    }),
  );
});

t.test("non-inferiority: two published verdicts", async (t) => {
  const shown = tangoNonInferiority(19, 20, 500, 0.03, 0.95)!;
  t.equal((100 * shown.lower).toFixed(1), "-2.3");
  t.equal(shown.nonInferior, true);
  const notShown = tangoNonInferiority(9, 15, 269, 0.03, 0.95)!;
  t.equal((100 * notShown.lower).toFixed(1), "-5.4");
  t.equal(notShown.nonInferior, false);
  t.equal(tangoNonInferiority(0, 0, 0, 0.03, 0.95), null);
});

t.test("the generator is CPython's", async (t) => {
  const words = (seed: bigint): number[] => {
    const generator = new MersenneTwister(seed);
    return [generator.next32(), generator.next32(), generator.next32()];
  };
  t.strictSame(words(0n), [3626764237, 1654615998, 3255389356]);
  t.strictSame(words(20260705n), [3865783625, 2519460084, 1430067550]);
  t.strictSame(words(2n ** 100n + 12345n), [1910715478, 278772827, 1297592944]);
  const seven = new MersenneTwister(7n);
  const drawn = (bound: number, count: number): number[] => Array.from({ length: count }, () => seven.below(bound));
  t.strictSame(drawn(64, 8), [41, 19, 50, 6, 9, 12, 46, 7], "a power of two asks for one bit more");
  t.strictSame(drawn(60, 8), [58, 32, 13, 2, 5, 27, 26, 4]);
  t.strictSame(drawn(1, 2), [0, 0]);
  t.strictSame(drawn(1000, 1), [564]);
});

t.test("the bootstrap is the one that CPython and NumPy give", async (t) => {
  const clusters = [
    [3, 3],
    [0, 3],
    [2, 3],
    [1, 2],
    [3, 4],
  ].map(([total, count]) => ({ total: total!, count: count! }));
  const found = clusterBootstrap(clusters, { seed: 42n, draws: 1000 })!;
  t.strictSame([found.lower, found.upper, found.estimate], [0.26666666666666666, 0.8461538461538461, 9 / 15]);
  t.strictSame([found.seed, found.draws, found.generator, found.level], ["42", 1000, "mt19937", 0.95]);
  t.strictSame(clusterBootstrap(clusters, { seed: 42n, draws: 1000 }), found, "the same seed, the same bits");
  t.not(clusterBootstrap(clusters, { seed: 43n, draws: 1000 })?.lower, undefined);
});

t.test("bootstrap: no cluster, one, all equal", async (t) => {
  const options = { seed: 1n, draws: 100 };
  t.equal(clusterBootstrap([], options), null);
  t.equal(clusterBootstrap([{ total: 1, count: 2 }], options), null, "a single cluster is undefined, not certain");
  const equal = clusterBootstrap(new Array(5).fill({ total: 1, count: 2 }), options)!;
  t.strictSame([equal.lower, equal.estimate, equal.upper], [0.5, 0.5, 0.5]);
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 2, maxLength: 9 }), fc.bigInt(0n, 2n ** 64n), (totals, seed) => {
      const interval = clusterBootstrap(
        totals.map((total) => ({ total, count: 9 })),
        { seed, draws: 50 },
      )!;
      const shares = totals.map((total) => total / 9);
      const inside = interval.lower >= Math.min(...shares) - 1e-12 && interval.upper <= Math.max(...shares) + 1e-12;
      return inside && interval.lower <= interval.upper;
    }),
  );
});

t.test("quantiles between neighbours", async (t) => {
  t.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  t.equal(quantile([1, 2, 3, 4], 1), 4);
  t.equal(quantile([7], 0.3), 7);
});

t.test("the normal interval over cluster means", async (t) => {
  const found = clusterNormalInterval([0.2, 0.5, 0.9, 0.4])!;
  near(t, found.lower, 0.21150111303211921, 1e-13);
  near(t, found.upper, 0.7884988869678808, 1e-13);
  t.equal(found.mean, 0.5);
  t.equal(clusterNormalInterval([]), null);
  t.equal(clusterNormalInterval([0.4]), null);
  t.strictSame(clusterNormalInterval([0.5, 0.5]), { mean: 0.5, lower: 0.5, upper: 0.5 });
});

t.test("quotients of whole numbers are the nearest double", async (t) => {
  t.equal(ratio(0n, 7n), 0);
  t.equal(ratio(1n, 3n), 1 / 3);
  t.equal(ratio(2n ** 53n + 1n, 1n), 2 ** 53, "a tie goes to the even side");
  t.equal(ratio((2n ** 53n + 1n) * 2n ** 60n + 1n, 2n ** 60n), 2 ** 53 + 2, "a little more than a tie does not");
  t.equal(ratio(1n, 2n ** 1074n), 5e-324);
  fc.assert(
    fc.property(fc.nat(2 ** 30), fc.integer({ min: 1, max: 2 ** 30 }), fc.nat(300), (over, under, shift) => {
      const scale = 1n << BigInt(shift);
      return ratio(BigInt(over) * scale, BigInt(under) * scale) === over / under;
    }),
  );
});
