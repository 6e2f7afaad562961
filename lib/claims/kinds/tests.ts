// Exact tests.
import { byHistory } from "../../compare/scored.js";
import { fisherExact } from "../../statistics/fisher.js";
import { holm } from "../../statistics/holm.js";
import { exactMcNemar } from "../../statistics/mcnemar.js";
import { signFlipTest } from "../../statistics/sign-flip.js";
import { signTest, signTestPower, signTestThreshold } from "../../statistics/sign-test.js";
import { wilcoxonSignedRank } from "../../statistics/wilcoxon.js";
import { type ClaimKind, defined, double, exact, list, outcomesOf, word } from "../kind.js";
import { NotCheckable } from "../not-checkable.js";

/** Trials of which the exact binomial tails are worked out. */
const TRIALS_MAX = 10_000_000;

export const TEST_KINDS: readonly ClaimKind[] = [
  {
    id: "mcnemar-exact",
    method: "two-sided exact McNemar test on the discordant pairs, which it takes as independent",
    given: "b, c",
    printed: "p, discordant",
    figures(given) {
      const [b, c] = [given.count("b", TRIALS_MAX), given.count("c", TRIALS_MAX)];
      return { p: double(exactMcNemar(b, c)), discordant: exact(b + c) };
    },
    fromPairs(pairs) {
      const { first_only: b, second_only: c } = outcomesOf(pairs);
      return { b, c };
    },
  },
  {
    id: "sign-test",
    method: "two-sided exact sign test",
    given: "wins, n",
    printed: "p",
    figures(given) {
      const n = given.count("n", TRIALS_MAX);
      return { p: double(signTest(given.count("wins", n), n)) };
    },
    fromPairs(pairs) {
      const untied = pairs.filter(({ first, second }) => first !== second);
      return { wins: untied.filter(({ first, second }) => first > second).length, n: untied.length };
    },
  },
  {
    id: "sign-test-threshold",
    method: "the smallest majority whose two-sided exact p is at most alpha",
    given: "n, alpha",
    printed: "wins, p",
    figures(given) {
      const found = signTestThreshold(given.count("n", 100_000), given.share("alpha"));
      const { wins, p } = defined(found, "a rejecting split");
      return { wins: exact(wins), p: double(p) };
    },
  },
  {
    id: "sign-test-power",
    method: "the chance of at least `threshold` wins, each with the probability given",
    given: "n, threshold, probability",
    printed: "power",
    figures(given) {
      const [n, threshold] = [given.count("n", TRIALS_MAX), given.count("threshold")];
      return { power: double(signTestPower(n, threshold, given.share("probability"))) };
    },
  },
  {
    id: "holm",
    method: "Holm's step-down over the whole family, slots that were unavailable kept at p = 1",
    given: "p, alpha; unavailable: places of the slots that could not be tested, from 0",
    printed: "adjusted, reject",
    figures(given) {
      const missing = new Set(given.has("unavailable") ? given.counts("unavailable") : []);
      const family = given.numbers("p").map((p, place) => (missing.has(place) ? null : p));
      if (family.some((p) => p !== null && (p < 0 || p > 1)))
        throw new NotCheckable("given-invalid", "a p is not between 0 and 1");
      if ([...missing].some((place) => place >= family.length))
        throw new NotCheckable("given-invalid", "an unavailable slot is not in the family");
      const entries = holm(family, given.share("alpha"));
      return {
        adjusted: list(entries.map(({ adjusted }) => double(adjusted))),
        reject: list(entries.map(({ reject }) => word(reject))),
      };
    },
  },
  {
    id: "fisher-exact",
    method: "two-sided exact Fisher test of the table [[a, b], [c, d]]",
    given: "a, b, c, d",
    printed: "p",
    figures(given) {
      const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => given.count(name, 1_000_000)) as [
        number,
        number,
        number,
        number,
      ];
      return { p: double(fisherExact(a, b, c, d)) };
    },
  },
  {
    id: "sign-flip",
    method: "exact two-sided sign-flip test over clusters, their whole differences counted by dynamic programming",
    given: "differences, one a cluster",
    printed: "p, statistic, clusters",
    figures(given) {
      const result = signFlipTest(given.integers("differences"));
      if (result === null)
        throw new NotCheckable("beyond-limit", "the sum of the differences is too large to count over");
      return { p: double(result.p), statistic: exact(result.statistic), clusters: exact(result.clusters) };
    },
    fromPairs(pairs) {
      outcomesOf(pairs);
      const sums = byHistory(pairs).map((group) => group.reduce((sum, { first, second }) => sum + first - second, 0));
      return { differences: sums };
    },
  },
  {
    id: "wilcoxon",
    method:
      "two-sided Wilcoxon signed-rank test: exact without ties up to 200 differences, else normal, corrected for ties",
    given: "differences",
    printed: "p, positive, negative, n, method",
    figures(given) {
      const { p, positive, negative, n, method } = wilcoxonSignedRank(given.numbers("differences"));
      return {
        p: double(p),
        positive: double(positive),
        negative: double(negative),
        n: exact(n),
        method: word(method),
      };
    },
    fromPairs: (pairs) => ({ differences: pairs.map(({ first, second }) => first - second) }),
  },
];
