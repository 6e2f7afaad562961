// A detached lane and the user's own copy of the dataset -> the whole lane, byte for byte, with its own signatures.
import { join } from "node:path";
import type { GradeRecord, Manifest, RequestRecord } from "../../schemas/index.js";
import { sha256Hex, startSha256 } from "../bytes/digest.js";
import { LIMITS } from "../bytes/limits.js";
import { adapterOf, attributionOf, type Dataset, identifyDataset, openDataset } from "../dataset/index.js";
import { SealaneError } from "../finding.js";
import { FileWriter, makeFolder, writeNewFile } from "../io/atomic.js";
import type { Input } from "../io/input.js";
import { turns } from "../io/pause.js";
import { type LaneSource, readWhole } from "../io/source.js";
import { DETACHED_FILES, REPLACED } from "../records/detached.js";
import { gradesPath, LANE_FILES, RecordReader, readDocument, recordParser } from "../records/documents.js";
import { readManifest } from "./archive-manifest.js";
import { type DetachedRow, Rebuilder, type WholeRecords } from "./detached-row.js";
import { checkContent, copyFiles, openSignedLane, type SignedLane } from "./lane-files.js";

export interface HydrateOptions {
  readonly stop: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface WholeLane {
  readonly manifest: Manifest;
  readonly manifestBytes: Buffer;
  readonly manifestSha256: string;
  readonly envelopeBytes: Buffer;
}

const wrong = (why: string, at: string, more: { expected?: string; found?: string } = {}): SealaneError =>
  new SealaneError("E_RECIPE", why, { at, ...more });

/** The whole lane's manifest and envelope, as the detached lane has them; its files are those of both. Throws E_RECIPE. */
export function wholeLaneIn(source: LaneSource, manifest: Manifest): WholeLane {
  const { detached } = manifest;
  if (!detached)
    throw new SealaneError("E_USAGE", "the lane is not detached: nothing is missing from it", {
      at: LANE_FILES.manifest,
    });
  const manifestBytes = readWhole(source, DETACHED_FILES.manifest, LIMITS.documentBytesMax);
  const envelopeBytes = readWhole(source, DETACHED_FILES.envelope, LIMITS.envelopeBytesMax);
  const manifestSha256 = sha256Hex(manifestBytes);
  const named = [
    [DETACHED_FILES.manifest, detached.manifest_sha256, manifestSha256],
    [DETACHED_FILES.envelope, detached.envelope_sha256, sha256Hex(envelopeBytes)],
  ] as const;
  for (const [path, expected, found] of named)
    if (expected !== found)
      throw wrong(`${path} is not the one that the detached lane names`, path, { expected, found });
  const whole = readManifest(manifestBytes);
  const line = (entries: readonly { path: string; size: number; sha256: string }[]): string =>
    entries
      .map(({ path, size, sha256 }) => `${path} ${size} ${sha256}\n`)
      .sort()
      .join("");
  const shared = manifest.files.filter(({ path }) => !(Object.values(DETACHED_FILES) as string[]).includes(path));
  const left = detached.files.map(({ path }) => path).sort();
  if (left.join() !== [...REPLACED].sort().join() || line([...shared, ...detached.files]) !== line(whole.files))
    throw wrong("the files here and those left out are not those of the whole lane", LANE_FILES.manifest);
  const same = (value: Manifest): string => {
    const { detached: _detached, files: _files, licence_notes: _notes, sealed: _sealed, tool: _tool, ...said } = value;
    return JSON.stringify(said);
  };
  if (same(whole) !== same(manifest))
    throw wrong("the detached lane says of the whole one what that does not say", DETACHED_FILES.manifest);
  return { manifest: whole, manifestBytes, manifestSha256, envelopeBytes };
}

/** The user's copy of a lane's dataset. Throws E_DATASET for another one, E_UNKNOWN for an adapter unknown here. */
export function datasetOf({ dataset }: Manifest, given: Input): Dataset {
  const adapter = adapterOf(dataset.adapter);
  const { sha256, bytes } = identifyDataset(adapter, given);
  if (sha256 !== dataset.sha256)
    throw new SealaneError("E_DATASET", `${given.at} is another dataset than the lane's`, {
      at: given.at,
      expected: `SHA-256 ${dataset.sha256}, ${dataset.bytes} bytes`,
      found: `SHA-256 ${sha256}, ${bytes} bytes`,
      next: attributionOf(dataset).join(" ") || "Use the dataset whose SHA-256 is named.",
    });
  return openDataset(adapter, given, true);
}

/** A file that is made again: written and hashed as it grows. */
class MadeFile {
  readonly #writer: FileWriter;
  readonly #hash = startSha256();

  constructor(path: string) {
    this.#writer = new FileWriter(path);
  }

  line(record: string): void {
    this.#writer.write(`${record}\n`);
    this.#hash.update(`${record}\n`);
  }

