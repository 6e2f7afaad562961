import { openLane } from "../../lib/lane/open.js";
import { packLane } from "../../lib/lane/pack.js";
import { command } from "../command.js";
import { Progress, printJson, printLine } from "../ui.js";

export default command({
  positionals: "<lane> <archive>",
  examples: [["$0 pack lanes/bm25-locomo1540-24k-v1 lane.tar.gz", "the same lane gives the same bytes"]],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "the lane's folder or archive" })
      .positional("archive", { type: "string", demandOption: true, describe: "the new .tar, .tar.gz or .zip" }),
  async run(options) {
    const source = await openLane(options.lane);
    const progress = new Progress("packing", "bytes");
    try {
      const packed = await packLane(source, options.archive, { onProgress: progress.update });
      progress.end();
      if (options.json) printJson({ schema: "sealane-packed/1", archive: options.archive, ...packed });
      else printLine(`${options.archive}: ${packed.format}, ${packed.bytes} bytes, SHA-256 ${packed.sha256}`);
      return 0;
    } finally {
      progress.end();
      source.close();
    }
  },
});
