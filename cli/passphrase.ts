// Passphrases come from a terminal or a file descriptor: an argument or a variable would stand in process lists, shell
// histories and logs.
import { readSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Argv } from "yargs";
import { SealaneError } from "../lib/finding.js";
import { PASSPHRASE_BYTES_MAX } from "../lib/manifest/encrypted-key.js";

export interface PassphraseOptions {
  readonly "passphrase-fd": number | undefined;
}

/** The option of every command that reads a private key. */
export function passphraseOption<T>(yargs: Argv<T>): Argv<T & PassphraseOptions> {
  return yargs.option("passphrase-fd", {
    type: "number",
    describe: "read the key's passphrase from this file descriptor, one line; without it, a terminal is asked",
  }) as Argv<T & PassphraseOptions>;
}

const LINE_FEED = 0x0a;

/**
 * The next line that a descriptor gives, without its end, and not a byte more: where a command opens several keys, each
 * takes a line. Throws E_USAGE, E_PASSPHRASE.
 */
export function passphraseFromDescriptor(descriptor: number): Uint8Array {
  if (!Number.isSafeInteger(descriptor) || descriptor < 0 || descriptor === 1 || descriptor === 2) {
    throw new SealaneError("E_USAGE", "--passphrase-fd is no descriptor to read from", { found: String(descriptor) });
  }
  // One byte more than the longest, which tells that it is too long, and one for a carriage return.
  const bytes = Buffer.alloc(PASSPHRASE_BYTES_MAX + 2);
  let length = 0;
  try {
    while (length < bytes.length && readSync(descriptor, bytes, length, 1, null) === 1) {
      if (bytes[length] === LINE_FEED) break;
      length += 1;
    }
  } catch (cause) {
    throw new SealaneError("E_PASSPHRASE", `no passphrase could be read from descriptor ${descriptor}`, {
      at: "--passphrase-fd",
      cause,
    });
  }
  const line = bytes.subarray(0, length);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

/** Asks on the terminal; what is typed is not shown. Throws E_PASSPHRASE where there is no terminal, E_CANCELLED at Ctrl-C and Ctrl-D. */
async function ask(prompt: string, at: string): Promise<Uint8Array> {
  if (process.stdin.isTTY !== true) {
    throw new SealaneError("E_PASSPHRASE", `${at} needs a passphrase, and there is no terminal to ask for it`, { at });
  }
  // readline edits the line and writes what it shows into nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  // Only now does the terminal show nothing of what is typed.
  process.stderr.write(prompt);
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      line.once("line", resolve);
      line.once("close", () => reject(new SealaneError("E_CANCELLED", "no passphrase was typed", { at })));
    });
    return Buffer.from(typed);
  } finally {
    line.removeAllListeners();
    line.close();
    process.stderr.write("\n");
  }
}

/** The passphrase of a key that is there. */
export async function passphraseFor(at: string, descriptor: number | undefined): Promise<Uint8Array> {
  return descriptor === undefined ? ask(`Passphrase of ${at}: `, at) : passphraseFromDescriptor(descriptor);
}

/** A passphrase for a new key: typed twice, or read once. Throws E_PASSPHRASE when the two differ. */
export async function newPassphrase(at: string, descriptor: number | undefined): Promise<Uint8Array> {
  if (descriptor !== undefined) return passphraseFromDescriptor(descriptor);
  const first = await ask(`Passphrase for ${at}: `, at);
  const second = await ask("The same again: ", at);
  if (Buffer.compare(first, second) !== 0) {
    throw new SealaneError("E_PASSPHRASE", "the two passphrases differ", { at, next: "Run the command again." });
  }
  return first;
}
