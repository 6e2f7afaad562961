// Figures that follow from counts by arithmetic alone.
import { fsum } from "../../statistics/fsum.js";
import type { Given, Rounded } from "../given.js";
import { type ClaimKind, correctOf, double, exact, hundredfold, outcomesOf, share } from "../kind.js";
import { NotCheckable } from "../not-checkable.js";
import { absolute, divided, minus, plus, rational, ZERO } from "../rational.js";

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

const proportionOf = (given: Given) => share(given.count("k"), given.count("n"));

const reachOf = (figures: readonly Rounded[]) => figures.map(({ reach }) => reach).reduce(plus, ZERO);

export const COUNT_KINDS: readonly ClaimKind[] = [
  {
    id: "proportion",
    method: "k / n",
    given: "k, n",
    printed: "percent, rate, k, n",
    figures(given) {
      const rate = proportionOf(given);
      const [k, n] = [given.count("k"), given.count("n")];
      return { percent: exact(hundredfold(rate)), rate: exact(rate), k: exact(k), n: exact(n) };
    },
    fromRows: correctOf,
  },
  {
    id: "mean",
    method: "the correctly rounded sum of the scores over their number",
    given: "scores",
    printed: "mean, percent, n",
    figures(given) {
      const scores = given.numbers("scores");
      if (scores.length === 0) throw new NotCheckable("undefined", "a mean of nothing is undefined");
      const mean = fsum(scores) / scores.length;
      return { mean: double(mean), percent: double(100 * mean), n: exact(scores.length) };
    },
    fromRows: (rows) => ({ scores: rows.map(({ score }) => score) }),
  },
  {
    id: "sum",
    method: "the sum of the parts",
    given: "parts",
    printed: "total",
    figures: (given) => ({ total: exact(sum(given.counts("parts"))) }),
  },
  {
    id: "paired-table",
    method: "both + first_only, both + second_only, and their difference over n",
    given: "both, neither, first_only, second_only, n",
    printed: "first, second, net, net_points",
    figures(given) {
      const [both, neither, b, c] = ["both", "neither", "first_only", "second_only"].map((name) =>
        given.count(name),
      ) as [number, number, number, number];
      const n = given.count("n");
      if (sum([both, neither, b, c]) !== n)
        throw new NotCheckable("given-invalid", "the four cells do not add up to n");
      share(n, n);
      return {
        first: exact(both + b),
        second: exact(both + c),
        net: exact(b - c),
        net_points: exact(hundredfold(rational(b - c, n))),
      };
    },
    fromPairs: outcomesOf,
  },
  {
    id: "gains-losses",
    method: "gains less losses, added to what was before",
    given: "gains, losses, n, and before for after and percent",
    printed: "net, net_points, after, percent",
    figures(given) {
      const [net, n] = [given.count("gains") - given.count("losses"), given.count("n")];
      share(n, n);
      const figures = { net: exact(net), net_points: exact(hundredfold(rational(net, n))) };
      if (!given.has("before")) return figures;
      const after = given.count("before") + net;
      return { ...figures, after: exact(after), percent: exact(hundredfold(share(after, n))) };
    },
    fromPairs(pairs) {
      const { both, first_only: gains, second_only: losses, n } = outcomesOf(pairs);
      return { before: both + losses, gains, losses, n };
    },
  },
  {
    id: "difference-points",
    method: "the difference of two proportions, unrounded",
    given: "a and b, each k and n",
    printed: "points",
    figures: (given) => ({
      points: exact(hundredfold(minus(proportionOf(given.inner("a")), proportionOf(given.inner("b"))))),
    }),
    fromPairs(pairs) {
      const { both, first_only, second_only, n } = outcomesOf(pairs);
      return { a: { k: both + first_only, n }, b: { k: both + second_only, n } };
    },
  },
  {
    id: "difference-of-rounded",
    method: "the difference of two printed figures, within what their rounding leaves open",
    given: "a, b as printed",
    printed: "points",
    figures(given) {
      const [a, b] = [given.rounded("a"), given.rounded("b")];
      return { points: exact(hundredfold(minus(a.value, b.value)), hundredfold(reachOf([a, b]))) };
    },
  },
  {
    id: "mean-of-equal-groups",
    method: "the mean of printed means of groups of equal size, within what their rounding leaves open",
    given: "means as printed",
    printed: "mean",
    figures(given) {
      const means = given.roundeds("means");
      if (means.length === 0) throw new NotCheckable("undefined", "a mean of nothing is undefined");
      const count = rational(means.length);
      const total = means.map(({ value }) => value).reduce(plus, ZERO);
      return { mean: exact(divided(total, count), divided(reachOf(means), count)) };
    },
  },
  {
    id: "transitions",
    method: "right by reference, and what another endpoint turns up and down",
    given: "reference, up, down, n",
    printed: "source, percent",
    figures(given) {
      const source = given.count("reference") + given.count("up") - given.count("down");
      return { source: exact(source), percent: exact(hundredfold(share(source, given.count("n")))) };
    },
    fromPairs(pairs) {
      const { both, first_only: down, second_only: up, n } = outcomesOf(pairs);
      return { reference: both + down, up, down, n };
    },
  },
  {
    id: "upper-bound",
    method: "right by source, and every downgrade restored",
    given: "source, downgrades, n",
    printed: "upper, percent",
    figures(given) {
      const upper = given.count("source") + given.count("downgrades");
      return { upper: exact(upper), percent: exact(hundredfold(share(upper, given.count("n")))) };
    },
    fromPairs(pairs) {
      const { both, first_only: downgrades, second_only: up, n } = outcomesOf(pairs);
      return { source: both + up, downgrades, n };
    },
  },
  {
    id: "subset-replacement",
    method: "the whole with one subset's count replaced",
    given: "overall, old_subset, new_subset, n",
    printed: "overall, percent",
    figures(given) {
      const overall = given.count("overall") - given.count("old_subset") + given.count("new_subset");
      return { overall: exact(overall), percent: exact(hundredfold(share(overall, given.count("n")))) };
    },
  },
  {
    id: "cost-per-success",
    method: "cost over successes; tokens without a price leave it a lower bound",
    given: "cost as printed, successes, unpriced_tokens",
    printed: "cost, bound",
    figures(given) {
      const [{ value, reach }, successes] = [given.rounded("cost"), rational(given.count("successes"))];
      if (successes.over === 0n) throw new NotCheckable("undefined", "a cost per success without success is undefined");
      const unpriced = given.count("unpriced_tokens") > 0;
      return {
        cost: exact(divided(value, successes), divided(absolute(reach), successes)),
        bound: { type: "word", value: unpriced ? "at least" : "whole" },
      };
    },
  },
];
