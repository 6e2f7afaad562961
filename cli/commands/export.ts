import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { LIMITS } from "../../lib/bytes/limits.js";
import { EXPORTS, exportLane } from "../../lib/export/index.js";
import { SealaneError } from "../../lib/finding.js";
import { readFile } from "../../lib/io/read-file.js";
import { openLane } from "../../lib/lane/open.js";
import { command } from "../command.js";
import { openKeyFile } from "../key-file.js";
import { refuseInside } from "../outside.js";
import { passphraseOption } from "../passphrase.js";
import { Progress, printJson, printLine } from "../ui.js";

const given = (path: string | undefined) =>
  path === undefined ? undefined : { bytes: readFile(path, LIMITS.documentBytesMax), at: path };

/** What the lane is called where a format names it: its folder, or its archive without the ending. */
function nameOf(lane: string): string {
  const name = basename(resolve(lane));
  return statSync(lane).isDirectory() ? name : name.replace(/(?:\.tar|\.tar\.gz|\.tgz|\.zip)$/, "") || name;
}

export default command({
  positionals: "<lane>",
  examples: [
    ["$0 export lanes/ours --as sha256sum -o ours.sha256", "then, in the lane's folder: sha256sum -c ../ours.sha256"],
    ["$0 export lanes/ours --as sigstore-bundle -o bundles", "one Sigstore bundle for each signature"],
    ["$0 export lanes/ours --as oms --key model.pem -o ours.sig", "an OpenSSF model signature over the folder"],
    [
      "$0 export lanes/ours --as vsa --report report.json --time 2026-01-02T15:04:05Z --key mine.pem -o vsa.json",
      "a signed summary of your own verification",
    ],
  ],
  options: (yargs) =>
    passphraseOption(
      yargs
        .positional("lane", { type: "string", demandOption: true, describe: "the lane's folder or archive" })
        .option("as", {
          choices: EXPORTS.map(({ id }) => id),
          demandOption: true,
          describe: EXPORTS.map(({ id, summary }) => `${id}: ${summary}`).join("; "),
        })
        .option("out", { alias: "o", type: "string", demandOption: true, describe: "the new file or folder" })
        .option("key", { type: "string", describe: "oms, vsa, svr: the key of whoever makes the statement, PEM" })
        .option("report", { type: "string", describe: "vsa, svr: what `sealane verify --json` printed" })
        .option("time", { type: "string", describe: "vsa, svr: when you verified; bagit, ro-crate: the date. UTC" })
        .option("trust", { type: "string", describe: "vsa, svr: the trust file that you verified under" })
        .option("verifier", { type: "string", describe: "vsa, svr: your URI as a verifier" })
        .option("resource", { type: "string", describe: "vsa: the URI under which the lane is published" }),
    ),
  async run(options) {
    const { lane, as: format, out, json, time, verifier, resource } = options;
    const source = await openLane(lane);
    const progress = new Progress("exporting", "bytes");
    try {
      refuseInside(lane, out);
      if (existsSync(out)) throw new SealaneError("E_EXISTS", `${out} is there already`, { at: out });
      const key = options.key === undefined ? undefined : await openKeyFile(options.key, options["passphrase-fd"]);
      const inputs = { key, report: given(options.report), time, trust: given(options.trust), verifier, resource };
      const request = { format, inputs, name: nameOf(lane), out, onBytes: progress.update };
      const written = await exportLane(source, request);
      progress.end();
      if (json) printJson({ schema: "sealane-exported/1", lane, format, out, written });
      else printLine(`${out}: ${format}${written[0] === "" ? "" : ` (${written.join(", ")})`}`);
      return 0;
    } finally {
      progress.end();
      source.close();
    }
  },
});
