// Edits of the signature envelope: signatures of other keys and kinds, and other bytes for those that are there.
import { createHash } from "node:crypto";
import { ed25519ph } from "@noble/curves/ed25519.js";
import { sha256 } from "../../../../lib/bytes/digest.js";
import { preAuthEncoding } from "../../../../lib/manifest/envelope.js";
import { sshSignature } from "../../../../lib/manifest/ssh.js";
import { LANE_FILES } from "../../../../lib/records/documents.js";
import type { Envelope } from "../../../../schemas/index.js";
import { testKey } from "../../test-key.js";
import { BESIDE, type Bench, type Json, valueAt, withValue } from "../bench.js";
import { BYTES, EDITS, FLAG, INTEGER, oneOf, op, optional, PATH, PLACE, POINTER, TEXT, VALUE } from "../op.js";
import { bytesOf, offsetOf, resolved } from "../values.js";

function change(bench: Bench, edit: (envelope: Envelope) => void): void {
  const envelope = bench.document(LANE_FILES.envelope) as unknown as Envelope;
  edit(envelope);
  bench.put(LANE_FILES.envelope, envelope);
}

const at = (envelope: Envelope, index: number): Envelope["signatures"][number] => {
  const signature = envelope.signatures.at(index);
  if (!signature) throw new Error(`the envelope has no signature ${index}`);
  return signature;
};

/** Changes the bytes of one signature. */
const changeSignature = (bench: Bench, index: number, edit: (bytes: Buffer) => Buffer): void =>
  change(bench, (envelope) => {
    const signature = at(envelope, index);
    signature.sig = edit(Buffer.from(signature.sig, "base64")).toString("base64");
  });

/** Order of the group (RFC 8032 section 5.1). */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  url: (text) => text.replaceAll("+", "-").replaceAll("/", "_"),
  unpadded: (text) => text.replace(/=+$/, ""),
  "overly-padded": (text) => `${text}=`,
  "line-feed": (text) => `${text}\n`,
  "space-inside": (text) => `${text.slice(0, 8)} ${text.slice(8)}`,
  garbage: (text) => `${text.slice(0, 8)}!!${text.slice(8)}`,
  /** The last digit before the padding holds bits that no byte needs. */
  "trailing-bits": (text) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const end = text.replace(/=+$/, "").length - 1;
    return text.slice(0, end) + digits[digits.indexOf(text[end]!) + 1]! + text.slice(end + 1);
  },
};

export const ENVELOPE_OPS = {
  /** One more signature over the payload as it stands; with `alone` in the place of all others. */
  "envelope.sign": op(
    {
      by: TEXT,
      key_id: optional(VALUE),
      alone: optional(FLAG),
      kind: optional(oneOf("pure", "prehashed", "payload-alone", "characters", "minisign", "ssh")),
    },
    (bench, { by, key_id, alone = false, kind = "pure" }) =>
      change(bench, (envelope) => {
        const payload = Buffer.from(envelope.payload, "base64");
        const encoded = preAuthEncoding(envelope.payloadType, payload);
        const key = testKey(by);
        let sig: Uint8Array;
        if (kind === "prehashed") sig = ed25519ph.sign(encoded, sha256(`sealane test key ${by}`));
        else if (kind === "payload-alone") sig = key.sign(payload);
        else if (kind === "minisign") {
          // What minisign signs of a file: its BLAKE2b-512.
          sig = key.sign(createHash("blake2b512").update(bench.bytes(LANE_FILES.manifest)).digest());
        } else if (kind === "ssh") {
          const armoured = sshSignature(bench.bytes(LANE_FILES.manifest), key).split("\n").slice(1, -2).join("");
          sig = Buffer.from(armoured, "base64").subarray(-64);
        } else if (kind === "characters") {
          // The encoding with its lengths counted in characters instead of bytes.
          const type = envelope.payloadType;
          sig = key.sign(Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]));
        } else sig = key.sign(encoded);
        const keyid = key_id === undefined ? key.keyId : (resolved(key_id, bench) as string);
        const signature = { keyid, sig: Buffer.from(sig).toString("base64") };
        envelope.signatures = alone ? [signature] : [...envelope.signatures, signature];
      }),
  ),
  /** Edits the payload as a document, and leaves the signatures as they are. */
  "envelope.payload": op({ edits: EDITS }, (bench, { edits }) => {
    const { payload } = bench.document(LANE_FILES.envelope) as unknown as Envelope;
    const edited = bench.edited(BESIDE.statement, Buffer.from(payload, "base64"), edits);
    change(bench, (envelope) => {
      envelope.payload = edited.toString("base64");
    });
  }),
  "signature.write": op({ index: INTEGER, at: PLACE, bytes: BYTES }, (bench, { index, at: place, bytes }) =>
    changeSignature(bench, index, (signature) => {
      const put = bytesOf(bytes, bench);
      const offset = offsetOf(place, signature, bench);
      return Buffer.concat([signature.subarray(0, offset), put, signature.subarray(offset + put.length)]);
    }),
  ),
  "signature.flip": op({ index: INTEGER, at: INTEGER }, (bench, { index, at: offset }) =>
    changeSignature(bench, index, (signature) => {
      signature[offset]! ^= 1;
      return signature;
    }),
  ),
  /** S + times * L: the same scalar, not in its least form. */
  "signature.add-order": op({ index: INTEGER, times: INTEGER }, (bench, { index, times }) =>
    changeSignature(bench, index, (signature) => {
      let s =
        BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + GROUP_ORDER * BigInt(times);
      for (let byte = 32; byte < 64; byte += 1) {
        signature[byte] = Number(s & 255n);
        s >>= 8n;
      }
      if (s > 0n) throw new Error("S + times * L does not fit into 32 bytes");
      return signature;
    }),
  ),
  /** Another spelling of base64. */
  "base64.spell": op(
    { file: PATH, pointer: POINTER, as: oneOf(...Object.keys(SPELLINGS)) },
    (bench, { file, pointer, as }) => {
      const document: Json = bench.document(file);
      const text = valueAt(document, pointer) as string;
      const spelt = SPELLINGS[as]!(text);
      if (spelt === text) throw new Error(`${pointer} of ${file} has no spelling of the kind ${as}`);
      bench.put(file, withValue(document, pointer, spelt));
    },
  ),
} as const;
