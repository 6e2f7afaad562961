import { bundleText } from "./bundle.js";
import { writePerSignature } from "./per-signature.js";
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
  write: (task) =>
    writePerSignature(task, ".sigstore.json", (index, keyid) =>
      bundleText(task.lane.payload, task.lane.signatures[index]!, keyid, keyid),
    ),
};
