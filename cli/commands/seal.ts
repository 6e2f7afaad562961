import { existsSync } from "node:fs";
import { SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { sealRun } from "../../lib/lane/seal.js";
import { percent } from "../../lib/report/tables.js";
import { RunFolder } from "../../lib/run/folder.js";
import { command } from "../command.js";
import { openSigningKey } from "../key-file.js";
import { passphraseOption } from "../passphrase.js";
import { Progress, printJson, printLine, stopSignals } from "../ui.js";

export default command({
  positionals: "<run>",
  examples: [
    [
      "$0 seal runs/locomo-bm25 --id bm25-locomo1540-24k-v1 --key author.pem --out lanes/bm25-locomo1540-24k-v1",
      "one signed lane",
    ],
  ],
  options: (yargs) =>
    passphraseOption(
      yargs
        .positional("run", { type: "string", demandOption: true, describe: "the run folder" })
        .option("id", {
          type: "string",
          demandOption: true,
          describe: "the lane's id: lower-case letters, digits, dots, hyphens",
        })
        .option("lane-version", { type: "number", default: 1, describe: "only grows" })
        .option("previous", { type: "string", describe: "SHA-256 of the manifest of the version before" })
        .option("key", { type: "string", demandOption: true, describe: "the signing key, PEM" })
        .option("out", { type: "string", demandOption: true, describe: "the new lane folder" }),
    ),
  async run(options) {
    if (!/^[a-z0-9][a-z0-9.-]{0,63}$/.test(options.id)) {
      throw new SealaneError("E_USAGE", "--id is no lane id: lower-case letters, digits, dots and hyphens", {
        found: options.id,
      });
    }
    if (!Number.isSafeInteger(options["lane-version"]) || options["lane-version"] < 1) {
      throw new SealaneError("E_USAGE", "--lane-version is not a positive whole number", {
        found: String(options["lane-version"]),
      });
    }
    const previous = options.previous ?? null;
    if (
      (previous === null) !== (options["lane-version"] === 1) ||
      (previous !== null && !/^[0-9a-f]{64}$/.test(previous))
    ) {
      throw new SealaneError("E_USAGE", "--previous goes with a --lane-version above 1, and is a SHA-256", {
        found: previous ?? "none",
      });
    }
    if (existsSync(options.out))
      throw new SealaneError("E_EXISTS", `${options.out} is there already`, { at: options.out });
    const key = await openSigningKey(options.key, options["passphrase-fd"]);
    const run = new RunFolder(options.run);
    const { stop, release } = stopSignals("Stopping; nothing is kept of an unfinished lane.");
    const progress = new Progress("sealing", "questions");
    try {
      const { manifest, manifestSha256 } = await sealRun(run, {
        laneId: options.id,
        laneVersion: options["lane-version"],
        previousManifestSha256: previous,
        sealed: systemClock.now(),
        key,
        out: options.out,
        stop,
        onProgress: progress.update,
      });
      progress.end();
      if (options.json) {
        printJson({
          schema: "sealane-sealed/1",
          lane: options.out,
          lane_id: manifest.lane_id,
          lane_version: manifest.lane_version,
          manifest_sha256: manifestSha256,
          keyid: key.keyId,
          results: manifest.results,
        });
      } else {
        printLine(
          `sealed ${manifest.lane_id}, version ${manifest.lane_version}: ${manifest.population.count} questions, ${manifest.files.length} files`,
        );
        for (const { endpoint, score_mean } of manifest.results)
          printLine(`${endpoint}: mean ${percent(score_mean)} %`);
        printLine(`manifest ${manifestSha256}`);
        printLine(`signed by key ${key.keyId}`);
        printLine(`next: sealane verify ${options.out} --trust trust.json`);
      }
      return 0;
    } finally {
      progress.end();
      release();
    }
  },
});
