// A real lane for tests: harbour, prepared, answered, graded and sealed under a fixed clock and a test key; and ways to edit it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { byCodeUnit } from "../../lib/bytes/order.js";
import { adapterOf, type Dataset, readDataset } from "../../lib/dataset/index.js";
import { preparationProtocol } from "../../lib/evidence/prepare.js";
import { type Tokenizer, tokenizerOf } from "../../lib/evidence/tokens.js";
import { bytesInput, type Input } from "../../lib/io/input.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { tokenF1 } from "../../lib/judge/endpoint.js";
import { sealRun } from "../../lib/lane/seal.js";
import { signCheckpoint } from "../../lib/manifest/checkpoint.js";
import { signStatement, statementOf } from "../../lib/manifest/envelope.js";
import type { SigningKey } from "../../lib/manifest/keys.js";
import { TREE_NAMES } from "../../lib/manifest/trees.js";
import { type Trust, trustOf } from "../../lib/manifest/trust.js";
import { extractive } from "../../lib/reader/extractive.js";
import { readerProtocol } from "../../lib/reader/index.js";
import { checkpointPath } from "../../lib/records/documents.js";
import { RunFolder } from "../../lib/run/folder.js";
import { gradeRun } from "../../lib/run/grade-run.js";
import { prepareRun } from "../../lib/run/prepare-run.js";
import { replayRun } from "../../lib/run/replay-run.js";
import type { Envelope, Manifest, Report, State } from "../../schemas/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { repositoryFile } from "./shared.js";
import { testKey } from "./test-key.js";

export type LaneFiles = Map<string, Buffer>;

export const HARBOUR = repositoryFile("fixtures/datasets/harbour.json");
const NEVER = new AbortController().signal;

/** A clock that moves on by one second each time it is looked at. */
export function steppingClock(): { now(): string } {
  let ms = Date.UTC(2026, 0, 1);
  return {
    now: () => {
      ms += 1000;
      return new Date(ms).toISOString();
    },
  };
}

function filesIn(folder: string, prefix = ""): [string, Buffer][] {
  return readdirSync(join(folder, prefix)).flatMap((name): [string, Buffer][] => {
    const path = prefix + name;
    return statSync(join(folder, path)).isDirectory()
      ? filesIn(folder, `${path}/`)
      : [[path, readFileSync(join(folder, path))]];
  });
}

/** Makes a run of a dataset as far as `grade`, in a new folder. */
export async function runOf(
  dataset: Dataset,
  folder: string,
  ceilingTokens: number,
  {
    tokenizer = tokenizerOf("o200k_base"),
    arm = "bm25",
    temperaturePerQuestion = false,
  }: { tokenizer?: Tokenizer; arm?: string; temperaturePerQuestion?: boolean } = {},
): Promise<RunFolder> {
  const protocol = preparationProtocol(dataset, { arm, tokenizer, ceilingTokens, temperature: temperaturePerQuestion });
  const clock = steppingClock();
  await prepareRun(dataset, protocol, folder, { clock, stop: NEVER, onProgress: () => {}, tokenizer });
  const run = new RunFolder(folder);
  const reader = extractive.open({ url: "", deadlineMs: 1000 });
  const model = await reader.identify(extractive.defaultModel ?? "");
  await replayRun(run, readerProtocol(extractive, model, { options: {}, temperaturePerQuestion }), reader, {
    clock,
    stop: NEVER,
    abort: NEVER,
    onProgress: () => {},
  });
  gradeRun(run, tokenF1);
  return run;
}

/** Makes a run of harbour as far as `grade`, in a new folder. */
export async function harbourRun(
  folder: string,
  ceilingTokens = 300,
  arm = "bm25",
  temperaturePerQuestion = false,
): Promise<RunFolder> {
  const dataset = readDataset(adapterOf("own"), readFileSync(HARBOUR), "harbour.json", false);
  return runOf(dataset, folder, ceilingTokens, { arm, temperaturePerQuestion });
}

/** The files of a lane sealed from a run that `make` makes in a new folder. */
export async function sealedFrom(make: (folder: string) => Promise<RunFolder>, laneId: string): Promise<LaneFiles> {
  const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
  try {
    const run = await make(join(work, "run"));
    const out = join(work, "lane");
    await sealRun(run, {
      laneId,
      laneVersion: 1,
      previousManifestSha256: null,
      sealed: "2026-01-02T00:00:00.000Z",
      key: testKey("author"),
      out,
      stop: NEVER,
      onProgress: () => {},
    });
    return new Map(filesIn(out));
  } finally {
    rmSync(work, { recursive: true });
  }
}

