import { openInput } from "../../lib/io/input.js";
import type { LaneSource } from "../../lib/io/source.js";
import { openLane } from "../../lib/lane/open.js";
import { whyText } from "../../lib/report/why.js";
import type { Why } from "../../schemas/index.js";
import { whyNumber } from "../../verifiers/why.js";
import { command } from "../command.js";
import { marks, Progress, printJson, width } from "../ui.js";

interface Asked {
  readonly lane: string;
  readonly against: string | undefined;
  readonly number: string | undefined;
  readonly dataset: string | undefined;
}

async function answer({ lane, against, number, dataset }: Asked): Promise<Why> {
  const given = dataset === undefined ? undefined : openInput(dataset);
  const source = await openLane(lane);
  let other: LaneSource | undefined;
  const progress = new Progress("walking down", "questions");
  try {
    if (against !== undefined) other = await openLane(against);
    return whyNumber(source, other, { number, dataset: given, onRow: progress.update });
  } finally {
    progress.end();
    other?.close();
    source.close();
  }
}

export default command({
  positionals: "<lane>",
  examples: [
    [
      "$0 why lanes/ours --number token-f1/temporal",
      "the rows behind one number, and whether each layer under it holds",
    ],
    ["$0 why lanes/ours", "the same of the first endpoint over all questions"],
    ["$0 why lanes/ours --against lanes/theirs --number token-f1", "and in which layer the two lanes' numbers part"],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .option("number", {
        type: "string",
        describe: "endpoint/category, or an endpoint over all questions; if not given, the first endpoint",
      })
      .option("against", {
        type: "string",
        describe: "another lane; 0 then means that the number holds in both, however they differ",
      })
      .option("dataset", { type: "string", describe: "your own copy of the dataset: its file or folder" }),
  async run({ lane, against, number, dataset, json }) {
    const why = await answer({ lane, against, number, dataset });
    if (json) printJson(why);
    else process.stdout.write(whyText(why, marks(), width()));
    return why.exit_code;
  },
});
