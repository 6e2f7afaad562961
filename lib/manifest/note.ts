// C2SP signed notes (c2sp.org/signed-note@v1.0.0) with Ed25519 signatures, type 0x01: a text, a blank line, and a line
// "— <key name> base64(key id || signature)" for each key. Notes are read as strictly as they are written, because a
// note that two readers split in two ways would say two things under one signature.
import { standardBase64 } from "../bytes/base64.js";
import { sha256 } from "../bytes/digest.js";
import { signatureProblem } from "../bytes/ed25519.js";
import { isUtf8 } from "../bytes/text.js";
import { SealaneError } from "../finding.js";
import { admitPublicKey, type PublicKey, type SigningKey } from "./keys.js";

/** Signature type identifier of Ed25519 as signed-note specifies it. */
const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
/** A verifier must accept 16 and should have a limit. */
const SIGNATURES_MAX = 64;
/** Non-empty, without Unicode spaces and plus signs; what is below U+0020 cannot stand in a note at all. */
const NAME = "[^\\p{White_Space}\\u0000-\\u001f+]+";
const KEY_NAME = new RegExp(`^${NAME}$`, "u");
const SIGNATURE_LINE = new RegExp(`^\u2014 (${NAME}) (\\S+)$`, "u");
const VERIFIER_KEY = new RegExp(`^(${NAME})\\+([0-9a-f]{8})\\+(\\S+)$`, "u");

/** A key under a name: what a signature line names, and what it is checked with. */
export interface NoteVerifier {
  readonly name: string;
  /** Eight hexadecimal digits: SHA-256(name || 0x0A || 0x01 || public key)[:4]. Short, and no proof of anything. */
  readonly id: string;
  readonly publicKey: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  readonly id: string;
  /** What follows the key id: 64 bytes when it is Ed25519 of type 0x01. */
  readonly signature: Uint8Array;
}

/** A note as it stands; its text must be ignored until a trusted key's signature has been verified. */
export interface Note {
  /** With its last line feed, without the blank line that ends it. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Whether a text can be the name of a note's key. */
export const isKeyName = (name: string): boolean => KEY_NAME.test(name);

/** The key id of a key's signatures of one type under a name: eight hexadecimal digits. */
export function noteKeyId(name: string, type: number, { bytes }: Pick<PublicKey, "bytes">): string {
  if (!isKeyName(name)) throw new RangeError(`${JSON.stringify(name)} is no name of a note's key`);
  const digest = sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), bytes]));
  return digest.subarray(0, KEY_ID_BYTES).toString("hex");
}

/** The verifier of signatures that a key makes under a name. */
export function noteVerifier(name: string, key: Pick<PublicKey, "bytes">): NoteVerifier {
  return { name, id: noteKeyId(name, ED25519, key), publicKey: key.bytes };
}

