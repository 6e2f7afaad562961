// The statistics in this process, and the same work by SciPy and NumPy in one process of Python, where they are installed. Times of
// Python are taken inside it, so that neither side pays for its start.
import { spawnSync } from "node:child_process";
import { compareLanes } from "../lib/compare/compare.js";
import type { ScoredLane } from "../lib/compare/scored.js";
import { ResultsBuilder } from "../lib/lane/results.js";
import { RetrievalBuilder } from "../lib/lane/retrieval.js";
import { TABLE_FORMATS } from "../lib/report/table-formats.js";
import { lanesTables } from "../lib/report/tables.js";
import { clusterBootstrap } from "../lib/statistics/bootstrap.js";
import { summary } from "../lib/statistics/describe.js";
import { exactMcNemar } from "../lib/statistics/mcnemar.js";
import { clopperPearsonInterval } from "../lib/statistics/proportion.js";
import { signFlipTest } from "../lib/statistics/sign-flip.js";
import { wilcoxonSignedRank } from "../lib/statistics/wilcoxon.js";
import { median } from "./measure.js";

const QUESTIONS = 1540;
const DRAWS = 10_000;
const TIMES = 5;

/** A score of 0 or 1 that follows from its place, with no generator. */
const scoreAt = (place: number, salt: number): number => ((place * 2654435761 + salt * 40503) >>> 7) & 1;
const range = (size: number): number[] => Array.from({ length: size }, (_, index) => index);
const differences = (clusters: number): number[] =>
  range(clusters).map((place) => scoreAt(place, 1) + scoreAt(place, 2) + scoreAt(place, 3) - 2 * scoreAt(place, 4));

function lane(name: string, salt: number): ScoredLane {
  return {
    name,
    endpoint: "judge",
    protocolSha256: null,
    rows: range(QUESTIONS).map((place) => ({
      questionId: `q${place}`,
      historyId: `h${place % 10}`,
      category: `c${place % 4}`,
      score: scoreAt(place, salt),
      graded: true,
      identity: "",
    })),
  };
}

function tables(): void {
  const results = new ResultsBuilder(["judge"]);
  const retrieval = new RetrievalBuilder();
  for (const place of range(QUESTIONS)) {
    const question = { category: `c${place % 4}`, history_id: `h${place % 10}` };
    const packet = { tokens: place, spans: [] };
    results.add(question, packet, "answered", new Map([["judge", { score: scoreAt(place, 1) }]]));
    retrieval.add(question, packet, { evidence: [[1, 1]] });
  }
  const measured = { dataset: "generated", questions: QUESTIONS, population_sha256: "", protocols: {} };
  const lengths = { evidence_tokens: summary(range(QUESTIONS)), call_ms: null };
  const made = { name: "a", measured, lengths, results: results.results(), retrieval: retrieval.retrieval() };
  for (const format of TABLE_FORMATS) format.render(lanesTables([made], true));
}

const clustersOf = (count: number): { total: number; count: number }[] =>
  range(count).map((place) => ({ total: scoreAt(place, 1), count: 1 }));

