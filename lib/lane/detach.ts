// A lane -> a detached lane: the same result without a word of its dataset, signed anew. Every record that is left out is made
// again from what is written, and compared, before the next is looked at.
import { join } from "node:path";
import type { FileEntry, Manifest, ReceiptRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { byCodeUnit } from "../bytes/order.js";
import type { Dataset } from "../dataset/index.js";
import type { History } from "../dataset/types.js";
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
import {
  checkpointPath,
  endpointProtocolPath,
  gradesPath,
  LANE_FILES,
  type Located,
  readDocument,
} from "../records/documents.js";
import { type LaneRow, LaneRows } from "../records/rows.js";
import { PhraseIndex } from "../text/phrase-index.js";
import { quoted } from "../text/quoting.js";
import { TOOL } from "../tool.js";
import { type DetachedRow, Rebuilder, type WholeRecords } from "./detached-row.js";
import { copyFiles, openSignedLane, type SignedLane } from "./lane-files.js";
import { LeftoverText, stringsIn } from "./leftover-text.js";
import { historyTexts, ownTexts } from "./question-texts.js";

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

const refused = (why: string, at: string, more: { expected?: string; found?: string } = {}): SealaneError =>
  new SealaneError("E_DETACH", `the lane cannot be detached: ${why}`, { at, ...more });

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

/** Makes the detached records of one history's questions after another. */
class Detacher {
  readonly #rebuilder: Rebuilder;
  readonly #leftover: LeftoverText;
  readonly #length: number;
  #current: { readonly history: History; readonly index: PhraseIndex } | undefined;
  readonly held = new Set<string>();

  constructor(rebuilder: Rebuilder, leftover: LeftoverText, wordsMax: number) {
    this.#rebuilder = rebuilder;
    this.#leftover = leftover;
    this.#length = wordsMax + 1;
  }

  #of(historyId: string): PhraseIndex {
    if (this.#current?.history.historyId !== historyId) {
      this.finish();
      const history = this.#rebuilder.history(historyId);
      this.#current = { history, index: new PhraseIndex(historyTexts(history), this.#length) };
    }
    return this.#current!.index;
  }

  /** Throws E_DETACH_TEXT when literal text of this history's questions stands in the history. */
  finish(): void {
    if (!this.#current) return;
    const { history } = this.#current;
    this.#current = undefined;
    this.#leftover.holdAgainst(history);
    this.held.add(history.historyId);
  }

  /** Throws E_DETACH, E_DETACH_TEXT. */
  row({ question, packet, answer, receipt, ...rest }: LaneRow): DetachedRow {
    const { body, reference } = rest;
    const at = `${LANE_FILES.population}:${rest.index + 1}`;
    if (!question || !packet || !answer || !receipt || !body || !reference) throw refused("a record is missing", at);
    const { question_id, question: _text, question_date: _date, ...kept } = question.value;
    const own = this.#rebuilder.question(question_id);
    const index = this.#of(own.asked.historyId);
    const ownIndex = new PhraseIndex(ownTexts(own), this.#length);
    const detached: DetachedRow = {
      question: { ...kept, question_id, record_sha256: sha256Hex(question.bytes) },
      answer: (({ answer: _answer, ...bare }) => bare)(answer.value),
      receipt: { question_id, ...recipeOf(receipt.value, [ownIndex, index]) },
    };
    const place = `${DETACHED_FILES.receipts}:${rest.index + 1}`;
    const texts = [...ownTexts(own)];
    this.#leftover.addPieces(detached.receipt.data ?? [], texts, place);
    this.#leftover.addPieces(detached.receipt.error ?? [], texts, place);
    const bare = { ...detached, receipt: { ...detached.receipt, data: [], error: [] } };
    for (const value of stringsIn(bare)) this.#leftover.addText(value, texts, place);
    const { response } = receipt.value;
    // What is no UTF-8 stays as it is, and may hold text all the same.
    if (response?.encoding === "base64")
      this.#leftover.addText(Buffer.from(response.data, "base64").toString(), texts, place);
    this.#compare({ question, receipt, answer, body, reference }, detached, packet);
    return detached;
  }

  #compare(
    whole: { readonly [K in "question" | "receipt" | "answer" | "body" | "reference"]: Located<unknown> },
    detached: DetachedRow,
    packet: NonNullable<LaneRow["packet"]>,
  ): void {
    const made: WholeRecords = this.#rebuilder.records(detached, packet.value, LANE_FILES.population);
    const files = [
      [LANE_FILES.population, whole.question],
      [LANE_FILES.references, whole.reference],
      [LANE_FILES.bodies, whole.body],
      [LANE_FILES.receipts, whole.receipt],
      [LANE_FILES.answers, whole.answer],
    ] as const;
    for (const [path, { bytes, line }] of files) {
      if (!Buffer.from(made[path]!).equals(bytes))
        throw refused("a record is not what the dataset and the protocols make", `${path}:${line}`);
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A receipt with its texts as pieces. */
function recipeOf(
  receipt: ReceiptRecord,
  indexes: readonly PhraseIndex[],
): Omit<DetachedRow["receipt"], "question_id"> {
  const { response, error } = receipt;
  const isText = response?.encoding === "utf8";
  const isEscaped = isText && isJson(response.data);
  const record = {
    ...receipt,
    ...(isText ? { response: { ...response, data: "" } } : {}),
    ...(error === undefined ? {} : { error: "" }),
  };
  return {
    record,
    ...(isText ? { data: quoted(response.data, isEscaped, indexes) } : {}),
    ...(isEscaped ? { data_escaped: true as const } : {}),
    ...(error === undefined ? {} : { error: quoted(error, false, indexes) }),
  };
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
      licence_notes: [`No text of the dataset stands here; it is under its own licence: ${manifest.dataset.licence}.`],
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
