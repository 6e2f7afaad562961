import { openInput } from "../../lib/io/input.js";
import { hydrateLane } from "../../lib/lane/hydrate.js";
import { openLane } from "../../lib/lane/open.js";
import { command } from "../command.js";
import { Progress, printJson, printLine, stopSignals } from "../ui.js";

export default command({
  positionals: "<lane>",
  examples: [
    [
      "$0 hydrate bm25-locomo1540-24k-v1-detached --dataset locomo10.json --out bm25-locomo1540-24k-v1",
      "the whole lane, byte for byte, with the signatures it had",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "the detached lane's folder or archive" })
      .option("dataset", { type: "string", demandOption: true, describe: "your own copy of the dataset" })
      .option("out", { type: "string", demandOption: true, describe: "the new lane folder" }),
  async run(options) {
    const source = await openLane(options.lane);
    const { stop, release } = stopSignals("Stopping; nothing is kept of an unfinished lane.");
    const progress = new Progress("hydrating", "questions");
    try {
      const { manifest, manifestSha256 } = await hydrateLane(source, openInput(options.dataset), options.out, {
        stop,
        onProgress: progress.update,
      });
      progress.end();
      const { lane_id, lane_version, files, population } = manifest;
      if (options.json) {
        const whole = { lane: options.out, lane_id, lane_version, manifest_sha256: manifestSha256 };
        printJson({ schema: "sealane-hydrated/1", ...whole, files: files.length, questions: population.count });
      } else {
        printLine(`hydrated ${lane_id}, version ${lane_version}: ${population.count} questions, ${files.length} files`);
        printLine(`manifest ${manifestSha256}`);
        // Whose lane it is decides which trust file it takes; of a lane of this project's, none.
        printLine(`next: sealane verify ${options.out} --dataset ${options.dataset}`);
      }
      return 0;
    } finally {
      progress.end();
      release();
      source.close();
    }
  },
});
