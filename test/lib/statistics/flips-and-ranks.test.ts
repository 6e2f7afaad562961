import fc from "fast-check";
import t from "tap";
import { cohenKappa, spearman } from "../../../lib/statistics/agreement.js";
import { holm } from "../../../lib/statistics/holm.js";
import { midranks } from "../../../lib/statistics/ranks.js";
import { type SignFlip, signFlipTest } from "../../../lib/statistics/sign-flip.js";
import { wilcoxonSignedRank } from "../../../lib/statistics/wilcoxon.js";
import { near } from "./near.js";

/** All 2^k choices of signs, one by one. */
function byEnumeration(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  let extreme = 0;
  for (let signs = 0; signs < 2 ** sizes.length; signs += 1) {
    const sum = sizes.reduce((total, size, index) => total + (signs & (1 << index) ? size : -size), 0);
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return extreme / 2 ** sizes.length;
}

t.test("sign flips, as by enumeration", async (t) => {
  // scipy.stats.permutation_test over all samples
  t.equal(signFlipTest([1, 2, -1, 3, 0, 2, 2, -1])?.p, 0.15625);
  t.equal(signFlipTest([1, 1, 1])?.p, 0.25);
  t.equal(signFlipTest([2, -2, 1])?.p, 1);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 10 }), (differences) => {
      const result = signFlipTest(differences)!;
      return result.p === byEnumeration(differences) && result.method === "exact";
    }),
  );
});

t.test("sign flips: nothing, one, all equal, all zero", async (t) => {
  t.strictSame(signFlipTest([]), { statistic: 0, clusters: 0, p: 1, method: "exact" });
  t.strictSame(signFlipTest([0, 0]), { statistic: 0, clusters: 0, p: 1, method: "exact" });
  t.strictSame(signFlipTest([7]), { statistic: 7, clusters: 1, p: 1, method: "exact" });
  t.equal(signFlipTest(new Array<number>(20).fill(3))?.p, 2 ** -19);
  t.throws(() => signFlipTest([0.5]), RangeError);
  t.equal(signFlipTest([100_000_000]), null, "too large to count over");
});

t.test("sign flips depend neither on order nor on which side is first", async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 40 }), fc.nat(), (differences, turn) => {
      const at = differences.length === 0 ? 0 : turn % differences.length;
      const turned = [...differences.slice(at), ...differences.slice(0, at)];
      const p = signFlipTest(differences)?.p;
      return signFlipTest(turned)?.p === p && signFlipTest(differences.map((d) => -d))?.p === p;
    }),
  );
});

t.test("in doubles as in whole numbers", async (t) => {
  // Twice the same clusters, once few enough to be counted in whole numbers: scaling every difference changes no p.
  const differences = Array.from({ length: 300 }, (_, index) => ((index * 37) % 7) - 2);
  const exact = signFlipTest(differences) as SignFlip;
  const scaled = signFlipTest(differences.map((difference) => difference * 1000)) as SignFlip;
  t.strictSame([exact.method, scaled.method], ["exact", "exact-in-doubles"]);
  near(t, scaled.p, exact.p, 1e-12);
  // 2,000 clusters of one each: a fair coin, whose tail is known to 40 digits.
  const coins = Array.from({ length: 2000 }, (_, index) => (index < 1060 ? 1 : -1));
  near(t, signFlipTest(coins)?.p, 0.007777118901978714, 1e-12);
});

t.test("Wilcoxon, figures of scipy.stats.wilcoxon", async (t) => {
  const x = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
  const y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
  const exact = wilcoxonSignedRank(x.map((value, index) => value - y[index]!));
  t.strictSame(exact, { n: 9, positive: 40, negative: 5, p: 0.0390625, method: "exact" });
  const tied = wilcoxonSignedRank([1, 1, -1, 2, 2, -3, 4, 0, 5, -1, 1, 2]);
  t.equal(tied.method, "normal, corrected for ties");
  near(t, tied.p, 0.10529317415028619, 1e-12);
  const many = Array.from({ length: 150 }, (_, index) => (index % 3 === 0 ? -1 : 1) * (index + 1));
  near(t, wilcoxonSignedRank(many).p, 0.0002395179328382735, 1e-12);
});

