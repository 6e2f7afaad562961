// Cosignatures of witnesses (c2sp.org/tlog-cosignature, Ed25519, signature type 0x04): a line of a checkpoint's note by which a
// witness says that he saw this tree at this time.
import { signatureProblem } from "../bytes/ed25519.js";
import { SealaneError } from "../finding.js";
import type { PublicKey, SigningKey } from "./keys.js";
import { isKeyName, type Note, noteKeyId, noteOf } from "./note.js";

/** Signature type identifier of timestamped Ed25519 cosignatures. */
const COSIGNATURE = 0x04;
const TIME_BYTES = 8;
/** The last second of the year 9999: no later time can be written as all times are. The specification's bound is 2^63 - 1. */
const SECONDS_MAX = 253402300799n;

function signedMessage(seconds: bigint, text: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/**
 * A checkpoint's text as a note that a witness has cosigned. Throws E_USAGE for a name with spaces or plus signs.
 * @param seconds POSIX time
 */
export function cosignedNote(text: string, name: string, key: SigningKey, seconds: bigint): string {
  if (!isKeyName(name)) {
    throw new SealaneError("E_USAGE", "a witness's name has neither spaces nor plus signs", {
      found: name,
      next: "Name it like a place of yours, such as example.com/witness.",
    });
  }
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(seconds);
  const signature = Buffer.concat([time, key.sign(signedMessage(seconds, text))]);
  return noteOf(text, { name, id: noteKeyId(name, COSIGNATURE, key), signature });
}

/**
 * Which of the known witnesses cosigned a note, each once with the earliest time that he gives, in milliseconds since 1970. What
 * a cosignature signs does not name its witness, so a name says nothing: a key is one witness under however many names.
 * Lines by others are ignored, whatever they hold; one that names a known key and does not hold condemns the note: E_CHECKPOINT.
 */
export function cosigners<T extends PublicKey>(
  { text, signatures }: Note,
  known: readonly T[],
  at: string,
): Map<T, number> {
  const times = new Map<T, number>();
  for (const { name, id, signature } of signatures) {
    for (const witness of known) {
      if (noteKeyId(name, COSIGNATURE, witness) !== id) continue;
      const whole = signature.length === TIME_BYTES + 64;
      const seconds = whole ? Buffer.from(signature).readBigUInt64BE() : undefined;
      const problem =
        seconds === undefined || seconds > SECONDS_MAX
          ? "form"
          : signatureProblem(signedMessage(seconds, text), signature.subarray(TIME_BYTES), witness.bytes);
      if (seconds === undefined || problem !== undefined) {
        throw new SealaneError("E_CHECKPOINT", `${at}: a cosignature of a known witness does not hold (${problem})`, {
          at,
          found: `${name} ${id}`,
        });
      }
      times.set(witness, Math.min(times.get(witness) ?? Number.POSITIVE_INFINITY, Number(seconds) * 1000));
    }
  }
  return times;
}
