// One more signature on a sealed lane: in its envelope, over the payload that is there.
import { join } from "node:path";
import type { Envelope } from "../../schemas/index.js";
import { signatureProblem } from "../bytes/ed25519.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { replaceFileWith } from "../io/atomic.js";
import { FolderSource } from "../io/folder-source.js";
import { payloadSignature, preAuthEncoding } from "../manifest/envelope.js";
import type { SigningKey } from "../manifest/keys.js";
import { checked } from "../records/documents.js";
import { ENVELOPE } from "./archive-manifest.js";
import { checkContent, type OnBytes, openSignedLane, type SignedLane } from "./lane-files.js";

/** Refuses a key that signed already: a threshold counts keys, so a second signature by one would only look like more. */
function refuseSecond({ envelope, payload, signatures }: SignedLane, key: SigningKey): void {
  const message = preAuthEncoding(envelope.payloadType, payload);
  for (const [index, { keyid }] of envelope.signatures.entries()) {
    const at = `${ENVELOPE}#/signatures/${index}`;
    const holds = signatureProblem(message, signatures[index]!, key.bytes) === undefined;
    if (holds)
      throw new SealaneError("E_EXISTS", "this key has signed the lane already", {
        at,
        found: keyid,
        next: "Sign with another key.",
      });
    if (keyid === key.keyId) {
      throw new SealaneError("E_SIG", "the envelope holds a signature under this key's id that is not by this key", {
        at,
        found: keyid,
      });
    }
  }
}

/**
 * Adds a key's signature to the envelope of the lane in a folder, after every file was found to be the one sealed. The
 * envelope is replaced as a whole; all that stood in it stays.
 *
 * Throws E_EXISTS when the key has signed already, E_SIG when a signature under its id does not hold, E_SCHEMA for one
 * signature more than an envelope takes, what `openSignedLane` throws, E_SIZE, E_DIGEST, E_IO.
 */
export function countersign(folder: string, key: SigningKey, onBytes: OnBytes = () => {}): Envelope {
  const lane = openSignedLane(new FolderSource(folder));
  refuseSecond(lane, key);
  checkContent(lane, onBytes);
  const signatures = [...lane.envelope.signatures, payloadSignature(lane.payload, key)];
  const envelope = checked("envelope", { ...lane.envelope, signatures }, ENVELOPE);
  replaceFileWith(join(folder, ENVELOPE), (write) => write(canonicalJson(envelope)));
  return envelope;
}
