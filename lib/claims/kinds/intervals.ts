// Intervals, and verdicts that rest on one.
import { byHistory } from "../../compare/scored.js";
import { clusterBootstrap } from "../../statistics/bootstrap.js";
import { clusterNormalInterval } from "../../statistics/cluster-normal.js";
import { fsum } from "../../statistics/fsum.js";
import { clopperPearsonInterval, type Interval, wilsonInterval } from "../../statistics/proportion.js";
import { tangoNonInferiority } from "../../statistics/tango.js";
import type { Given } from "../given.js";
import {
  type ClaimKind,
  correctOf,
  defined,
  double,
  exact,
  type Figure,
  hundredfold,
  outcomesOf,
  share,
  word,
} from "../kind.js";
import { NotCheckable } from "../not-checkable.js";
import { ofDouble, rational } from "../rational.js";

/** Draws times clusters: what a bootstrap may cost. */
const DRAWN_MAX = 500_000_000;

/** Bounds as shares of one and in percent or points. */
function bounds({ lower, upper }: Interval): Record<string, Figure> {
  const points = (value: number): Figure => exact(hundredfold(ofDouble(value)));
  return { lower: double(lower), upper: double(upper), lower_points: points(lower), upper_points: points(upper) };
}

const levelOf = (given: Given): number => (given.has("level") ? given.share("level") : 0.95);

function proportionInterval(
  id: string,
  method: string,
  of: (k: number, n: number, level: number) => Interval | null,
): ClaimKind {
  return {
    id,
    method,
    given: "k, n; level, 0.95 when it is not given",
    printed: "lower, upper, lower_points, upper_points",
    figures(given) {
      const [k, n] = [given.count("k", 10_000_000), given.count("n", 10_000_000)];
      share(k, n);
      return bounds(defined(of(k, n, levelOf(given)), "the interval"));
    },
    fromRows: correctOf,
  };
}

export const INTERVAL_KINDS: readonly ClaimKind[] = [
  proportionInterval("wilson", "Wilson's score interval, two-sided", wilsonInterval),
  proportionInterval("clopper-pearson", "Clopper and Pearson's exact interval, two-sided", clopperPearsonInterval),
  {
    id: "noninferiority-tango",
    method: "Tango's score interval of the paired difference, one-sided lower bound against the margin",
    given: "b, c, n, margin_points, one_sided_level",
    printed: "difference_points, lower_points, verdict",
    figures(given) {
      const [b, c, n] = [given.count("b"), given.count("c"), given.count("n")];
      share(b + c, n);
      const margin = given.number("margin_points") / 100;
      if (!(margin > 0 && margin < 1))
        throw new NotCheckable("given-invalid", "the margin is not between 0 and 100 points");
      const result = defined(tangoNonInferiority(b, c, n, margin, given.share("one_sided_level")), "the bound");
      return {
        difference_points: exact(hundredfold(rational(b - c, n))),
        lower_points: exact(hundredfold(ofDouble(result.lower))),
        verdict: word(result.nonInferior ? "non-inferior" : "not shown"),
      };
    },
    fromPairs(pairs) {
      const { first_only: b, second_only: c, n } = outcomesOf(pairs);
      return { b, c, n };
    },
  },
  {
    id: "cluster-bootstrap",
    method:
      "percentile bootstrap over whole clusters, MT19937 seeded and indexed as CPython's random.choice, quantiles interpolated",
    given:
      "totals and counts, one a cluster in the order drawn from; seed as a string of digits, draws; level, 0.95 when it is not given",
    printed: "estimate, lower, upper, lower_points, upper_points",
    figures(given) {
      const [totals, counts] = [given.numbers("totals"), given.counts("counts")];
      if (totals.length !== counts.length || counts.some((count) => count === 0))
        throw new NotCheckable("given-invalid", "'totals' and 'counts' are not of the same clusters, or one is empty");
      const seed = given.word("seed");
      if (!/^\d{1,40}$/.test(seed)) throw new NotCheckable("given-invalid", "'seed' is no whole number");
      const draws = given.count("draws", 1_000_000);
      if (draws === 0) throw new NotCheckable("given-invalid", "nothing is drawn");
      if (draws * totals.length > DRAWN_MAX)
        throw new NotCheckable("beyond-limit", `over ${DRAWN_MAX} clusters would be drawn`);
      const clusters = totals.map((total, index) => ({ total, count: counts[index]! }));
      const result = clusterBootstrap(clusters, { seed: BigInt(seed), draws, level: levelOf(given) });
      const found = defined(result, "an interval over fewer than two clusters");
      return { estimate: double(found.estimate), ...bounds(found) };
    },
    fromRows(rows) {
      const groups = byHistory(rows);
      return {
        totals: groups.map((group) => fsum(group.map(({ score }) => score))),
        counts: groups.map((group) => group.length),
      };
    },
    fromPairs(pairs) {
      const groups = byHistory(pairs);
      const difference = (group: (typeof groups)[number]): number =>
        fsum(group.flatMap(({ first, second }) => [first, -second]));
      return { totals: groups.map(difference), counts: groups.map((group) => group.length) };
    },
  },
  {
    id: "cluster-normal",
    method: "normal interval of the mean of cluster means, each cluster of equal weight, with their sample deviation",
    given: "means, one a cluster; level, 0.95 when it is not given",
    printed: "mean, lower, upper, lower_points, upper_points",
    figures(given) {
      const result = defined(
        clusterNormalInterval(given.numbers("means"), levelOf(given)),
        "an interval over fewer than two clusters",
      );
      return { mean: double(result.mean), ...bounds(result) };
    },
    fromRows: (rows) => ({
      means: byHistory(rows).map((group) => fsum(group.map(({ score }) => score)) / group.length),
    }),
    fromPairs: (pairs) => ({
      means: byHistory(pairs).map(
        (group) => fsum(group.flatMap(({ first, second }) => [first, -second])) / group.length,
      ),
    }),
  },
];
