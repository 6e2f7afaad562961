import { existsSync, statSync } from "node:fs";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { checkContent, openSignedLane } from "../../lib/lane/lane-files.js";
import { openLane } from "../../lib/lane/open.js";
import { countersign } from "../../lib/lane/sign.js";
import { detachedSignature, SIGNATURE_FORMATS } from "../../lib/manifest/foreign.js";
import type { SigningKey } from "../../lib/manifest/keys.js";
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

interface Detached {
  readonly lane: string;
  readonly out: string;
  readonly format: string;
  readonly comment: string | undefined;
}

async function signBeside(
  { lane, out, format, comment }: Detached,
  key: SigningKey,
  progress: Progress,
): Promise<void> {
  refuseInside(lane, out);
  if (existsSync(out)) throw new SealaneError("E_EXISTS", `${out} is there already`, { at: out });
  const source = await openLane(lane);
  try {
    const signed = openSignedLane(source);
    checkContent(signed, progress.update);
    const { lane_id, lane_version } = signed.manifest;
    const said = comment ?? `sealane lane ${lane_id}, version ${lane_version}, file manifest.json`;
    writeNewFile(out, detachedSignature(format, signed.manifestBytes, key, said));
  } finally {
    source.close();
  }
}

export default command({
  positionals: "<lane>",
  examples: [
    ["$0 sign lanes/bm25-locomo1540-24k-v1 --key second.pem", "one more signature in the lane's envelope"],
    [
      "$0 sign lanes/bm25-locomo1540-24k-v1 --key author.pem --format minisign -o manifest.json.minisig",
      "a signature over manifest.json for another tool",
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
        .option("out", { alias: "o", type: "string", describe: "with --format: the signature's new file" })
        .option("comment", {
          type: "string",
          describe: "with --format minisign: the trusted comment, which is signed",
        }),
    ),
  async run({ lane, key: keyFile, format, out, comment, json, "passphrase-fd": descriptor }) {
    if ((format === undefined) !== (out === undefined)) {
      throw new SealaneError("E_USAGE", "--format and --out go together", { at: "sign" });
    }
    if (comment !== undefined && format !== "minisign") {
      throw new SealaneError("E_USAGE", "--comment goes with --format minisign", { at: "sign" });
    }
    if (format === undefined) refuseNoFolder(lane);
    const key = await openSigningKey(keyFile, descriptor);
    const progress = new Progress("reading", "bytes");
    try {
      if (format !== undefined && out !== undefined) {
        await signBeside({ lane, out, format, comment }, key, progress);
        progress.end();
        if (json) printJson({ schema: "sealane-signature/1", lane, format, file: out, keyid: key.keyId });
        else printLine(`${out}: signature over manifest.json by key ${key.keyId} (${format})`);
      } else {
        const { signatures } = countersign(lane, key, progress.update);
        progress.end();
        const keyids = signatures.map(({ keyid }) => keyid);
        if (json) printJson({ schema: "sealane-signed/1", lane, keyid: key.keyId, keyids });
        else printLine(`${lane}: signed by key ${key.keyId}; ${keyids.length} signatures`);
      }
      return 0;
    } finally {
      progress.end();
    }
  },
});
