import { type SignatureProblem, signatureProblem } from "../lib/bytes/ed25519.js";
import { preAuthEncoding } from "../lib/manifest/envelope.js";
import type { PublicKey } from "../lib/manifest/keys.js";
import type { OpenedEnvelope } from "./evidence.js";

/** What was found of an envelope's signatures, for as long as that envelope is looked at. */
const found = new WeakMap<OpenedEnvelope, Map<string, SignatureProblem | undefined>>();

/**
 * Whether one signature of an envelope holds under a key; undefined when it does. Asked by more than one check, and
 * answered once for each envelope: the answer takes tens of milliseconds.
 * @param index place of the signature in the envelope
 */
export function envelopeSignatureProblem(
  opened: OpenedEnvelope,
  index: number,
  key: PublicKey,
): SignatureProblem | undefined {
  const answers = found.get(opened) ?? new Map<string, SignatureProblem | undefined>();
  found.set(opened, answers);
  const question = `${index} ${Buffer.from(key.bytes).toString("hex")}`;
  if (!answers.has(question)) {
    const message = preAuthEncoding(opened.envelope.payloadType, opened.payload);
    answers.set(question, signatureProblem(message, opened.signatures[index] ?? Buffer.alloc(0), key.bytes));
  }
  return answers.get(question);
}