/** The verifier key ("vkey"): name+id+base64(type || public key). */
export function formatVerifierKey({ name, id, publicKey }: NoteVerifier): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(ED25519), publicKey]).toString("base64")}`;
}

/**
 * Reads a verifier key. Throws E_KEY for another form or an id that is not the key's, E_KEYTYPE for a signature type
 * other than 0x01, E_KEY_WEAK.
 */
export function parseVerifierKey(text: string, at: string): NoteVerifier {
  const [, name, id, material] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = material === undefined ? undefined : standardBase64(material);
  if (name === undefined || bytes === undefined) {
    throw new SealaneError("E_KEY", `${at} is no verifier key: <name>+<8 hexadecimal digits>+<base64>`, { at });
  }
  if (bytes[0] !== ED25519) {
    const found = `0x${bytes.subarray(0, 1).toString("hex")}`;
    throw new SealaneError("E_KEYTYPE", `${at} is of another signature type`, { at, expected: "0x01", found });
  }
  if (bytes.length !== 33) {
    const found = `${bytes.length - 1} bytes`;
    throw new SealaneError("E_KEY", `${at} holds no Ed25519 key`, { at, expected: "32 bytes", found });
  }
  const verifier = noteVerifier(name, admitPublicKey(bytes.subarray(1), at));
  if (verifier.id !== id) {
    throw new SealaneError("E_KEY", `${at}: the id is not the one of name and key`, {
      at,
      expected: verifier.id,
      found: id ?? "none",
    });
  }
  return verifier;
}

/** A note over `text`, which ends with a line feed, signed by a key under a name. */
export function signNote(text: string, name: string, key: SigningKey): string {
  const { id } = noteVerifier(name, key);
  return noteOf(text, { name, id, signature: key.sign(Buffer.from(text)) });
}

/** A note over `text`, which ends with a line feed, with one signature. */
export function noteOf(text: string, { name, id, signature }: NoteSignature): string {
  if (!text.endsWith("\n") || !text.isWellFormed() || holdsControl(Buffer.from(text))) {
    throw new RangeError("a note's text is lines of well-formed text without control characters");
  }
  const line = Buffer.concat([Buffer.from(id, "hex"), signature]).toString("base64");
  return `${text}\n\u2014 ${name} ${line}\n`;
}

/** ASCII control characters (below U+0020) other than line feed. */
function holdsControl(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x20 && byte !== 0x0a);
}

/** Takes a note apart and believes nothing of it. Throws E_CHECKPOINT when it is not in the one form that a note has. */
export function parseNote(bytes: Uint8Array, at: string): Note {
  const wrong = (why: string): SealaneError => new SealaneError("E_CHECKPOINT", `${at} is no note: ${why}`, { at });
  if (!isUtf8(bytes)) throw wrong("it is not well-formed UTF-8");
  if (holdsControl(bytes)) throw wrong("it holds a control character");
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // The text may hold blank lines: the last one ends it.
  const end = whole.lastIndexOf("\n\n");
  if (end < 0) throw wrong("no blank line stands between text and signatures");
  const block = whole.slice(end + 2);
  if (!block.endsWith("\n")) throw wrong("it does not end with a signature line");
  const lines = block.slice(0, -1).split("\n");
  if (lines.length > SIGNATURES_MAX) throw wrong(`it has more than ${SIGNATURES_MAX} signatures`);
  const signatures = lines.map((line, index) => {
    const [, name, base64] = SIGNATURE_LINE.exec(line) ?? [];
    const raw = base64 === undefined ? undefined : standardBase64(base64);
    if (name === undefined || raw === undefined || raw.length <= KEY_ID_BYTES) {
      throw wrong(`line ${index + 1} of its signatures is none`);
    }
    return { name, id: raw.subarray(0, KEY_ID_BYTES).toString("hex"), signature: raw.subarray(KEY_ID_BYTES) };
  });
  return { text: whole.slice(0, end + 1), signatures };
}

/**
 * Which of the known keys signed a note, each once. Lines of other keys are ignored, whatever they hold, as they may be of
 * other signature types; a line of a known key, by name and id, that does not verify condemns the note: E_CHECKPOINT.
 */
export function noteSigners<T extends NoteVerifier>({ text, signatures }: Note, known: readonly T[], at: string): T[] {
  const message = Buffer.from(text);
  const signers = new Set<T>();
  for (const { name, id, signature } of signatures) {
    for (const verifier of known) {
      if (verifier.name !== name || verifier.id !== id) continue;
      const problem = signatureProblem(message, signature, verifier.publicKey);
      if (problem !== undefined) {
        throw new SealaneError("E_CHECKPOINT", `${at}: a signature of a known key does not hold (${problem})`, {
          at,
          found: `${name} ${id}`,
        });
      }
      signers.add(verifier);
    }
  }
  return [...signers];
}

/** The text of a note that at least one of the known keys signed. Throws E_CHECKPOINT when none did, or a line is false. */
export function openNote(bytes: Uint8Array, known: readonly NoteVerifier[], at: string): string {
  const note = parseNote(bytes, at);
  if (noteSigners(note, known, at).length === 0) {
    throw new SealaneError("E_CHECKPOINT", `${at}: no known key signed this note`, {
      at,
      expected: known.map(({ name, id }) => `${name} ${id}`).join(" or ") || "a known key",
      found: note.signatures.map(({ name, id }) => `${name} ${id}`).join(", "),
    });
  }
  return note.text;
}
