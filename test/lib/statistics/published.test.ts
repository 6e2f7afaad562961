// Published figures of DreamBench-SWE, made again from its public cells, to the last bit. The data stand beside the repository.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { clusterBootstrap } from "../../../lib/statistics/bootstrap.js";
import { clusterNormalInterval } from "../../../lib/statistics/cluster-normal.js";
import { holm } from "../../../lib/statistics/holm.js";
import { exactMcNemar } from "../../../lib/statistics/mcnemar.js";
import { signFlipTest } from "../../../lib/statistics/sign-flip.js";
import { shared } from "../../support/shared.js";

const { path, skip } = shared("data/dreambench-swe");
const read = <T>(name: string): T => JSON.parse(readFileSync(join(path, name), "utf8")) as T;

interface Discordant {
  readonly b_first_wins: number;
  readonly c_second_wins: number;
  readonly exact_p: number;
  readonly holm_adjusted_p: number;
}

interface Compared {
  readonly comparison: string;
  readonly first: string;
  readonly second: string;
  readonly permutation_p: number;
  readonly holm_adjusted_p: number;
  readonly primary_test: { readonly cluster_scores: readonly number[]; readonly signed_statistic: number };
  readonly secondary: { readonly pooled_mcnemar: Discordant };
  readonly sensitivity: {
    readonly majority_collapse: Discordant;
    readonly per_seed: readonly (Discordant & { readonly seed: number })[];
  };
}

const comparisons = (): readonly Compared[] =>
  read<{ family: { comparisons: Compared[] } }>("v2_confirmatory_clustered.stdout.json").family.comparisons;

