// Two lanes side by side: in which layer they part, question by question, and whether they are one experiment.
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import type { LaneSource } from "../io/source.js";
import { endpointProtocolPath, LANE_FILES, readDocument } from "../records/documents.js";
import { type LaneRow, LaneRows } from "../records/rows.js";

/** A field in which two documents differ; a side that lacks it has null. */
export interface FieldDifference {
  readonly at: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** One layer, in the order in which data flows: what rests on a layer that differs is expected to differ too. */
export interface LayerDifference {
  readonly layer: string;
  readonly equal: boolean;
  /** Of a document: the fields that differ. */
  readonly fields: readonly FieldDifference[];
  /** Of records: the questions that differ, the first of them by id. */
  readonly questions: readonly string[];
  readonly questions_total: number;
}

export interface DiffedLane {
  readonly lane_id: string;
  readonly lane_version: number;
  readonly manifest_sha256: string;
}

export interface LaneDiff {
  readonly schema: "sealane-diff/1";
  readonly a: DiffedLane;
  readonly b: DiffedLane;
  /** The same manifest. */
  readonly identical: boolean;
  /** The same questions of the same dataset, the same packets, the same requests to the same model: only outcomes may differ. */
  readonly same_experiment: boolean;
  readonly layers: readonly LayerDifference[];
}

/** Layers that make an experiment what it is; the others are its outcome. */
const EXPERIMENT = new Set(["dataset", "population", "preparation protocol", "packets", "reader protocol", "requests"]);

const QUESTIONS_SHOWN = 20;

/** One question of a lane, as far as two lanes are compared by it. */
export interface ComparedQuestion {
  readonly category: string;
  /** By layer. */
  readonly digests: ReadonlyMap<string, string>;
  /** By endpoint. */
  readonly scores: ReadonlyMap<string, number>;
}

function compared(row: LaneRow, category: string): ComparedQuestion {
  const { question, packet, request, answer, reference, grades } = row;
  const digests = new Map<string, string>();
  const set = (layer: string, value: string | undefined): void => {
    if (value !== undefined) digests.set(layer, value);
  };
  set("population", question && sha256Hex(question.bytes));
  // The same without its place, which a question before it decides.
  set("question", question && canonicalJson({ ...question.value, ordinal: 0 }));
  set("packets", packet?.value.evidence_sha256);
  set("requests", request?.value.body_sha256);
  set("answers", answer && `${answer.value.status} ${answer.value.answer_sha256 ?? ""}`);
  set("references", reference && sha256Hex(reference.bytes));
  for (const [endpoint, grade] of grades) set(`grades ${endpoint}`, String(grade.value.score));
  return { category, digests, scores: new Map([...grades].map(([endpoint, grade]) => [endpoint, grade.value.score])) };
}

/** Every question, by id. Throws at a record that cannot be read. */
function questionsOf(source: LaneSource, endpoints: readonly string[]): Map<string, ComparedQuestion> {
  const rows = new LaneRows(source, endpoints);
  const questions = new Map<string, ComparedQuestion>();
  for (const row of rows) {
    if (row.question) questions.set(row.question.value.question_id, compared(row, row.question.value.category));
  }
  for (const { error } of rows.seen) if (error) throw error;
  return questions;
}

/** The fields in which two JSON values differ, arrays and objects walked in step. */
export function fieldDifferences(a: unknown, b: unknown, at = ""): FieldDifference[] {
  const bothContainers = typeof a === "object" && a !== null && typeof b === "object" && b !== null;
  if (bothContainers && Array.isArray(a) === Array.isArray(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) => {
      const [left, right] = [a, b].map((side) => (side as Record<string, unknown>)[name]);
      return fieldDifferences(left, right, `${at}/${name}`);
    });
  }
  const [left, right] = [a ?? null, b ?? null];
  return canonicalJson(left) === canonicalJson(right) ? [] : [{ at, a: left, b: right }];
}

function documentLayer(layer: string, a: unknown, b: unknown): LayerDifference {
  const fields = fieldDifferences(a, b);
  return { layer, equal: fields.length === 0, fields, questions: [], questions_total: 0 };
}

type Questions = ReadonlyMap<string, ComparedQuestion>;

function recordLayer(layer: string, a: Questions, b: Questions): LayerDifference {
  const ids = new Set([...a.keys(), ...b.keys()]);
  const differing = [...ids].filter((id) => a.get(id)?.digests.get(layer) !== b.get(id)?.digests.get(layer));
  return {
    layer,
    equal: differing.length === 0,
    fields: [],
    questions: differing.slice(0, QUESTIONS_SHOWN),
    questions_total: differing.length,
  };
}

/** A lane as far as it is compared: its documents, and of its records what a question can differ in. */
export type ComparedLane = ReturnType<typeof readCompared>;

/** Throws at a document or record that cannot be read. */
export function readCompared(source: LaneSource) {
  const manifest = readDocument(source, "manifest", LANE_FILES.manifest);
  const endpoints = manifest.value.protocols.endpoints.map((entry) => entry.endpoint);
  return {
    manifest,
    endpoints,
    preparation: readDocument(source, "preparation-protocol", LANE_FILES.preparation).value,
    reader: readDocument(source, "reader-protocol", LANE_FILES.reader).value,
    results: readDocument(source, "results", LANE_FILES.results).value,
    protocolOf: (endpoint: string): object | null =>
      endpoints.includes(endpoint)
        ? readDocument(source, "token-f1-protocol", endpointProtocolPath(endpoint)).value
        : null,
    questions: questionsOf(source, endpoints),
  };
}

/** Compares two lanes document by document. Says nothing of whether either holds together: that is for `verify`. */
export function diffLanes(sourceA: LaneSource, sourceB: LaneSource): LaneDiff {
  return diffCompared(readCompared(sourceA), readCompared(sourceB));
}

/** The same of lanes that have been read. */
export function diffCompared(a: ComparedLane, b: ComparedLane): LaneDiff {
  const endpoints = [...new Set([...a.endpoints, ...b.endpoints])];
  const records = (layer: string): LayerDifference => recordLayer(layer, a.questions, b.questions);
  const layers = [
    documentLayer("dataset", a.manifest.value.dataset, b.manifest.value.dataset),
    records("population"),
    // The dataset, which this protocol names too, is a layer of its own.
    documentLayer("preparation protocol", { ...a.preparation, dataset: null }, { ...b.preparation, dataset: null }),
    records("packets"),
    documentLayer("reader protocol", a.reader, b.reader),
    records("requests"),
    records("answers"),
    records("references"),
    ...endpoints.flatMap((endpoint) => [
      documentLayer(`${endpoint} protocol`, a.protocolOf(endpoint), b.protocolOf(endpoint)),
      records(`grades ${endpoint}`),
    ]),
    documentLayer("results", a.results, b.results),
  ];
  const laneOf = ({ manifest }: ComparedLane): DiffedLane => ({
    lane_id: manifest.value.lane_id,
    lane_version: manifest.value.lane_version,
    manifest_sha256: manifest.sha256,
  });
  return {
    schema: "sealane-diff/1",
    a: laneOf(a),
    b: laneOf(b),
    identical: a.manifest.sha256 === b.manifest.sha256,
    same_experiment: layers.every((layer) => layer.equal || !EXPERIMENT.has(layer.layer)),
    layers,
  };
}
