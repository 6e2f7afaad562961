// Lanes made from memory into folders, detached and made whole again.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import type { Input } from "../../lib/io/input.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { detachLane } from "../../lib/lane/detach.js";
import { datasetOf, hydrateLane, type WholeLane } from "../../lib/lane/hydrate.js";
import { signStatement, statementOf } from "../../lib/manifest/envelope.js";
import type { Manifest } from "../../schemas/index.js";
import { filesIn, type LaneFiles } from "./lane.js";
import { testKey } from "./test-key.js";

export const NEVER = new AbortController().signal;

export const manifestIn = (files: LaneFiles, path = "manifest.json"): Manifest =>
  JSON.parse(files.get(path)!.toString());

/** Detaches a lane's files into a folder; the files there. */
export async function detachedFiles(files: LaneFiles, given: Input, out: string, wordsMax = 3): Promise<LaneFiles> {
  await detachLane(new MemorySource(files), {
    dataset: datasetOf(manifestIn(files), given),
    key: testKey("author"),
    sealed: "2026-01-03T00:00:00.000Z",
    wordsMax,
    out,
    stop: NEVER,
    onProgress: () => {},
  });
  return new Map(filesIn(out));
}

export function hydrated(files: LaneFiles, given: Input, out: string): Promise<WholeLane> {
  return hydrateLane(new MemorySource(files), given, out, { stop: NEVER, onProgress: () => {} });
}

/** Makes a lane whole, slowly, and is asked to stop after the first questions. */
export function interrupted(files: LaneFiles, given: Input, out: string): Promise<WholeLane> {
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    if (done === 5) stop.abort();
  };
  return hydrateLane(new MemorySource(files), given, out, { stop: stop.signal, onProgress });
}

/** Signs a detached lane anew after its files were edited, as an author could who means to deceive. */
export function resealDetached(files: LaneFiles, edit: (manifest: Manifest) => void = () => {}): void {
  const manifest = manifestIn(files);
  for (const entry of manifest.files) {
    const bytes = files.get(entry.path);
    if (bytes) Object.assign(entry, { size: bytes.length, sha256: sha256Hex(bytes) });
  }
  edit(manifest);
  const text = canonicalJson(manifest);
  files.set("manifest.json", Buffer.from(text));
  const envelope = signStatement(statementOf(manifest, sha256Hex(text)), testKey("author"));
  files.set("manifest.dsse.json", Buffer.from(canonicalJson(envelope)));
}

export const copyOf = (files: LaneFiles): LaneFiles =>
  new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));

export function writeFiles(files: LaneFiles, folder: string): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}
