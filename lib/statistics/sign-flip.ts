import { ratio } from "./ratio.js";

/** Up to this many steps, clusters times their total, sums are counted in whole numbers; beyond, in shares of one, as doubles. */
const EXACT_STEPS_MAX = 2_000_000;
/** Beyond this many steps, or this total, nothing is counted. */
const STEPS_MAX = 4_000_000_000;
const TOTAL_MAX = 50_000_000;

export interface SignFlip {
  /** Σ d over the clusters. */
  readonly statistic: number;
  /** Clusters whose difference is not zero; only these can be flipped. */
  readonly clusters: number;
  readonly p: number;
  readonly method: "exact" | "exact-in-doubles";
}

/**
 * The two-sided sign-flip permutation test over clusters: p = #{sign choices with |Σ ±|d|| ≥ |Σ d|} / 2^k over the k clusters with
 * d ≠ 0, by dynamic programming over |d| (nothing is drawn). Differences are integers; 1 when all are zero. Exact gives the nearest
 * double; in doubles, about 12 digits. Null where the sums are too large to count over.
 */
export function signFlipTest(differences: readonly number[]): SignFlip | null {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const statistic = differences.reduce((sum, difference) => sum + difference, 0);
  const clusters = sizes.length;
  if (sizes.some((size) => !Number.isSafeInteger(size))) throw new RangeError("differences must be integers");
  if (clusters === 0) return { statistic, clusters, p: 1, method: "exact" };
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > TOTAL_MAX || total * clusters > STEPS_MAX) return null;
  const exact = total * clusters <= EXACT_STEPS_MAX;
  const method = exact ? "exact" : "exact-in-doubles";
  const p = exact
    ? countedExactly(sizes, total, Math.abs(statistic))
    : countedInDoubles(sizes, total, Math.abs(statistic));
  return { statistic, clusters, p, method };
}

/** Ways to choose a subset of sum s are ways to reach Σ ± = 2s - total. */
function countedExactly(sizes: readonly number[], total: number, observed: number): number {
  const ways = new Array<bigint>(total + 1).fill(0n);
  ways[0] = 1n;
  let reached = 0;
  for (const size of sizes) {
    for (let sum = reached; sum >= 0; sum -= 1) {
      if (ways[sum] !== 0n) ways[sum + size]! += ways[sum]!;
    }
    reached += size;
  }
  let extreme = 0n;
  for (let sum = 0; sum <= total; sum += 1) if (Math.abs(2 * sum - total) >= observed) extreme += ways[sum]!;
  return ratio(extreme, 1n << BigInt(sizes.length));
}

function countedInDoubles(sizes: readonly number[], total: number, observed: number): number {
  const share = new Float64Array(total + 1);
  share[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    // Halving is exact, so all that is rounded is the sums.
    for (let sum = reached; sum >= 0; sum -= 1) {
      const half = share[sum]! / 2;
      share[sum + size]! += half;
      share[sum] = half;
    }
    reached += size;
  }
  let extreme = 0;
  for (let sum = 0; sum <= total; sum += 1) if (Math.abs(2 * sum - total) >= observed) extreme += share[sum]!;
  return Math.min(1, extreme);
}
