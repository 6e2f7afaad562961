// A finished run -> a lane: the files copied, the trees and totals computed over the copies, all of it under one signed manifest.
import { closeSync, constants, copyFileSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Documents, FileEntry, Manifest, Results } from "../../schemas/index.js";
import { idListSha256, sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { attributionOf } from "../dataset/index.js";
import { SealaneError } from "../finding.js";
import { makeFolder, writeNewFile } from "../io/atomic.js";
import { FolderSource } from "../io/folder-source.js";
import { hashFile } from "../io/hash.js";
import { turns } from "../io/pause.js";
import { ENDPOINTS } from "../judge/index.js";
import { signCheckpoint } from "../manifest/checkpoint.js";
import { signStatement, statementOf } from "../manifest/envelope.js";
import type { SigningKey } from "../manifest/keys.js";
import { leavesOf, TREE_NAMES, TreeBuilder } from "../manifest/trees.js";
import {
  checkpointPath,
  endpointProtocolPath,
  gradesPath,
  LANE_FILES,
  type Located,
  readDocument,
} from "../records/documents.js";
import { type LaneRow, LaneRows } from "../records/rows.js";
import { EVIDENCE_FILE, type RunFolder } from "../run/folder.js";
import { TOOL } from "../tool.js";
import { declaredResults, ResultsBuilder } from "./results.js";

/** What every lane holds beside its endpoints' files. */
const RUN_DOCUMENTS = [
  LANE_FILES.population,
  LANE_FILES.turns,
  LANE_FILES.packets,
  LANE_FILES.requests,
  LANE_FILES.bodies,
  LANE_FILES.receipts,
  LANE_FILES.answers,
  LANE_FILES.amendments,
  LANE_FILES.references,
  LANE_FILES.preparation,
  LANE_FILES.reader,
];

export interface SealRequest {
  readonly laneId: string;
  readonly laneVersion: number;
  readonly previousManifestSha256: string | null;
  readonly sealed: string;
  readonly key: SigningKey;
  readonly out: string;
  readonly stop: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface SealedLane {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  readonly results: Results;
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  const descriptor = openSync(to, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** The digests by which one row's records hold together; throws E_RUN_CHANGED at the first that does not. */
function boundRow(
  row: LaneRow,
  endpoints: readonly string[],
  at: string,
): Required<{ [K in keyof LaneRow]: NonNullable<LaneRow[K]> }> {
  const { question, packet, request, body, receipt, answer, reference, grades } = row;
  const wrong = (what: string): SealaneError =>
    new SealaneError("E_RUN_CHANGED", `the run's files do not hold together at question ${row.index + 1}: ${what}`, {
      at,
    });
  if (!question || !packet || !request || !body || !receipt || !answer || !reference)
    throw wrong("a record is missing");
  const records: Located<{ question_id: string }>[] = [
    packet,
    request,
    body,
    receipt,
    answer,
    reference,
    ...grades.values(),
  ];
  if (records.some((record) => record.value.question_id !== question.value.question_id))
    throw wrong("records are out of order");
  if (grades.size !== endpoints.length) throw wrong("a grade is missing");
  if (sha256Hex(body.value.body) !== request.value.body_sha256) throw wrong("a request body is not the one requested");
  if (receipt.value.request_sha256 !== request.value.body_sha256) throw wrong("a receipt is of another request");
  if (answer.value.receipt_sha256 !== sha256Hex(receipt.bytes)) throw wrong("an answer is of another receipt");
  for (const { value: grade } of grades.values()) {
    const stale =
      grade.answer_sha256 !== (answer.value.answer_sha256 ?? null) ||
      grade.reference_sha256 !== sha256Hex(reference.bytes);
    if (stale) throw wrong("a grade is of another answer or reference: grade again");
  }
  return { ...row, question, packet, request, body, receipt, answer, reference };
}

interface Counted {
  readonly results: Results;
  readonly trees: Manifest["trees"];
  readonly ids: readonly string[];
  readonly files: FileEntry[];
}

/** One pass over the copied records: totals, trees, ids, and the digest of each file. */
async function countRows(
  folder: string,
  endpoints: readonly string[],
  request: SealRequest,
  total: number,
): Promise<Counted> {
  const turn = turns(request.stop);
  const rows = new LaneRows(new FolderSource(folder), endpoints);
  const results = new ResultsBuilder(endpoints);
  const trees = new TreeBuilder();
  const ids: string[] = [];
  for (const read of rows) {
    const row = boundRow(read, endpoints, folder);
    refuseEarlier(request.sealed, row.receipt.value.ended ?? row.receipt.value.started, LANE_FILES.receipts);
    ids.push(row.question.value.question_id);
    const scores = new Map([...row.grades].map(([endpoint, grade]) => [endpoint, grade.value]));
    results.add(row.question.value, row.packet.value, row.answer.value.status, scores);
    trees.add(leavesOf(row, endpoints));
    request.onProgress(ids.length, total);
    await turn();
  }
  for (const { error } of rows.seen) if (error) throw error;
  const files = rows.seen.map(({ path, bytes, sha256 }) => ({ path, size: bytes, sha256 }));
  return { results: results.results(), trees: trees.trees(), ids, files };
}

/** A lane that says that it was sealed before it was made is refused by whoever verifies it, so it is not made. */
function refuseEarlier(sealed: string, time: string, at: string): void {
  if (time <= sealed) return;
  throw new SealaneError("E_TIME", `the lane would be sealed at ${sealed}, before what it holds`, {
    at,
    expected: `not before ${time}`,
    found: sealed,
    next: "Set the clock right and seal again.",
  });
}

/** The endpoints under which a run has been graded. */
function gradedEndpoints(run: RunFolder): string[] {
  return ENDPOINTS.map((endpoint) => endpoint.id).filter((id) => run.has(gradesPath(id)));
}

/**
 * Seals a finished, graded run into a new lane folder. Throws E_RUN_STAGE when a stage is missing, E_RUN_CHANGED when
 * its files do not hold together, E_TIME when the clock is behind the run, E_EXISTS, E_IO; on failure no folder is left.
 */
export async function sealRun(run: RunFolder, request: SealRequest): Promise<SealedLane> {
  run.require([LANE_FILES.answers, LANE_FILES.receipts], `sealane replay ${run.folder}`);
  const endpoints = gradedEndpoints(run);
  if (endpoints.length === 0)
    run.require([gradesPath("<endpoint>")], `sealane grade ${run.folder} --endpoint token-f1`);
  run.checkPrepared(run.run.files.map((file) => file.path).filter((path) => path !== EVIDENCE_FILE));
  for (const { time } of run.records("amendment-record", LANE_FILES.amendments))
    refuseEarlier(request.sealed, time, LANE_FILES.amendments);
  const copied = [...RUN_DOCUMENTS, ...endpoints.flatMap((id) => [gradesPath(id), endpointProtocolPath(id)])];
  return makeFolder(request.out, async (folder) => {
    for (const path of copied) copyFile(run.path(path), join(folder, path));
    const counted = await countRows(folder, endpoints, request, run.run.population.count);
    writeNewFile(join(folder, LANE_FILES.results), canonicalJson(counted.results));
    writeCheckpoints(folder, counted.trees, request);
    const source = new FolderSource(folder);
    const counts = new Set(counted.files.map((file) => file.path));
    const rest = source.entries().filter((entry) => !counts.has(entry.path));
    const files = [...counted.files, ...rest.map(({ path }) => ({ path, ...hashFile(source, path) }))];
    const manifest = manifestOf(source, counted, files, endpoints, request);
    const text = canonicalJson(manifest);
    const manifestSha256 = sha256Hex(text);
    writeNewFile(join(folder, LANE_FILES.manifest), text);
    const envelope = signStatement(statementOf(manifest, manifestSha256), request.key);
    writeNewFile(join(folder, LANE_FILES.envelope), canonicalJson(envelope));
    return { manifest, manifestSha256, results: counted.results };
  });
}

/** A signed checkpoint of each tree. They stand in the manifest like every other file, and so are there before it. */
function writeCheckpoints(folder: string, trees: Manifest["trees"], { laneId, laneVersion, key }: SealRequest): void {
  const lane = { lane_id: laneId, lane_version: laneVersion, trees };
  for (const tree of TREE_NAMES) {
    const file = join(folder, checkpointPath(tree));
    mkdirSync(dirname(file), { recursive: true });
    writeNewFile(file, signCheckpoint(lane, tree, key));
  }
}

function manifestOf(
  source: FolderSource,
  counted: Counted,
  files: readonly FileEntry[],
  endpoints: readonly string[],
  request: SealRequest,
): Manifest {
  const preparation = readDocument(source, "preparation-protocol", LANE_FILES.preparation);
  const reader = readDocument(source, "reader-protocol", LANE_FILES.reader);
  const digestOf = (path: string): string => files.find((file) => file.path === path)!.sha256;
  const { id, sha256 } = preparation.value.tokenizer;
  const licence: Documents["manifest"]["licence_notes"] = [
    `The questions, evidence, references and captions are the dataset's, under its licence: ${preparation.value.dataset.licence}.`,
    ...attributionOf(preparation.value.dataset),
  ];
  return {
    schema: "sealane-manifest/1",
    lane_id: request.laneId,
    lane_version: request.laneVersion,
    previous_manifest_sha256: request.previousManifestSha256,
    sealed: request.sealed,
    tool: TOOL,
    dataset: preparation.value.dataset,
    arm: preparation.value.arm.id,
    population: { count: counted.ids.length, ids_sha256: idListSha256(counted.ids) },
    trees: counted.trees,
    protocols: {
      preparation: preparation.sha256,
      reader: reader.sha256,
      endpoints: endpoints.map((endpoint) => ({ endpoint, sha256: digestOf(endpointProtocolPath(endpoint)) })),
    },
    model: reader.value.model,
    tokenizer: { id, sha256 },
    embedding: preparation.value.embedding ?? null,
    results: declaredResults(counted.results),
    modes: ["reference-verification"],
    licence_notes: licence,
    files: files.toSorted((a, b) => byCodeUnit(a.path, b.path)),
  };
}
