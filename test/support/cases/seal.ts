// Writing manifest, checkpoints and signature anew over a lane as it stands.
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { byCodeUnit } from "../../../lib/bytes/order.js";
import { signCheckpoint } from "../../../lib/manifest/checkpoint.js";
import { PAYLOAD_TYPE, payloadSignature, statementOf } from "../../../lib/manifest/envelope.js";
import { TREE_NAMES } from "../../../lib/manifest/trees.js";
import { checkpointPath, LANE_FILES } from "../../../lib/records/documents.js";
import type { Manifest } from "../../../schemas/index.js";
import { testKey } from "../test-key.js";
import { BESIDE, type Bench } from "./bench.js";
import type { Seal } from "./recipe.js";

/** The manifest's list of files, and what it says of the protocols, as the files now are; then its own edits. */
function remakeManifest(bench: Bench, before: Buffer, seal: Seal): void {
  const manifest = JSON.parse(before.toString("utf8")) as Manifest;
  if (!seal.keep?.includes("files")) {
    const apart: readonly string[] = [LANE_FILES.manifest, LANE_FILES.envelope];
    manifest.files = [...bench.files]
      .filter(([path]) => !apart.includes(path))
      .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }))
      .sort((a, b) => byCodeUnit(a.path, b.path));
  }
  if (!seal.keep?.includes("protocols")) {
    for (const name of ["preparation", "reader"] as const) {
      const protocol = bench.files.get(LANE_FILES[name]);
      if (protocol) manifest.protocols[name] = sha256Hex(protocol);
    }
  }
  bench.put(LANE_FILES.manifest, manifest);
  bench.run(seal.manifest);
}

/** Does what a signer who cheats does, or a thief with a key of his own, or somebody without any key. */
export function sealBench(bench: Bench, seal: Seal): void {
  const before = bench.bytes(LANE_FILES.manifest);
  const key = seal.key === null ? undefined : testKey(seal.key);
  // Checkpoints are of the manifest's trees, and the manifest lists the checkpoints: its trees are asked for first.
  remakeManifest(bench, before, seal);
  if (key && !seal.keep?.includes("checkpoints")) {
    const lane = JSON.parse(bench.bytes(LANE_FILES.manifest).toString("utf8")) as Manifest;
    for (const tree of TREE_NAMES) bench.files.set(checkpointPath(tree), Buffer.from(signCheckpoint(lane, tree, key)));
    remakeManifest(bench, before, seal);
  }
  if (!key) return;
  const text = bench.bytes(LANE_FILES.manifest);
  const statement = statementOf(JSON.parse(text.toString("utf8")) as Manifest, sha256Hex(text));
  const payload = bench.edited(BESIDE.statement, Buffer.from(canonicalJson(statement)), seal.statement);
  bench.put(LANE_FILES.envelope, {
    payload: payload.toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [payloadSignature(payload, key)],
  });
}
