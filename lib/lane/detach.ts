// A lane -> a detached lane: the same result without a word of its dataset, signed anew. Every record that is left out is made
// again from what is written, and compared, before the next is looked at.
import { join } from "node:path";
import type { FileEntry, Manifest } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import { attributionOf, type Dataset } from "../dataset/index.js";
import { SealaneError } from "../finding.js";
import { FileWriter, makeFolder, writeNewFile } from "../io/atomic.js";
import { FolderSource } from "../io/folder-source.js";
import { hashFile } from "../io/hash.js";
import { turns } from "../io/pause.js";
import { type LaneSource, readWhole } from "../io/source.js";
import { signStatement, statementOf } from "../manifest/envelope.js";
import type { SigningKey } from "../manifest/keys.js";
import { TREE_NAMES } from "../manifest/trees.js";
import { SYSTEM_INSTRUCTION } from "../reader/request.js";
import { DETACHED_FILES, REPLACED } from "../records/detached.js";
import { checkpointPath, endpointProtocolPath, gradesPath, LANE_FILES, readDocument } from "../records/documents.js";
import { LaneRows } from "../records/rows.js";
import { TOOL } from "../tool.js";
import { Rebuilder } from "./detached-row.js";
import { Detacher, refused } from "./detacher.js";
import { copyFiles, openSignedLane, type SignedLane } from "./lane-files.js";
import { LeftoverText, stringsIn } from "./leftover-text.js";