t.test("Wilcoxon: nothing, one, all equal, all zero; symmetry", async (t) => {
  t.equal(wilcoxonSignedRank([]).p, 1);
  t.equal(wilcoxonSignedRank([0, 0, 0]).p, 1);
  t.equal(wilcoxonSignedRank([3]).p, 1);
  t.ok(wilcoxonSignedRank(new Array<number>(20).fill(2)).p < 0.0001);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 30 }),
      fc.infiniteStream(fc.boolean()),
      (sizes, signs) => {
        const differences = sizes.map((size) => (signs.next().value === true ? size : -size));
        const { p, positive, negative } = wilcoxonSignedRank(differences);
        const other = wilcoxonSignedRank(differences.map((difference) => -difference).reverse());
        return p === other.p && positive === other.negative && negative === other.positive && p <= 1 && p > 0;
      },
    ),
  );
});

t.test("ranks", async (t) => {
  t.strictSame(midranks([10, 30, 20, 20]), { ranks: [1, 4, 2.5, 2.5], ties: [2] });
  t.strictSame(midranks([]), { ranks: [], ties: [] });
  t.strictSame(midranks([5, 5, 5]), { ranks: [2, 2, 2], ties: [3] });
});

t.test("Holm: the textbook family, unavailable slots, ties", async (t) => {
  const adjusted = (family: (number | null)[]): number[] => holm(family, 0.05).map((entry) => entry.adjusted);
  t.strictSame(adjusted([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
  t.strictSame(adjusted([0.01, null, null]), [0.03, 1, 1], "a slot that was not tested is not dropped");
  t.strictSame(adjusted([]), []);
  t.strictSame(adjusted([0.5]), [0.5]);
  t.strictSame(adjusted([0.02, 0.02]), [0.04, 0.04]);
  t.strictSame(
    holm([0.05], 0.05).map(({ reject }) => reject),
    [true],
  );
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (family) => {
      const there = adjusted(family);
      const back = adjusted([...family].reverse()).reverse();
      return there.every((value, index) => value >= family[index]! && value <= 1 && value === back[index]);
    }),
  );
});

t.test("Cohen's kappa", async (t) => {
  // Cohen's formula over a table of 20 5 / 10 15, of which kappa is 0.4.
  const rate = (...counts: [string, string, number][]): [string[], string[]] => [
    counts.flatMap(([first, , count]) => new Array<string>(count).fill(first)),
    counts.flatMap(([, second, count]) => new Array<string>(count).fill(second)),
  ];
  near(t, cohenKappa(...rate(["y", "y", 20], ["y", "n", 5], ["n", "y", 10], ["n", "n", 15])) ?? 0, 0.4, 1e-14);
  t.equal(cohenKappa([], []), null);
  t.equal(cohenKappa(["y", "y"], ["y", "y"]), null, "chance alone agrees always");
  t.equal(cohenKappa(["y", "n"], ["y", "n"]), 1);
  t.equal(cohenKappa(["y", "n"], ["n", "y"]), -1);
  t.throws(() => cohenKappa(["y"], []), RangeError);
});

t.test("Spearman, figures of scipy.stats.spearmanr", async (t) => {
  const iq = [106, 86, 100, 101, 99, 103, 97, 113, 112, 110];
  const hours = [7, 0, 27, 50, 28, 29, 20, 12, 6, 17];
  near(t, spearman(iq, hours) ?? 0, -0.17575757575757575, 1e-14);
  near(t, spearman([1, 2, 2, 3, 3, 3], [2, 1, 2, 2, 5, 5]) ?? 0, 0.6333333333333335, 1e-14);
  t.equal(spearman([], []), null);
  t.equal(spearman([1], [2]), null);
  t.equal(spearman([1, 1, 1], [1, 2, 3]), null, "one side all equal");
  t.throws(() => spearman([1], []), RangeError);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer(), fc.integer()), { minLength: 2, maxLength: 20 }), (pairs) => {
      const [x, y] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
      const rho = spearman(x, y);
      return rho === spearman(y, x) && (rho === null || Math.abs(rho) <= 1 + 1e-12);
    }),
  );
});
