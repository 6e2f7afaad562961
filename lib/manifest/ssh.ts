// Keys and signatures in OpenSSH's forms: the ssh-ed25519 public key (RFC 8709 section 4) and the armoured signature of
// PROTOCOL.sshsig, whose namespace keeps a signature made for one purpose from being taken for another.
import { createHash } from "node:crypto";
import type { PublicKey, SigningKey } from "./keys.js";

/** The namespace of every SSH signature that sealane makes. */
export const SSH_NAMESPACE = "lane-manifest@sealane.dev";

const KEY_TYPE = "ssh-ed25519";
const MAGIC = Buffer.from("SSHSIG");
const HASH = "sha512";
const LINE = 70;

/** A string of the SSH wire format (RFC 4251 section 5): its length in four bytes, then its bytes. */
function string(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function wireKey({ bytes }: PublicKey): Buffer {
  return Buffer.concat([string(KEY_TYPE), string(bytes)]);
}

/** One line of authorized_keys, or, after a principal, of allowed_signers. */
export function sshPublicKey(key: PublicKey, comment: string): string {
  return `${KEY_TYPE} ${wireKey(key).toString("base64")} ${comment}\n`;
}

/** What `ssh-keygen -Y verify -n lane-manifest@sealane.dev` takes. */
export function sshSignature(message: Uint8Array, key: SigningKey): string {
  const namespace = string(SSH_NAMESPACE);
  const reserved = string("");
  const hash = string(HASH);
  const digest = string(createHash(HASH).update(message).digest());
  const signature = key.sign(Buffer.concat([MAGIC, namespace, reserved, hash, digest]));
  const version = Buffer.from([0, 0, 0, 1]);
  const signed = string(Buffer.concat([string(KEY_TYPE), string(signature)]));
  const whole = Buffer.concat([MAGIC, version, string(wireKey(key)), namespace, reserved, hash, signed]);
  const lines = whole.toString("base64").match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`;
}
