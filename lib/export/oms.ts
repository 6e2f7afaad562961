// OpenSSF Model Signing 1.0 over the lane's folder: an in-toto statement that lists every file, in a Sigstore bundle by a
// key. Rules: https://github.com/ossf/model-signing-spec, spec/v1.0.md sections 5 and 6.
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { writeNewFile } from "../io/atomic.js";
import { checkContent, type LaneFile } from "../lane/lane-files.js";
import { PAYLOAD_TYPE, preAuthEncoding } from "../manifest/envelope.js";
import { bundleText } from "./bundle.js";
import { readOmsKey } from "./oms-key.js";
import type { ExportFormat } from "./types.js";

/** Section 6.2: what a verifier leaves out at the root of the model. No lane's path begins with a dot. */
const IGNORED = [".git", ".gitattributes", ".github", ".gitignore"];

/** Section 6.6. The root digest is over the raw digests, in order of name (section 6.5.1). */
export function omsStatement(name: string, files: readonly LaneFile[]): object {
  const resources = files
    .map(({ path, sha256 }) => ({ name: path, digest: sha256, algorithm: "sha256" }))
    .sort((a, b) => byCodeUnit(a.name, b.name));
  const root = sha256Hex(Buffer.concat(resources.map(({ digest }) => Buffer.from(digest, "hex"))));
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name, digest: { sha256: root } }],
    predicateType: "https://model_signing/signature/v1.0",
    predicate: {
      resources,
      serialization: { method: "files", hash_type: "sha256", allow_symlinks: false, ignore_paths: IGNORED },
    },
  };
}

export const oms: ExportFormat = {
  id: "oms",
  summary: "an OpenSSF model signature over the lane's folder, by --key",
  needs: ["key"],
  takes: [],
  async write({ lane, name, out, key, onBytes }) {
    const signer = readOmsKey(key!);
    checkContent(lane, onBytes);
    const payload = Buffer.from(canonicalJson(omsStatement(name, lane.files)));
    const signature = signer.sign(preAuthEncoding(PAYLOAD_TYPE, payload));
    // An empty key id, as the reference implementation writes it: OMS knows the key by the hint.
    writeNewFile(out, bundleText(payload, signature, signer.hint, ""));
    return [""];
  },
};
