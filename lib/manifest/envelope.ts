// The in-toto statement over a manifest and the DSSE envelope around it. Bytes are verified as received; only then are
// they held against their canonical form.
import type { Envelope, Manifest, Statement } from "../../schemas/index.js";
import { decodeBase64 } from "../bytes/base64.js";
import { canonicalJson } from "../bytes/json.js";
import type { SigningKey } from "./keys.js";

export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** DSSE v1 pre-authentication encoding; lengths count bytes. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}

/** The statement about a manifest: one subject, because an in-toto subject list matches when any one entry does. */
export function statementOf(manifest: Manifest, manifestSha256: string): Statement {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "manifest.json", digest: { sha256: manifestSha256 } }],
    predicateType: "https://sealane.dev/lane-manifest/v1",
    predicate: { lane_id: manifest.lane_id, lane_version: manifest.lane_version },
  };
}

/** A key's signature over an in-toto payload, as an envelope holds it. */
export function payloadSignature(payload: Uint8Array, key: SigningKey): Envelope["signatures"][number] {
  const signature = key.sign(preAuthEncoding(PAYLOAD_TYPE, payload));
  return { keyid: key.keyId, sig: Buffer.from(signature).toString("base64") };
}

/** Signs an in-toto statement of whatever predicate; one signature. */
export function signStatement(statement: object, key: SigningKey): Envelope {
  const payload = Buffer.from(canonicalJson(statement));
  return {
    payload: payload.toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [payloadSignature(payload, key)],
  };
}

/** Payload and signatures of an envelope as bytes. Throws E_BASE64. */
export function openEnvelope(envelope: Envelope, at: string): { payload: Buffer; signatures: Buffer[] } {
  return {
    payload: decodeBase64(envelope.payload, `${at}#/payload`),
    signatures: envelope.signatures.map(({ sig }, index) => decodeBase64(sig, `${at}#/signatures/${index}/sig`)),
  };
}