/** The work, and the same in Python; null where SciPy has nothing like it. */
const WORK: readonly { what: string; ours: () => unknown; theirs: string | null }[] = [
  {
    what: `bootstrap of ${QUESTIONS} questions, ${DRAWS} draws`,
    ours: () => clusterBootstrap(clustersOf(QUESTIONS), { seed: 1n, draws: DRAWS }),
    theirs: `stats.bootstrap((scores(${QUESTIONS}, 1),), np.mean, n_resamples=${DRAWS}, method="percentile", batch=100)`,
  },
  {
    what: `bootstrap of 500 clusters, ${DRAWS} draws`,
    ours: () => clusterBootstrap(clustersOf(500), { seed: 1n, draws: DRAWS }),
    theirs: `stats.bootstrap((scores(500, 1),), np.mean, n_resamples=${DRAWS}, method="percentile", batch=100)`,
  },
  {
    what: "exact sign flips of 60 clusters",
    ours: () => signFlipTest(differences(60)),
    theirs: "flips(differences(60))",
  },
  {
    what: "exact sign flips of 2,000 clusters",
    ours: () => signFlipTest(differences(2000)),
    theirs: "flips(differences(2000))",
  },
  {
    what: "exact McNemar of 500,500 and 499,500",
    ours: () => exactMcNemar(500_500, 499_500),
    theirs: "stats.binomtest(500500, 1000000)",
  },
  {
    what: "Clopper-Pearson of 1,205 in 1,540",
    ours: () => clopperPearsonInterval(1205, QUESTIONS),
    theirs: `stats.binomtest(1205, ${QUESTIONS}).proportion_ci(method="exact")`,
  },
  {
    what: "Wilcoxon, exact, of 150",
    ours: () => wilcoxonSignedRank(range(150).map((place) => (place % 3 === 0 ? -1 : 1) * (place + 1))),
    theirs: 'stats.wilcoxon([(-1 if i % 3 == 0 else 1) * (i + 1) for i in range(150)], mode="exact")',
  },
  {
    what: `comparison of two lanes of ${QUESTIONS} questions, ${DRAWS} draws`,
    ours: () => compareLanes(lane("a", 1), lane("b", 2), { dataset: "generated", seed: 1n, draws: DRAWS }),
    theirs: null,
  },
  { what: `all tables of ${QUESTIONS} questions in every format`, ours: tables, theirs: null },
];

/** SciPy enumerates or draws sign flips; over clusters that many it has no exact test, so the same sums are made with NumPy. */
const PYTHON = `
import json, sys, time
import numpy as np
from scipy import stats
def score(i, salt): return (((i * 2654435761 + salt * 40503) & 0xffffffff) >> 7) & 1
def scores(n, salt): return np.array([score(i, salt) for i in range(n)], dtype=float)
def differences(n): return [score(i, 1) + score(i, 2) + score(i, 3) - 2 * score(i, 4) for i in range(n)]
def flips(d):
    sizes = [abs(x) for x in d if x]
    share = np.ones(1)
    for size in sizes:
        wider = np.zeros(len(share) + size)
        wider[:len(share)] += share / 2
        wider[size:] += share / 2
        share = wider
    sums = 2 * np.arange(len(share)) - sum(sizes)
    return share[np.abs(sums) >= abs(sum(d))].sum()
times = []
for work in json.loads(sys.argv[1]):
    runs = []
    for _ in range(${TIMES}):
        started = time.perf_counter()
        eval(work)
        runs.append((time.perf_counter() - started) * 1000)
    times.append(sorted(runs)[len(runs) // 2])
import scipy
print(json.dumps({"scipy": scipy.__version__, "times": times}))
`;

function ofPython(): { version: string; times: Map<string, number> } | undefined {
  const compared = WORK.filter(({ theirs }) => theirs !== null);
  const asked = JSON.stringify(compared.map(({ theirs }) => theirs));
  const { status, stdout } = spawnSync("python3", ["-c", PYTHON, asked], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const { scipy, times } = JSON.parse(stdout) as { scipy: string; times: number[] };
  return { version: scipy, times: new Map(compared.map(({ what }, index) => [what, times[index]!])) };
}

function millisecondsOf(work: () => unknown): number {
  const runs = range(TIMES).map(() => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return median(runs);
}

export function benchStatistics(): void {
  const python = ofPython();
  const reference = python ? `SciPy ${python.version}` : "no SciPy here";
  process.stdout.write(`median of ${TIMES}, in ms: ours; ${reference}; ratio\n`);
  for (const { what, ours } of WORK) {
    const mine = millisecondsOf(ours);
    const theirs = python?.times.get(what);
    const compared = theirs === undefined ? "-; -" : `${theirs.toFixed(2)}; ${(mine / theirs).toFixed(2)}`;
    process.stdout.write(`${what}: ${mine.toFixed(2)}; ${compared}\n`);
  }
}
