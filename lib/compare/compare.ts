// Two lanes paired by question: what one has right and the other not, how sure that is, and by which method.
import type { Comparison } from "../../schemas/index.js";
import { byCodeUnit } from "../bytes/order.js";
import { cohenKappa, spearman } from "../statistics/agreement.js";
import { clusterBootstrap } from "../statistics/bootstrap.js";
import { clusterNormalInterval } from "../statistics/cluster-normal.js";
import { fsum } from "../statistics/fsum.js";
import { exactMcNemar } from "../statistics/mcnemar.js";
import { signFlipTest } from "../statistics/sign-flip.js";
import { tangoInterval, tangoNonInferiority } from "../statistics/tango.js";
import { wilcoxonSignedRank } from "../statistics/wilcoxon.js";
import { byHistory, isBinary, pairScores, type ScoredLane, type ScoredPair } from "./scored.js";

type Test = Comparison["tests"][number];
type PairedInterval = Comparison["intervals"][number];

export interface ComparisonOptions {
  /** The dataset's name, for the caption. */
  readonly dataset: string;
  readonly seed: bigint;
  readonly draws: number;
  /** As a share of one; undefined when non-inferiority is not asked. */
  readonly margin?: number | undefined;
}

const LEVEL = 0.95;
/** Differences are made whole by a power of two, which is exact, up to this one. */
const SCALE_MAX = 1024;

const differencesOf = (pairs: readonly ScoredPair[]): number[] =>
  pairs.flatMap(({ first, second }) => [first, -second]);

function meansOf(pairs: readonly ScoredPair[]): Comparison["means"] {
  const n = pairs.length;
  if (n === 0) return { first: null, second: null, difference: null };
  const mean = (terms: readonly number[]): number => fsum(terms) / n;
  return {
    first: mean(pairs.map(({ first }) => first)),
    second: mean(pairs.map(({ second }) => second)),
    difference: mean(differencesOf(pairs)),
  };
}

type Outcomes = NonNullable<Comparison["outcomes"]>;

function outcomesOf(pairs: readonly ScoredPair[]): Outcomes | null {
  if (!pairs.every(({ first, second }) => isBinary(first) && isBinary(second))) return null;
  const count = (a: number, b: number): number =>
    pairs.filter(({ first, second }) => first === a && second === b).length;
  return { both: count(1, 1), neither: count(0, 0), first_only: count(1, 0), second_only: count(0, 1) };
}

function mcNemar(outcomes: Outcomes | null): Test {
  const method = "two-sided exact McNemar test on discordant questions, taken as independent";
  if (!outcomes) {
    const why = "scores are not all 0 or 1";
    return { id: "mcnemar-exact", method, statistic: null, n: 0, p: null, why };
  }
  const { first_only: b, second_only: c } = outcomes;
  return { id: "mcnemar-exact", method, statistic: b - c, n: b + c, p: exactMcNemar(b, c), why: null };
}

/** Differences closer than this are one difference, told apart only by the rounding of doubles; ranks would see two. */
const APART = 1e-12;

function wilcoxon(pairs: readonly ScoredPair[]): Test {
  const differences = pairs.map(({ first, second }) => Math.round((first - second) / APART) * APART);
  const { n, positive, negative, p, method } = wilcoxonSignedRank(differences);
  const how = `two-sided Wilcoxon signed-rank test (${method}) on questions, taken as independent`;
  return { id: "wilcoxon", method: how, statistic: positive - negative, n, p, why: null };
}

/** Sums of differences by cluster as whole numbers, or undefined where no power of two makes every score whole. */
function wholeSums(clusters: readonly (readonly ScoredPair[])[]): { sums: number[]; scale: number } | undefined {
  for (let scale = 1; scale <= SCALE_MAX; scale *= 2) {
    const whole = clusters.every((pairs) =>
      pairs.every(({ first, second }) => Number.isInteger(first * scale) && Number.isInteger(second * scale)),
    );
    if (!whole) continue;
    const sums = clusters.map((pairs) => pairs.reduce((sum, { first, second }) => sum + (first - second) * scale, 0));
    return { sums, scale };
  }
  return undefined;
}

function signFlip(clusters: readonly (readonly ScoredPair[])[]): Test {
  const id = "sign-flip";
  const method = "two-sided exact sign-flip test over histories, by dynamic programming";
  const none = (why: string): Test => ({ id, method, statistic: null, n: 0, p: null, why });
  const whole = wholeSums(clusters);
  if (!whole) return none("scores are no fractions of a power of two, so that sums cannot be counted exactly");
  const result = signFlipTest(whole.sums);
  if (!result) return none("the sums are too large to count over");
  const said = result.method === "exact" ? method : `${method}, in doubles`;
  return { id, method: said, statistic: result.statistic / whole.scale, n: result.clusters, p: result.p, why: null };
}

