// Agreement of two ways of judging, and association.
import { cohenKappa, spearman } from "../../statistics/agreement.js";
import { type ClaimKind, defined, double, exact } from "../kind.js";
import { NotCheckable } from "../not-checkable.js";

function sameLength(first: readonly unknown[], second: readonly unknown[]): void {
  if (first.length !== second.length) throw new NotCheckable("given-invalid", "both sides are not of the same things");
}

export const AGREEMENT_KINDS: readonly ClaimKind[] = [
  {
    id: "kappa",
    method: "Cohen's kappa of two raters over the same things, unweighted",
    given: "first, second: labels as strings",
    printed: "kappa, agreed, n",
    figures(given) {
      const [first, second] = [given.words("first"), given.words("second")];
      sameLength(first, second);
      const kappa = defined(cohenKappa(first, second), "kappa");
      const agreed = first.filter((label, index) => label === second[index]).length;
      return { kappa: double(kappa), agreed: exact(agreed), n: exact(first.length) };
    },
    fromPairs: (pairs) => ({
      first: pairs.map(({ first }) => String(first)),
      second: pairs.map(({ second }) => String(second)),
    }),
  },
  {
    id: "spearman",
    method: "Spearman's rank correlation, ties at mean ranks",
    given: "first, second: numbers",
    printed: "rho, n",
    figures(given) {
      const [first, second] = [given.numbers("first"), given.numbers("second")];
      sameLength(first, second);
      return { rho: double(defined(spearman(first, second), "the correlation")), n: exact(first.length) };
    },
    fromPairs: (pairs) => ({
      first: pairs.map(({ first }) => first),
      second: pairs.map(({ second }) => second),
    }),
  },
];
