// Percentile bootstrap over clusters: whole clusters (histories, traps) are drawn with replacement, never single questions of one.
import { MersenneTwister } from "./mersenne.js";
import type { Interval } from "./proportion.js";

/** One cluster's part of a ratio: Σ total / Σ count is the statistic. */
export interface ClusterSum {
  readonly total: number;
  readonly count: number;
}

export interface Bootstrap extends Interval {
  readonly estimate: number;
  readonly draws: number;
  readonly seed: string;
  readonly generator: "mt19937";
  readonly level: number;
}

/** The p-quantile of sorted values by linear interpolation between neighbours (Hyndman and Fan's type 7). */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

/**
 * The percentile interval of Σ total / Σ count over clusters drawn with replacement, in the order given: equal order, seed and
 * draws give equal bits, here and with CPython's random.choice. Null with fewer than two clusters: one tells nothing of how
 * clusters differ.
 */
export function clusterBootstrap(
  clusters: readonly ClusterSum[],
  { seed, draws, level = 0.95 }: { seed: bigint; draws: number; level?: number },
): Bootstrap | null {
  const size = clusters.length;
  if (size < 2) return null;
  const totals = Float64Array.from(clusters, (cluster) => cluster.total);
  const counts = Float64Array.from(clusters, (cluster) => cluster.count);
  const generator = new MersenneTwister(seed);
  const means = new Float64Array(draws);
  const drawn = new Uint32Array(size);
  for (let draw = 0; draw < draws; draw += 1) {
    generator.fillBelow(size, drawn);
    let total = 0;
    let count = 0;
    for (let place = 0; place < size; place += 1) {
      const cluster = drawn[place]!;
      total += totals[cluster]!;
      count += counts[cluster]!;
    }
    means[draw] = total / count;
  }
  means.sort();
  const tail = (1 - level) / 2;
  return {
    estimate: totals.reduce((sum, value) => sum + value, 0) / counts.reduce((sum, value) => sum + value, 0),
    lower: quantile(means, tail),
    upper: quantile(means, 1 - tail),
    draws,
    seed: String(seed),
    generator: "mt19937",
    level,
  };
}