function intervalsOf(
  clusters: readonly (readonly ScoredPair[])[],
  outcomes: Outcomes | null,
  n: number,
  { seed, draws }: ComparisonOptions,
): PairedInterval[] {
  const sums = clusters.map((pairs) => ({ total: fsum(differencesOf(pairs)), count: pairs.length }));
  const entry = (
    id: string,
    method: string,
    interval: { lower: number; upper: number } | null,
    more: { seed?: string; draws?: number; why: string },
  ): PairedInterval => ({
    id,
    method,
    level: LEVEL,
    lower: interval?.lower ?? null,
    upper: interval?.upper ?? null,
    seed: more.seed ?? null,
    draws: more.draws ?? null,
    why: interval ? null : more.why,
  });
  const single = "fewer than two histories tell nothing of how histories differ";
  const tango = outcomes && tangoInterval(outcomes.first_only, outcomes.second_only, n, 0.5 + LEVEL / 2);
  return [
    entry(
      "cluster-bootstrap",
      "percentile bootstrap over whole histories (MT19937)",
      clusterBootstrap(sums, { seed, draws, level: LEVEL }),
      {
        seed: String(seed),
        draws,
        why: single,
      },
    ),
    entry(
      "cluster-normal",
      "normal interval of the mean over histories, each of equal weight",
      clusterNormalInterval(
        sums.map(({ total, count }) => total / count),
        LEVEL,
      ),
      { why: single },
    ),
    entry("tango", "Tango's score interval on questions, taken as independent", tango, {
      why: n === 0 ? "there is no question" : "scores are not all 0 or 1",
    }),
  ];
}

function nonInferiority(
  outcomes: Outcomes | null,
  n: number,
  margin: number | undefined,
): Comparison["noninferiority"] {
  if (margin === undefined) return null;
  const result = outcomes && tangoNonInferiority(outcomes.first_only, outcomes.second_only, n, margin, LEVEL);
  const verdict = result === null ? "undefined" : result.nonInferior ? "non-inferior" : "not shown";
  const method = "Tango's score interval on questions, one-sided lower bound of first less second";
  return { method, margin, level: LEVEL, lower: result?.lower ?? null, verdict };
}

/**
 * Pairs two lanes by question under one endpoint. Differences are the first less the second; the order of rows in either lane
 * decides nothing. Throws E_PAIRING when they are not of the same questions, references and endpoint protocol.
 */
export function compareLanes(first: ScoredLane, second: ScoredLane, options: ComparisonOptions): Comparison {
  const pairs = pairScores(first, second);
  const clusters = byHistory(pairs);
  const outcomes = outcomesOf(pairs);
  const n = pairs.length;
  const ungraded = ({ rows }: ScoredLane): number => rows.filter(({ graded }) => !graded).length;
  const scores = { first: pairs.map((pair) => pair.first), second: pairs.map((pair) => pair.second) };
  const tests = [mcNemar(outcomes), ...(outcomes ? [] : [wilcoxon(pairs)]), signFlip(clusters)];
  const categories = [...new Set(pairs.map(({ category }) => category))].sort(byCodeUnit);
  return {
    schema: "sealane-comparison/1",
    first: first.name,
    second: second.name,
    endpoint: first.endpoint,
    dataset: options.dataset,
    questions: n,
    ungraded: { first: ungraded(first), second: ungraded(second) },
    cluster: "history",
    clusters: clusters.length,
    binary: outcomes !== null,
    caption:
      `${first.name} less ${second.name} under ${first.endpoint}: ${n} questions of ${options.dataset} in ${clusters.length} histories, ` +
      `paired by question; two-sided tests; intervals at ${100 * LEVEL} %; bootstrap with seed ${options.seed}, ${options.draws} draws`,
    means: meansOf(pairs),
    outcomes,
    tests,
    intervals: intervalsOf(clusters, outcomes, n, options),
    noninferiority: nonInferiority(outcomes, n, options.margin),
    kappa: outcomes && cohenKappa(scores.first.map(String), scores.second.map(String)),
    spearman: spearman(scores.first, scores.second),
    categories: categories.map((category) => {
      const part = pairs.filter((pair) => pair.category === category);
      return { category, questions: part.length, means: meansOf(part), outcomes: outcomes && outcomesOf(part) };
    }),
  };
}