export interface DetachRequest {
  readonly dataset: Dataset;
  readonly key: SigningKey;
  /** When the detached lane is signed. */
  readonly sealed: string;
  /** The longest run of words that a recipe may share, as literal text, with the dataset's texts. */
  readonly wordsMax: number;
  readonly out: string;
  readonly stop: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface DetachedLane {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** Files that a detached lane shares with the whole one. Throws E_DETACH for a file of which nothing is known here. */
function sharedFiles({ files, protocols }: Manifest): FileEntry[] {
  const endpoints = protocols.endpoints.map(({ endpoint }) => endpoint);
  const known = new Set<string>([
    LANE_FILES.turns,
    LANE_FILES.packets,
    LANE_FILES.requests,
    LANE_FILES.results,
    LANE_FILES.amendments,
    LANE_FILES.preparation,
    LANE_FILES.reader,
    ...endpoints.flatMap((endpoint) => [gradesPath(endpoint), endpointProtocolPath(endpoint)]),
    ...TREE_NAMES.map(checkpointPath),
  ]);
  for (const path of REPLACED) {
    if (!files.some((file) => file.path === path)) throw refused(`it has no ${path}`, path);
  }
  const shared = files.filter(({ path }) => !REPLACED.includes(path));
  const unknown = shared.find(({ path }) => !known.has(path));
  if (unknown) throw refused("it holds a file that may hold any text", unknown.path);
  return shared;
}

/** Free text in the files that stay: whoever made the lane wrote it, and may have quoted. */
function addSharedText(source: LaneSource, shared: readonly FileEntry[], leftover: LeftoverText): void {
  const silent: readonly string[] = [LANE_FILES.turns, LANE_FILES.packets, LANE_FILES.requests];
  for (const { path } of shared) {
    if (silent.includes(path) || !/\.jsonl?$/.test(path)) continue;
    const text = readWhole(source, path, LIMITS.documentBytesMax).toString();
    for (const [index, line] of text.split("\n").entries()) {
      if (line === "") continue;
      for (const value of stringsIn(JSON.parse(line))) {
        // This release's own wording is nobody's text.
        if (value !== SYSTEM_INSTRUCTION)
          leftover.addEverywhere(value, path.endsWith("l") ? `${path}:${index + 1}` : path);
      }
    }
  }
}

async function writeRecords(
  folder: string,
  lane: SignedLane,
  request: DetachRequest,
  shared: FileEntry[],
): Promise<void> {
  const { source, manifest } = lane;
  const preparation = readDocument(source, "preparation-protocol", LANE_FILES.preparation).value;
  const reader = readDocument(source, "reader-protocol", LANE_FILES.reader).value;
  const rebuilder = new Rebuilder(request.dataset, preparation.renderer, reader);
  const leftover = new LeftoverText(request.wordsMax);
  addSharedText(source, shared, leftover);
  const detacher = new Detacher(rebuilder, leftover, request.wordsMax);
  const turn = turns(request.stop);
  const question = new FileWriter(join(folder, DETACHED_FILES.population));
  const answer = new FileWriter(join(folder, DETACHED_FILES.answers));
  const receipt = new FileWriter(join(folder, DETACHED_FILES.receipts));
  const writers = { question, answer, receipt };
  try {
    const endpoints = manifest.protocols.endpoints.map((entry) => entry.endpoint);
    const rows = new LaneRows(source, endpoints);
    for (const row of rows) {
      const detached = detacher.row(row);
      for (const name of ["question", "answer", "receipt"] as const)
        writers[name].write(`${canonicalJson(detached[name])}\n`);
      request.onProgress(row.index + 1, manifest.population.count);
      await turn();
    }
    for (const { error } of rows.seen) if (error) throw error;
    detacher.finish();
  } finally {
    for (const writer of Object.values(writers)) writer.close();
  }
  // Text that stands for no single question may be of a history that no question of the lane is asked over.
  for (const history of request.dataset.histories) {
    if (!detacher.held.has(history.historyId)) leftover.holdAgainst(history);
    await turn();
  }
}

/**
 * Detaches a lane into a new folder. Throws E_DETACHED for one that is detached already, E_DATASET, E_DETACH, E_DETACH_TEXT,
 * E_EXISTS, E_CANCELLED, and what a lane or its envelope can be refused for; on failure no folder is left.
 */
export async function detachLane(source: LaneSource, request: DetachRequest): Promise<DetachedLane> {
  const lane = openSignedLane(source);
  const { manifest, manifestBytes, envelopeBytes, manifestSha256 } = lane;
  if (manifest.detached)
    throw new SealaneError("E_DETACHED", "the lane is detached already", { at: LANE_FILES.manifest });
  if (request.dataset.identity.sha256 !== manifest.dataset.sha256)
    throw new SealaneError("E_DATASET", "this is another dataset than the lane's", {
      expected: manifest.dataset.sha256,
      found: request.dataset.identity.sha256,
    });
  const shared = sharedFiles(manifest);
  return makeFolder(request.out, async (folder) => {
    copyFiles(lane, shared, folder);
    await writeRecords(folder, lane, request, shared);
    writeNewFile(join(folder, DETACHED_FILES.manifest), manifestBytes);
    writeNewFile(join(folder, DETACHED_FILES.envelope), envelopeBytes);
    const written = new FolderSource(folder);
    const files = written.entries().map(({ path }) => ({ path, ...hashFile(written, path) }));
    const detached: Manifest = {
      ...manifest,
      tool: TOOL,
      sealed: request.sealed,
      licence_notes: [
        `No text of the dataset stands here; it is under its own licence: ${manifest.dataset.licence}.`,
        ...attributionOf(manifest.dataset),
      ],
      detached: {
        manifest_sha256: manifestSha256,
        envelope_sha256: sha256Hex(envelopeBytes),
        words_max: request.wordsMax,
        files: manifest.files.filter(({ path }) => REPLACED.includes(path)),
      },
      files: files.toSorted((a, b) => byCodeUnit(a.path, b.path)),
    };
    const text = canonicalJson(detached);
    writeNewFile(join(folder, LANE_FILES.manifest), text);
    const envelope = signStatement(statementOf(detached, sha256Hex(text)), request.key);
    writeNewFile(join(folder, LANE_FILES.envelope), canonicalJson(envelope));
    return { manifest: detached, manifestSha256: sha256Hex(text) };
  });
}
