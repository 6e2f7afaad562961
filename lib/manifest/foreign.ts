// Every form of other people's tools in which sealane writes a public key, or a signature that stands beside a manifest.
// To add one: a function, and one line here.
import { SealaneError } from "../finding.js";
import { type PublicKey, publicKeyPem, type SigningKey } from "./keys.js";
import { formatVerifierKey, noteVerifier } from "./note.js";
import { minisignPublicKey, minisignSignature, signifyPublicKey, signifySignature } from "./signify.js";
import { sshPublicKey, sshSignature } from "./ssh.js";

/** A name in a public key: what a person reads; in a vkey, a part of the key's identity. One line, no control characters. */
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,256}$/u;
/** c2sp.org/signed-note: neither spaces nor plus signs. */
const VKEY_NAME = /^[^\p{White_Space}\p{Cc}+]{1,256}$/u;

export const PUBLIC_KEY_FORMATS: Readonly<Record<string, (key: PublicKey, name: string | undefined) => string>> = {
  pem: (key) => publicKeyPem(key),
  minisign: (key) => minisignPublicKey(key),
  signify: (key, name) => signifyPublicKey(key, name ?? `sealane ${key.keyId}`),
  ssh: (key, name) => sshPublicKey(key, name ?? `sealane-${key.keyId}`),
  vkey: (key, name) => {
    if (name === undefined || !VKEY_NAME.test(name)) {
      throw new SealaneError(
        "E_USAGE",
        "a vkey needs a name without spaces and plus signs, such as example.com/author",
        {
          found: name ?? "none",
          next: "Name it with --name.",
        },
      );
    }
    return `${formatVerifierKey(noteVerifier(name, key))}\n`;
  },
};

/** A public key in the form of a tool. Throws E_UNKNOWN for a form that is not in the list, E_USAGE for an unfit name. */
export function publicKeyText(format: string, key: PublicKey, name?: string): string {
  const write = chosen(PUBLIC_KEY_FORMATS, format);
  if (name !== undefined && !NAME.test(name)) {
    throw new SealaneError("E_USAGE", "a key's name is one line of at most 256 characters", { found: name });
  }
  return write(key, name);
}

/** minisign reads at most 8,192 bytes of it, its label included. */
const COMMENT_BYTES_MAX = 8000;

export const SIGNATURE_FORMATS: Readonly<
  Record<string, (message: Uint8Array, key: SigningKey, comment: string) => Uint8Array | string>
> = {
  minisign: (message, key, comment) => minisignSignature(message, comment, key),
  signify: (message, key) => signifySignature(message, key),
  ssh: (message, key) => sshSignature(message, key),
  raw: (message, key) => key.sign(message),
};

/**
 * A signature over bytes as a file that stands beside them. `comment` is minisign's trusted comment: what is said there is
 * signed, a time included, which is the signer's word and not a clock's.
 * Throws E_UNKNOWN for a form that is not in the list, E_USAGE for an unfit comment.
 */
export function detachedSignature(
  format: string,
  message: Uint8Array,
  key: SigningKey,
  comment: string,
): Uint8Array | string {
  const write = chosen(SIGNATURE_FORMATS, format);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(comment.replaceAll("\t", " ")) || Buffer.byteLength(comment) > COMMENT_BYTES_MAX) {
    throw new SealaneError("E_USAGE", `a comment is one line of at most ${COMMENT_BYTES_MAX} bytes`, {
      found: comment,
    });
  }
  return write(message, key, comment);
}

function chosen<T>(formats: Readonly<Record<string, T>>, format: string): T {
  const found = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (found === undefined) {
    throw new SealaneError("E_UNKNOWN", `there is no form '${format}'`, {
      expected: Object.keys(formats).join(", "),
      found: format,
    });
  }
  return found;
}
