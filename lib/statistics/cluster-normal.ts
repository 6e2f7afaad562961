import { fsum } from "./fsum.js";
import { normalQuantile } from "./normal.js";
import type { Interval } from "./proportion.js";

/**
 * The cluster-robust normal interval of the mean of cluster means, each cluster of equal weight: mean ± z s / √k with the sample
 * standard deviation s of the k means. Null with fewer than two clusters.
 */
export function clusterNormalInterval(means: readonly number[], level = 0.95): (Interval & { mean: number }) | null {
  const k = means.length;
  if (k < 2) return null;
  const mean = fsum(means) / k;
  const deviation = Math.sqrt(fsum(means.map((value) => (value - mean) ** 2)) / (k - 1));
  const half = (normalQuantile(0.5 + level / 2) * deviation) / Math.sqrt(k);
  return { mean, lower: mean - half, upper: mean + half };
}
