// A recipe -> the lane that it describes, and everything that is given to the verifier with it.
import { crc32 } from "node:zlib";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { writeGzip } from "../../../lib/lane/archive-gzip.js";
import { type Container, TAR, ZIP } from "../../../lib/lane/archive-layout.js";
import { LANE_FILES } from "../../../lib/records/documents.js";
import type { LaneFiles } from "../lane.js";
import { BASES } from "./bases.js";
import { BESIDE, Bench, type FolderObject, type Json } from "./bench.js";
import type { Edit } from "./op.js";
import { OPS } from "./ops/index.js";
import type { Recipe } from "./recipe.js";
import { sealBench } from "./seal.js";
import { trustBytes } from "./trust.js";
import { resolved } from "./values.js";

export interface Built {
  readonly files: LaneFiles;
  readonly objects: ReadonlyMap<string, FolderObject>;
  readonly archive: { readonly name: string; readonly bytes: Buffer } | undefined;
  readonly trust: Buffer | undefined;
  readonly dataset: Buffer | undefined;
  readonly state: Json | undefined;
}

function runEdits(bench: Bench, edits: readonly Edit[]): void {
  for (const edit of edits) {
    try {
      OPS[edit.op]!.run(bench, edit);
    } catch (cause) {
      throw new Error(`${JSON.stringify(edit).slice(0, 200)}: ${(cause as Error).message}`, { cause });
    }
  }
}

/** Makes what a recipe describes; throws when an edit finds nothing to edit. */
export async function buildCase(recipe: Recipe): Promise<Built> {
  const base = BASES[recipe.base ?? "harbour"]!;
  const bench = new Bench(await base.lane(), runEdits);
  bench.run(recipe.edits);
  if (recipe.seal) sealBench(bench, recipe.seal);
  bench.run(recipe.after);
  const given = recipe.with ?? {};
  const trust = trustBytes(bench, given.trust);
  const state = given.state === undefined ? undefined : resolved(given.state, bench);
  const dataset =
    given.dataset === undefined
      ? undefined
      : given.dataset === true
        ? base.dataset()
        : bench.edited(BESIDE.dataset, base.dataset(), given.dataset.edits);
  const packed = recipe.container && (await archiveOf(recipe.container.as, bench.files));
  const archive =
    recipe.container && packed
      ? {
          name: `lane.${recipe.container.as}`,
          bytes: bench.edited(BESIDE.archive, packed, recipe.container.edits),
        }
      : undefined;
  return { files: bench.files, objects: bench.objects, archive, trust, dataset, state };
}

/** The archive of any files, also of what packing refuses. */
export async function archiveOf(as: "tar" | "tar.gz" | "zip", lane: LaneFiles): Promise<Buffer> {
  const container: Container = as === "zip" ? ZIP : TAR;
  const rest = [...lane.keys()].filter((path) => path !== LANE_FILES.manifest && path !== LANE_FILES.envelope).sort();
  const files = [LANE_FILES.manifest, LANE_FILES.envelope, ...rest]
    .filter((path) => lane.has(path))
    .map((path) => ({ path, size: lane.get(path)!.length }));
  const chunks = [...container.segments(files, ({ path }) => crc32(lane.get(path)!))].map((part) =>
    part.kind === "fixed" ? part.bytes : lane.get(part.file.path)!,
  );
  if (as !== "tar.gz") return Buffer.concat(chunks);
  const packed: Buffer[] = [];
  await writeGzip(chunks, (chunk) => packed.push(chunk));
  return Buffer.concat(packed);
}

/** One digest over everything that a built case is, whatever order it was made in. */
export function digestOf(built: Built): string {
  const parts = [
    ...[...built.files].map(([path, bytes]) => `file ${path} ${sha256Hex(bytes)}`),
    ...[...built.objects].map(([path, object]) => `object ${path} ${JSON.stringify(object)}`),
    // What deflate writes depends on the zlib at hand; of a tar.gz, the files and the edits are what stays the same.
    ...(built.archive && !built.archive.name.endsWith(".gz")
      ? [`archive ${built.archive.name} ${sha256Hex(built.archive.bytes)}`]
      : []),
    ...(built.trust ? [`trust ${sha256Hex(built.trust)}`] : []),
    ...(built.dataset ? [`dataset ${sha256Hex(built.dataset)}`] : []),
    ...(built.state === undefined ? [] : [`state ${JSON.stringify(built.state)}`]),
  ];
  return sha256Hex(`${parts.sort().join("\n")}\n`);
}