  finish(): string {
    this.#writer.close();
    return this.#hash.digest("hex");
  }
}

interface Recipes extends DetachedRow {
  readonly line: number;
  readonly packet: Parameters<Rebuilder["records"]>[1];
  readonly request: RequestRecord;
  readonly grade: GradeRecord | undefined;
}

/** The detached records side by side. Throws E_RECIPE where they are not of one question, or one has fewer than another. */
function* recipesIn(source: LaneSource, endpoint: string | undefined): Generator<Recipes> {
  const questions = new RecordReader(source, DETACHED_FILES.population, recordParser("detached-question"));
  const answers = new RecordReader(source, DETACHED_FILES.answers, recordParser("answer-record"));
  const receipts = new RecordReader(source, DETACHED_FILES.receipts, recordParser("detached-receipt"));
  const packets = new RecordReader(source, LANE_FILES.packets, recordParser("packet-record"));
  const requests = new RecordReader(source, LANE_FILES.requests, recordParser("request-record"));
  const grades =
    endpoint === undefined ? undefined : new RecordReader(source, gradesPath(endpoint), recordParser("grade-record"));
  const readers = [questions, answers, receipts, packets, requests, ...(grades ? [grades] : [])];
  try {
    for (let line = 1; ; line += 1) {
      const question = questions.next()?.value;
      const answer = answers.next()?.value;
      const receipt = receipts.next()?.value;
      const packet = packets.next()?.value;
      const request = requests.next()?.value;
      const grade = grades?.next()?.value;
      const there = [question, answer, receipt, packet, request, ...(grades ? [grade] : [])];
      if (there.every((record) => record === undefined)) return;
      const at = `${DETACHED_FILES.receipts}:${line}`;
      const ids = new Set(there.map((record) => record?.question_id));
      if (!question || !answer || !receipt || !packet || !request || ids.size !== 1)
        throw wrong("the records of the detached lane are not of one question", at);
      yield { line, question, answer, receipt, packet, request, grade };
    }
  } finally {
    for (const reader of readers) reader.finish();
  }
}

/** Each record against the digest that another record holds of it. */
function holdRecords(made: WholeRecords, { line, question, answer, request, grade }: Recipes): void {
  const body = (JSON.parse(made[LANE_FILES.bodies]!) as { body: string }).body;
  const text = (JSON.parse(made[LANE_FILES.answers]!) as { answer?: string }).answer;
  const digests = [
    [LANE_FILES.population, sha256Hex(made[LANE_FILES.population]!), question.record_sha256],
    [LANE_FILES.references, sha256Hex(made[LANE_FILES.references]!), grade?.reference_sha256],
    [LANE_FILES.bodies, sha256Hex(body), request.body_sha256],
    [LANE_FILES.receipts, sha256Hex(made[LANE_FILES.receipts]!), answer.receipt_sha256],
    [LANE_FILES.answers, text === undefined ? undefined : sha256Hex(text), answer.answer_sha256],
  ] as const;
  for (const [path, found, expected] of digests) {
    if (found !== expected && (path !== LANE_FILES.references || expected !== undefined))
      throw wrong(`the record of ${question.question_id} is not the one sealed`, `${path}:${line}`, {
        expected: expected ?? "none",
        found: found ?? "none",
      });
  }
}

async function makeRecords(
  folder: string,
  { source }: SignedLane,
  { manifest }: WholeLane,
  dataset: Dataset,
  { stop, onProgress }: HydrateOptions,
): Promise<void> {
  const preparation = readDocument(source, "preparation-protocol", LANE_FILES.preparation).value;
  const reader = readDocument(source, "reader-protocol", LANE_FILES.reader).value;
  const rebuilder = new Rebuilder(dataset, preparation.renderer, reader);
  const turn = turns(stop);
  const files = new Map(REPLACED.map((path) => [path, new MadeFile(join(folder, path))]));
  const digests = new Map<string, string>();
  try {
    for (const recipes of recipesIn(source, manifest.protocols.endpoints[0]?.endpoint)) {
      const made = rebuilder.records(recipes, recipes.packet, `${DETACHED_FILES.receipts}:${recipes.line}`);
      holdRecords(made, recipes);
      for (const [path, file] of files) file.line(made[path]!);
      onProgress(recipes.line, manifest.population.count);
      await turn();
    }
  } finally {
    for (const [path, file] of files) digests.set(path, file.finish());
  }
  for (const { path, sha256 } of manifest.files) {
    const found = digests.get(path);
    if (found !== undefined && found !== sha256)
      throw wrong(`${path} is not the one sealed`, path, { expected: sha256, found });
  }
}

/**
 * Makes the whole lane in a new folder. Throws E_USAGE for a lane that is not detached, E_DATASET for another dataset, E_RECIPE
 * at the first record or file that is not the one sealed, E_EXISTS, E_CANCELLED, and what a lane or its envelope can be refused
 * for; on failure no folder is left.
 */
export async function hydrateLane(
  source: LaneSource,
  given: Input,
  out: string,
  options: HydrateOptions,
): Promise<WholeLane> {
  const lane = openSignedLane(source);
  const whole = wholeLaneIn(source, lane.manifest);
  checkContent(lane);
  const dataset = datasetOf(whole.manifest, given);
  return makeFolder(out, async (folder) => {
    const shared = whole.manifest.files.filter(({ path }) => !REPLACED.includes(path));
    copyFiles(lane, shared, folder);
    await makeRecords(folder, lane, whole, dataset, options);
    writeNewFile(join(folder, LANE_FILES.manifest), whole.manifestBytes);
    writeNewFile(join(folder, LANE_FILES.envelope), whole.envelopeBytes);
    return whole;
  });
}
