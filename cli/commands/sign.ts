import { existsSync, statSync } from "node:fs";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { systemClock } from "../../lib/io/clock.js";
import { checkContent, type OnBytes, openSignedLane, type SignedLane } from "../../lib/lane/lane-files.js";
import { openLane } from "../../lib/lane/open.js";
import { countersign } from "../../lib/lane/sign.js";
import { checkpointText, signatureCheckpoint } from "../../lib/manifest/checkpoint.js";
import { cosignedNote } from "../../lib/manifest/cosignature.js";
import { detachedSignature, SIGNATURE_FORMATS } from "../../lib/manifest/foreign.js";
import { command } from "../command.js";
import { openSigningKey } from "../key-file.js";
import { refuseInside } from "../outside.js";
import { passphraseOption } from "../passphrase.js";
import { Progress, printJson, printLine } from "../ui.js";

function refuseNoFolder(lane: string): void {
  if (!existsSync(lane)) throw new SealaneError("E_MISSING", `${lane}: there is no such folder`, { at: lane });
  if (!statSync(lane).isDirectory()) {
    throw new SealaneError("E_USAGE", `${lane} is no folder: a signature is added to a lane's folder only`, {
      at: lane,
      next: "Take the lane out with `sealane unpack`, sign it, and pack it again.",
    });
  }
}

interface Beside {
  readonly lane: string;
  readonly out: string;
  readonly onBytes: OnBytes;
}

/** Writes a new file beside a lane, once every file of the lane was found to be the one sealed. */
async function writeBeside(
  { lane, out, onBytes }: Beside,
  make: (lane: SignedLane) => Uint8Array | string,
): Promise<void> {
  refuseInside(lane, out);
  if (existsSync(out)) throw new SealaneError("E_EXISTS", `${out} is there already`, { at: out });
  const source = await openLane(lane);
  try {
    const signed = openSignedLane(source);
    checkContent(signed, onBytes);
    writeNewFile(out, make(signed));
  } finally {
    source.close();
  }
}

type Mixed = { readonly [K in "format" | "as" | "out" | "comment" | "name"]?: string | undefined };

function refuseMixed({ format, as, out, comment, name }: Mixed): void {
  const why =
    format !== undefined && as !== undefined
      ? "--format and --as are two things to write"
      : (format !== undefined || as !== undefined) !== (out !== undefined)
        ? "--out goes with --format or --as, and each of these with --out"
        : comment !== undefined && format !== "minisign"
          ? "--comment goes with --format minisign"
          : (as !== undefined) !== (name !== undefined)
            ? "--as witness and --name go together"
            : undefined;
  if (why !== undefined) throw new SealaneError("E_USAGE", why, { at: "sign" });
}

export default command({
  positionals: "<lane>",
  examples: [
    ["$0 sign lanes/bm25-locomo1540-24k-v1 --key second.pem", "one more signature in the lane's envelope"],
    [
      "$0 sign lanes/bm25-locomo1540-24k-v1 --key author.pem --format minisign -o manifest.json.minisig",
      "a signature over manifest.json for another tool",
    ],
    [
      "$0 sign lanes/theirs --key witness.pem --as witness --name example.com/bob -o theirs.note",
      "as a witness: you saw these signatures now",
    ],
  ],
  options: (yargs) =>
    passphraseOption(
      yargs
        .positional("lane", { type: "string", demandOption: true, describe: "the lane's folder" })
        .option("key", { type: "string", demandOption: true, describe: "the signing key, PEM" })
        .option("format", {
          choices: Object.keys(SIGNATURE_FORMATS),
          describe: "leave the lane as it is and write a signature over manifest.json in this form",
        })
        .option("as", {
          choices: ["witness"] as const,
          describe: "leave the lane as it is and cosign, with the present time, a checkpoint of its signatures",
        })
        .option("name", { type: "string", describe: "with --as witness: your name, such as example.com/bob" })
        .option("out", { alias: "o", type: "string", describe: "with --format or --as: the new file" })
        .option("comment", {
          type: "string",
          describe: "with --format minisign: the trusted comment, which is signed",
        }),
    ),
  async run(options) {
    const { lane, key: keyFile, format, out, json, "passphrase-fd": descriptor } = options;
    refuseMixed(options);
    if (out === undefined) refuseNoFolder(lane);
    const key = await openSigningKey(keyFile, descriptor);
    const progress = new Progress("reading", "bytes");
    try {
      if (out === undefined) {
        const { signatures } = countersign(lane, key, progress.update);
        progress.end();
        const keyids = signatures.map(({ keyid }) => keyid);
        if (json) printJson({ schema: "sealane-signed/1", lane, keyid: key.keyId, keyids });
        else printLine(`${lane}: signed by key ${key.keyId}; ${keyids.length} signatures`);
        return 0;
      }
      const { name, comment } = options;
      const beside = { lane, out, onBytes: progress.update };
      if (format !== undefined) {
        await writeBeside(beside, ({ manifest, manifestBytes }) => {
          const said =
            comment ?? `sealane lane ${manifest.lane_id}, version ${manifest.lane_version}, file manifest.json`;
          return detachedSignature(format, manifestBytes, key, said);
        });
        progress.end();
        if (json) printJson({ schema: "sealane-signature/1", lane, format, file: out, keyid: key.keyId });
        else printLine(`${out}: signature over manifest.json by key ${key.keyId} (${format})`);
        return 0;
      }
      const time = systemClock.now();
      await writeBeside(beside, ({ manifest, signatures }) => {
        const seconds = BigInt(Math.floor(Date.parse(time) / 1000));
        return cosignedNote(checkpointText(signatureCheckpoint(manifest, signatures)), name!, key, seconds);
      });
      progress.end();
      if (json) printJson({ schema: "sealane-witnessed/1", lane, name, time, file: out, keyid: key.keyId });
      else printLine(`${out}: cosigned as ${name} by key ${key.keyId} at ${time}`);
      return 0;
    } finally {
      progress.end();
    }
  },
});
