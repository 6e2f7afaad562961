import { existsSync } from "node:fs";
import { SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { openInput } from "../../lib/io/input.js";
import { detachLane } from "../../lib/lane/detach.js";
import { datasetOf } from "../../lib/lane/hydrate.js";
import { openLane } from "../../lib/lane/open.js";
import { LANE_FILES, readDocument } from "../../lib/records/documents.js";
import { command } from "../command.js";
import { openSigningKey } from "../key-file.js";
import { passphraseOption } from "../passphrase.js";
import { Progress, printJson, printLine, stopSignals } from "../ui.js";

/** The longest run of words that may stand both in the lane and in the dataset, when the user names none. */
const WORDS_MAX = 3;

export default command({
  positionals: "<lane>",
  examples: [
    [
      "$0 detach lanes/bm25-locomo1540-24k-v1 --dataset locomo10.json --key author.pem --out bm25-locomo1540-24k-v1-detached",
      "the same lane without the dataset's text, for publishing",
    ],
  ],
  options: (yargs) =>
    passphraseOption(
      yargs
        .positional("lane", { type: "string", demandOption: true, describe: "the lane's folder or archive" })
        .option("dataset", { type: "string", demandOption: true, describe: "the dataset: its file or folder" })
        .option("key", { type: "string", demandOption: true, describe: "the author's signing key, PEM" })
        .option("words", {
          type: "number",
          default: WORDS_MAX,
          describe: "how many words in a row may stand there that the dataset holds too, at most",
        })
        .option("out", { type: "string", demandOption: true, describe: "the new lane folder" }),
    ),
  async run(options) {
    const { words } = options;
    if (!Number.isSafeInteger(words) || words < 1 || words > 100)
      throw new SealaneError("E_USAGE", "--words is a whole number from 1 to 100", { found: String(words) });
    if (existsSync(options.out))
      throw new SealaneError("E_EXISTS", `${options.out} is there already`, { at: options.out });
    const source = await openLane(options.lane);
    const { stop, release } = stopSignals("Stopping; nothing is kept of an unfinished lane.");
    const progress = new Progress("detaching", "questions");
    try {
      const { value } = readDocument(source, "manifest", LANE_FILES.manifest);
      const dataset = datasetOf(value, openInput(options.dataset));
      const key = await openSigningKey(options.key, options["passphrase-fd"]);
      const { manifest, manifestSha256 } = await detachLane(source, {
        dataset,
        key,
        sealed: systemClock.now(),
        wordsMax: words,
        out: options.out,
        stop,
        onProgress: progress.update,
      });
      progress.end();
      const { lane_id, lane_version, files, detached } = manifest;
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      if (options.json) {
        printJson({
          schema: "sealane-detached/1",
          lane: options.out,
          lane_id,
          lane_version,
          manifest_sha256: manifestSha256,
          whole_manifest_sha256: detached!.manifest_sha256,
          words_max: words,
          files: files.length,
          bytes,
          keyid: key.keyId,
        });
      } else {
        printLine(`detached ${lane_id}, version ${lane_version}: ${files.length} files, ${bytes} bytes`);
        printLine(`no run of more than ${words} words of it stands in the dataset`);
        printLine(`manifest ${manifestSha256}, of the whole lane ${detached!.manifest_sha256}`);
        printLine(`signed by key ${key.keyId}`);
        printLine(`next: sealane verify ${options.out} --trust trust.json --dataset FILE`);
      }
      return 0;
    } finally {
      progress.end();
      release();
      source.close();
    }
  },
});