interface Cells {
  readonly traps: readonly string[];
  readonly seeds: readonly number[];
  readonly s3_cells: Readonly<
    Record<string, Readonly<Record<string, { passed: boolean; seed: number; sequence_id: string }>>>
  >;
  readonly trap_pass_counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const ALPHA = 0.05;
const adjusted = (family: readonly number[]): number[] => holm(family, ALPHA).map((entry) => entry.adjusted);

t.test("P1 to P6: clustered sign flips with Holm", { skip }, async (t) => {
  const family = comparisons();
  t.equal(family.length, 6);
  const results = family.map(({ primary_test }) => signFlipTest(primary_test.cluster_scores)!);
  for (const [index, { comparison, primary_test, permutation_p }] of family.entries()) {
    t.equal(results[index]!.statistic, primary_test.signed_statistic, comparison);
    t.equal(results[index]!.p, permutation_p, `${comparison}, p`);
  }
  t.strictSame(
    adjusted(results.map(({ p }) => p)),
    family.map(({ holm_adjusted_p }) => holm_adjusted_p),
  );
  // As the paper prints the first of them.
  t.strictSame([results[0]!.statistic, results[0]!.p], [6, 0.5184192657470703]);
});

t.test("P1 to P6 from passes by trap, and the identities between them", { skip }, async (t) => {
  const { traps, trap_pass_counts: passes } = read<Cells>("v2_cells_subset.json");
  const scores = ({ first, second }: Compared): number[] =>
    traps.map((trap) => passes[first]![trap]! - passes[second]![trap]!);
  const family = comparisons();
  for (const compared of family) {
    const { statistic, p } = signFlipTest(scores(compared))!;
    t.strictSame([statistic, p], [compared.primary_test.signed_statistic, compared.permutation_p], compared.comparison);
  }
  const [p1, p2, p3, p4, p5] = family.map(scores);
  t.strictSame(
    p4,
    p1!.map((difference, index) => difference - p3![index]!),
  );
  t.strictSame(
    p5,
    p1!.map((difference, index) => difference - p2![index]!),
  );
});

t.test("pooled, per-seed and majority McNemar, each family adjusted by itself", { skip }, async (t) => {
  const family = comparisons();
  const kinds: [string, (compared: Compared) => Discordant][] = [
    ["pooled", ({ secondary }) => secondary.pooled_mcnemar],
    ["majority", ({ sensitivity }) => sensitivity.majority_collapse],
    ...[0, 1, 2].map((seed): [string, (compared: Compared) => Discordant] => [
      `seed ${seed + 1}`,
      ({ sensitivity }) => sensitivity.per_seed[seed]!,
    ]),
  ];
  for (const [kind, of] of kinds) {
    const published = family.map(of);
    const p = published.map(({ b_first_wins, c_second_wins }) => exactMcNemar(b_first_wins, c_second_wins));
    t.strictSame(
      p,
      published.map(({ exact_p }) => exact_p),
      `${kind}, p`,
    );
    t.strictSame(
      adjusted(p),
      published.map(({ holm_adjusted_p }) => holm_adjusted_p),
      `${kind}, Holm`,
    );
  }
});

t.test("P1's discordant cells from the cells themselves", { skip }, async (t) => {
  const { s3_cells: cells, seeds } = read<Cells>("v2_cells_subset.json");
  const keys = Object.keys(cells["DF-hybrid"]!);
  t.equal(keys.length, 180);
  const [published] = comparisons();
  const splitOf = (some: readonly string[]): [number, number] => {
    const wins = (first: string, second: string): number =>
      some.filter((key) => cells[first]![key]!.passed && !cells[second]![key]!.passed).length;
    return [wins("DF-hybrid", "B5"), wins("B5", "DF-hybrid")];
  };
  t.strictSame(splitOf(keys), [21, 15]);
  for (const seed of seeds) {
    const here = keys.filter((key) => cells.B5![key]!.seed === seed);
    const { b_first_wins, c_second_wins } = published!.sensitivity.per_seed.find((entry) => entry.seed === seed)!;
    t.strictSame(splitOf(here), [b_first_wins, c_second_wins], `seed ${seed}`);
  }
});

t.test("the bootstrap intervals of Table 7, by the recipe of its authors", { skip }, async (t) => {
  const { traps, trap_pass_counts: passes } = read<Cells>("v2_cells_subset.json");
  const sorted = [...traps].sort();
  for (const [label, arm, lower, upper] of [
    ["t1:B5", "B5", 0.37777777777777777, 0.6168055555555548],
    ["t1:DF-hybrid", "DF-hybrid", 0.4222222222222222, 0.6333333333333333],
    ["t1:DF-typed-only", "DF", 0.3333333333333333, 0.5555555555555556],
    ["t1:DF-raw-only", "DF-raw-only", 0.35, 0.5777777777777777],
    ["t1:B3", "B3", 0.25, 0.4888888888888889],
  ] as const) {
    const digest = createHash("sha256").update(`20260705:${label}`).digest();
    const clusters = sorted.map((trap) => ({ total: passes[arm]![trap]!, count: 3 }));
    const found = clusterBootstrap(clusters, { seed: digest.readBigUInt64BE(0), draws: 2000 })!;
    t.strictSame([found.lower, found.upper], [lower, upper], label);
  }
});

t.test("intervals of an arm that passes 7 of 60 traps three times of three", async (t) => {
  const { lower, upper } = clusterNormalInterval([...new Array<number>(7).fill(1), ...new Array<number>(53).fill(0)])!;
  t.strictSame([lower.toFixed(4), upper.toFixed(4)], ["0.0348", "0.1986"]);
});

t.test("the first version: drop one broken-off cell, then DF against B5", { skip }, async (t) => {
  type Outcome = { B5: boolean | null; DF: boolean | null; DF_err: string | null };
  const matrix = read<{ outcomes: Record<string, Outcome> }[]>("per_trap_matrix_and_leakage.json");
  const cells = matrix.map(({ outcomes }) =>
    Object.values(outcomes).filter(({ DF_err }) => DF_err !== "codex_exec_failed"),
  );
  const scores = cells.map((trap) => trap.reduce((sum, { B5, DF }) => sum + Number(DF) - Number(B5), 0));
  const { statistic, p } = signFlipTest(scores)!;
  t.strictSame([statistic, p], [-4, 0.560546875]);
  t.equal(exactMcNemar(5, 9), 0.4239501953125);
});
