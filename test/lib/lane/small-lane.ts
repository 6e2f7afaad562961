// A small lane in memory, the same on every run, for the tests of this folder.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256, sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import type { Manifest } from "../../../schemas/index.js";

/** `size` bytes that look random and follow from `seed`. */
export function noise(seed: string, size: number): Buffer {
  const blocks: Buffer[] = [];
  for (let block = 0; block * 32 < size; block += 1) blocks.push(sha256(`${seed}/${block}`));
  return Buffer.concat(blocks).subarray(0, size);
}

const ZERO = "0".repeat(64);

/** A manifest over `files`, in the order given; `changes` replace members, also by what the schema refuses. */
export function manifestOf(files: ReadonlyMap<string, Buffer>, changes: Record<string, unknown> = {}): Buffer {
  const manifest: Manifest = {
    schema: "sealane-manifest/1",
    lane_id: "small",
    lane_version: 1,
    previous_manifest_sha256: null,
    sealed: "2026-01-02T03:04:05.678Z",
    tool: { name: "sealane", version: "0.0.0" },
    dataset: { name: "Synthetic", adapter: "own", sha256: ZERO, bytes: 1, pinned: false, licence: "CC0-1.0" },
    arm: "full",
    population: { count: 1, ids_sha256: ZERO },
    trees: {
      reader: { size: 0, root: ZERO },
      evaluator: { size: 0, root: ZERO },
      item: { size: 0, root: ZERO },
    },
    protocols: { preparation: ZERO, reader: ZERO, endpoints: [] },
    model: { name: "none", digest: null },
    tokenizer: { id: "none", sha256: ZERO },
    embedding: null,
    results: [],
    modes: ["reference-verification"],
    licence_notes: [],
    files: [...files].map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) })),
  };
  return Buffer.from(canonicalJson({ ...manifest, ...changes }));
}

/** The files of a lane by path, in archive order. */
export function laneOf(files: ReadonlyMap<string, Buffer>, changes: Record<string, unknown> = {}): Map<string, Buffer> {
  return new Map([
    ["manifest.json", manifestOf(files, changes)],
    ["manifest.dsse.json", Buffer.from('{"not":"checked here"}')],
    ...files,
  ]);
}

/** A path of 100 bytes, the longest there is. */
export const LONG_PATH = `receipts/${"long-".repeat(18)}`.slice(0, 100 - 6).concat(".jsonl");

/**
 * Files of every awkward size: empty, one byte, one tar block, a little more, more than one chunk of the copying code.
 */
export function smallLane(): Map<string, Buffer> {
  return laneOf(
    new Map([
      ["answers.jsonl", noise("answers", 1000)],
      ["bodies/empty.jsonl", Buffer.alloc(0)],
      ["bodies/one.jsonl", noise("one", 1)],
      ["evaluator/block.jsonl", noise("block", 512)],
      [LONG_PATH, noise("long", 2 ** 20 + 513)],
    ]),
  );
}

/** As small as a lane gets while it has everything that an archive can have: what is changed byte by byte. */
export function tinyLane(): Map<string, Buffer> {
  return laneOf(
    new Map([
      ["a.jsonl", noise("a", 33)],
      ["b/c.jsonl", noise("c", 700)],
    ]),
  );
}

export function writeFolder(folder: string, files: ReadonlyMap<string, Buffer>): string {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

/** Every file below a folder, as path and digest, in order of path. */
export function digestsBelow(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry): [string, string] => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), sha256Hex(readFileSync(path))];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The same list for files in memory. */
export function digestsOf(files: ReadonlyMap<string, Buffer>): [string, string][] {
  return [...files]
    .map(([path, bytes]): [string, string] => [path, sha256Hex(bytes)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
