import { canonicalJson } from "../bytes/json.js";
import { PAYLOAD_TYPE } from "../manifest/envelope.js";

/** https://docs.sigstore.dev/about/bundle/, sigstore_bundle.proto: exactly one signature stands in a bundle. */
export const BUNDLE_MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";

/** A Sigstore bundle, version 0.3, signed by a key that its verifier has under `hint`; in no transparency log. */
export function bundleText(payload: Uint8Array, signature: Uint8Array, hint: string, keyid: string): string {
  const bundle = {
    mediaType: BUNDLE_MEDIA_TYPE,
    verificationMaterial: { publicKey: { hint }, tlogEntries: [] },
    dsseEnvelope: {
      payload: Buffer.from(payload).toString("base64"),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ keyid, sig: Buffer.from(signature).toString("base64") }],
    },
  };
  return `${canonicalJson(bundle)}\n`;
}
