import { unpackLane } from "../../lib/lane/pack.js";
import { command } from "../command.js";
import { Progress, printJson, printLine } from "../ui.js";

export default command({
  positionals: "<archive> <out>",
  examples: [["$0 unpack lane.tar.gz lanes/mine", "only what its manifest names, each file checked"]],
  options: (yargs) =>
    yargs
      .positional("archive", { type: "string", demandOption: true, describe: "a packed lane" })
      .positional("out", { type: "string", demandOption: true, describe: "the new folder" }),
  async run(options) {
    const progress = new Progress("unpacking", "bytes");
    try {
      const unpacked = await unpackLane(options.archive, options.out, { onProgress: progress.update });
      progress.end();
      if (options.json) printJson({ schema: "sealane-unpacked/1", lane: options.out, ...unpacked });
      else
        printLine(
          `${options.out}: ${unpacked.files} files, ${unpacked.bytes} bytes; next: sealane verify ${options.out}`,
        );
      return 0;
    } finally {
      progress.end();
    }
  },
});
