import { join } from "node:path";
import { SealaneError } from "../finding.js";
import { makeFolder, writeNewFile } from "../io/atomic.js";
import { LANE_FILES } from "../records/documents.js";
import { bundleText } from "./bundle.js";
import type { ExportFormat } from "./types.js";

/**
 * A folder of Sigstore bundles, one for each signature of the envelope, over the very bytes that were signed. The hint is the
 * key id, as in a trust file: a hint's form is for signer and verifier to agree on (sigstore_common.proto).
 */
export const sigstoreBundle: ExportFormat = {
  id: "sigstore-bundle",
  summary: "a folder of Sigstore bundles (v0.3), one for each signature of the lane",
  needs: [],
  takes: [],
  async write({ lane, out }) {
    const bundles = new Map<string, string>();
    for (const [index, { keyid }] of lane.envelope.signatures.entries()) {
      const at = `${LANE_FILES.envelope}#/signatures/${index}/keyid`;
      // The id becomes a file's name, and whoever can write an envelope can write any text there.
      if (!/^[0-9a-f]{64}$/.test(keyid)) {
        throw new SealaneError("E_KEYTYPE", "a signature is under no key id of sealane", { at, found: keyid });
      }
      const name = `${keyid}.sigstore.json`;
      if (bundles.has(name))
        throw new SealaneError("E_DUPLICATE", "two signatures are under one key id", { at, found: keyid });
      bundles.set(name, bundleText(lane.payload, lane.signatures[index]!, keyid, keyid));
    }
    await makeFolder(out, async (folder) => {
      for (const [name, text] of bundles) writeNewFile(join(folder, name), text);
    });
    return [...bundles.keys()];
  },
};