type LaneKind = [ceilingTokens?: number, arm?: string, temperaturePerQuestion?: boolean];
const made = new Map<string, Promise<LaneFiles>>();

/** A fresh copy of the good lane's files. */
export async function goodLane(...kind: LaneKind): Promise<LaneFiles> {
  const key = JSON.stringify(kind);
  const lane = made.get(key) ?? sealedFrom((folder) => harbourRun(folder, ...kind), "harbour-test");
  made.set(key, lane);
  return new Map([...(await lane)].map(([path, bytes]) => [path, Buffer.from(bytes)]));
}

/** The trust file in which the test author may sign. */
export function authorTrust(): Trust {
  return trustOf(testKey("author"), "test author", "*");
}

export function harbourBytes(): Input {
  return bytesInput(readFileSync(HARBOUR), "harbour.json");
}

export function verifyFiles(
  files: LaneFiles,
  trust: Trust | undefined = authorTrust(),
  dataset?: Input,
  state?: State,
): Report {
  return verifyLane(gatherLane(new MemorySource(files), dataset), { trust, state });
}

/** The reason codes of a report, each once, sorted. */
export function codesOf(report: Report): string[] {
  const codes = report.checks.flatMap((check) =>
    check.outcome === "failed" ? check.findings.map((found) => found.code) : [],
  );
  return [...new Set(codes)].sort(byCodeUnit);
}

export function parsed<T>(files: LaneFiles, path: string): T {
  return JSON.parse(files.get(path)!.toString("utf8")) as T;
}

/** Changes one canonical document. */
export function editDocument<T extends object>(files: LaneFiles, path: string, edit: (document: T) => void): void {
  const document = parsed<T>(files, path);
  edit(document);
  files.set(path, Buffer.from(canonicalJson(document)));
}

/** Changes the records of one file: in place, or by returning others. */
export function editRecords<T extends object>(files: LaneFiles, path: string, edit: (records: T[]) => unknown): void {
  const records = files
    .get(path)!
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
  const returned = edit(records);
  const edited = Array.isArray(returned) ? (returned as T[]) : records;
  files.set(path, Buffer.from(edited.map((record) => `${canonicalJson(record)}\n`).join("")));
}

/** The checkpoints of a manifest's trees, signed again. */
export function signCheckpoints(files: LaneFiles, manifest: Manifest, key: SigningKey): void {
  for (const tree of TREE_NAMES) files.set(checkpointPath(tree), Buffer.from(signCheckpoint(manifest, tree, key)));
}

/**
 * Writes checkpoints, manifest and signature anew over the files as they are now: what a signer who cheats, or a thief with
 * a key of his own, does. With `checkpoints: "kept"` the checkpoints stay as they stand.
 */
export function reseal(
  files: LaneFiles,
  options: { key?: SigningKey; edit?: (manifest: Manifest) => void; checkpoints?: "kept" } = {},
): void {
  const edited = (): Manifest => {
    const manifest = parsed<Manifest>(files, "manifest.json");
    manifest.files = [...files]
      .filter(([path]) => path !== "manifest.json" && path !== "manifest.dsse.json")
      .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }))
      .sort((a, b) => byCodeUnit(a.path, b.path));
    manifest.protocols.preparation = sha256Hex(files.get("protocols/preparation.json")!);
    manifest.protocols.reader = sha256Hex(files.get("protocols/reader.json")!);
    options.edit?.(manifest);
    return manifest;
  };
  // Checkpoints are of the manifest's trees, and the manifest lists the checkpoints: its trees are asked for first.
  if (options.checkpoints !== "kept") signCheckpoints(files, edited(), options.key ?? testKey("author"));
  const manifest = edited();
  const text = canonicalJson(manifest);
  files.set("manifest.json", Buffer.from(text));
  const envelope: Envelope = signStatement(statementOf(manifest, sha256Hex(text)), options.key ?? testKey("author"));
  files.set("manifest.dsse.json", Buffer.from(canonicalJson(envelope)));
}
