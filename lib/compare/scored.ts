// The scores of a lane or run under one endpoint, question by question, and two of them paired.
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { SealaneError } from "../finding.js";
import { readWhole } from "../io/source.js";
import type { OpenedRecords } from "../lane/open.js";
import { endpointProtocolPath, gradesPath, LANE_FILES } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";

/** One question under one endpoint. */
export interface ScoredRow {
  readonly questionId: string;
  readonly historyId: string;
  readonly category: string;
  /** Without a grade it counts with nothing, as in the totals. */
  readonly score: number;
  readonly graded: boolean;
  /** Of the question without its place, and of its reference: what must be equal for a pair. */
  readonly identity: string;
}

/** A lane's or run's rows under one endpoint. */
export interface ScoredLane {
  readonly name: string;
  readonly endpoint: string;
  /** SHA-256 of the endpoint's protocol; of a run, which has none yet, null. */
  readonly protocolSha256: string | null;
  readonly rows: readonly ScoredRow[];
}

export interface ScoredPair {
  readonly historyId: string;
  readonly category: string;
  readonly first: number;
  readonly second: number;
}

export const isBinary = (score: number): boolean => score === 0 || score === 1;

/** Reads the scores. Throws E_UNKNOWN for an endpoint that the lane has no grades of, and whatever is wrong with a record. */
export function readScored({ source, name, endpoints }: OpenedRecords, endpoint: string): ScoredLane {
  if (!endpoints.includes(endpoint)) {
    throw new SealaneError("E_UNKNOWN", `${name} has no endpoint '${endpoint}'`, {
      at: name,
      expected: endpoints.join(", "),
      found: endpoint,
    });
  }
  const files = [LANE_FILES.population, LANE_FILES.references, gradesPath(endpoint)];
  const lines = new LaneRows(source, [endpoint], files);
  const rows: ScoredRow[] = [];
  for (const { question, reference, grades } of lines) {
    if (!question) continue;
    const { question_id: questionId, history_id: historyId, category } = question.value;
    const grade = grades.get(endpoint);
    const named = { question: { ...question.value, ordinal: 0 }, reference: reference?.value ?? null };
    rows.push({
      questionId,
      historyId,
      category,
      score: grade?.value.score ?? 0,
      graded: grade !== undefined,
      identity: sha256Hex(canonicalJson(named)),
    });
  }
  for (const { error } of lines.seen) if (error) throw error;
  const path = endpointProtocolPath(endpoint);
  const present = source.entries().some((entry) => entry.path === path);
  const protocolSha256 = present ? sha256Hex(readWhole(source, path, LIMITS.documentBytesMax)) : null;
  return { name, endpoint, protocolSha256, rows };
}

/** Why two lanes cannot be paired by question; undefined when they can. */
export function unpairable(first: ScoredLane, second: ScoredLane): { expected: string; found: string } | undefined {
  const others = new Map(second.rows.map((row) => [row.questionId, row]));
  if (first.rows.length !== second.rows.length || others.size !== second.rows.length) {
    return { expected: `${first.rows.length} questions`, found: `${second.rows.length} questions` };
  }
  for (const row of first.rows) {
    const other = others.get(row.questionId);
    if (!other) return { expected: `question ${row.questionId}`, found: "no such question" };
    if (other.identity !== row.identity) {
      return { expected: `${row.questionId} as ${first.name} asks and answers it`, found: `another text or reference` };
    }
  }
  return undefined;
}

/**
 * The questions of two lanes side by side, in the order of their ids, so that the order of either file decides nothing.
 * Throws E_PAIRING when a question, its reference or the endpoint's protocol is not the same on both sides.
 */
export function pairScores(first: ScoredLane, second: ScoredLane): ScoredPair[] {
  const apart = unpairable(first, second) ?? protocolsApart(first, second);
  if (apart) throw new SealaneError("E_PAIRING", `${first.name} and ${second.name} cannot be paired`, apart);
  return pairsOf(first, second);
}

function protocolsApart(first: ScoredLane, second: ScoredLane): { expected: string; found: string } | undefined {
  if (first.endpoint === second.endpoint && first.protocolSha256 === second.protocolSha256) return undefined;
  const named = ({ endpoint, protocolSha256 }: ScoredLane): string =>
    `${endpoint}, protocol ${protocolSha256 ?? "none"}`;
  return { expected: named(first), found: named(second) };
}

/** The same of lanes of which `unpairable` says nothing; also of two endpoints. */
export function pairsOf(first: ScoredLane, second: ScoredLane): ScoredPair[] {
  const others = new Map(second.rows.map((row) => [row.questionId, row.score]));
  return [...first.rows]
    .sort((a, b) => byCodeUnit(a.questionId, b.questionId))
    .map(({ questionId, historyId, category, score }) => ({
      historyId,
      category,
      first: score,
      second: others.get(questionId)!,
    }));
}

/** Items by their history, in the order of the histories' ids. */
export function byHistory<T extends { readonly historyId: string }>(items: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.historyId);
    if (group) group.push(item);
    else groups.set(item.historyId, [item]);
  }
  return [...groups].sort(([a], [b]) => byCodeUnit(a, b)).map(([, group]) => group);
}
