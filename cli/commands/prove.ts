import { writeNewFile } from "../../lib/io/atomic.js";
import { openLane } from "../../lib/lane/open.js";
import { proveQuestion } from "../../lib/lane/prove.js";
import { TREE_NAMES } from "../../lib/manifest/trees.js";
import type { TreeName } from "../../schemas/index.js";
import { command } from "../command.js";
import { Progress, printJson, printLine } from "../ui.js";

export default command({
  positionals: "<lane>",
  examples: [
    [
      "$0 prove lanes/bm25-locomo1540-24k-v1 --question conv-26/0 -o conv-26-0.tlog-proof",
      "request, answer and grades of one question",
    ],
    [
      "$0 prove reader-side --question conv-26/0 --tree reader -o conv-26-0.tlog-proof",
      "from manifest, population, packets, requests and checkpoints/reader alone",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .option("question", { type: "string", demandOption: true, describe: "the question's id" })
      .option("tree", {
        type: "string",
        choices: TREE_NAMES,
        default: "item" satisfies TreeName as TreeName,
        describe: "what to prove: the whole item, or one side of it alone",
      })
      .option("out", { alias: "o", type: "string", demandOption: true, describe: "the new file, .tlog-proof" }),
  async run(options) {
    const source = await openLane(options.lane);
    const progress = new Progress("proving", "questions");
    try {
      const { manifest, index, proof } = proveQuestion(source, options.tree, options.question, progress.update);
      progress.end();
      writeNewFile(options.out, proof);
      const { size } = manifest.trees[options.tree];
      if (options.json) {
        printJson({
          schema: "sealane-proved/1",
          file: options.out,
          bytes: Buffer.byteLength(proof),
          lane_id: manifest.lane_id,
          lane_version: manifest.lane_version,
          question_id: options.question,
          tree: options.tree,
          index,
          size,
        });
      } else {
        printLine(
          `proof that ${options.question} is leaf ${index} of ${size} in the ${options.tree} tree of ${manifest.lane_id}, version ${manifest.lane_version}: ${Buffer.byteLength(proof)} bytes`,
        );
        printLine(
          `next: sealane verify --question ${options.question} --proof ${options.out} --manifest manifest.json --trust trust.json`,
        );
      }
      return 0;
    } finally {
      progress.end();
      source.close();
    }
  },
});
