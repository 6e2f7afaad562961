import { countResults, openRecords } from "../../lib/lane/open.js";
import { accountTable, scoreTables, type TabulatedLane } from "../../lib/report/tables.js";
import { command } from "../command.js";
import { printJson, printLine } from "../ui.js";

export default command({
  positionals: "<lanes..>",
  repeatable: ["lanes"],
  examples: [["$0 tables lanes/bm25-locomo1540-24k-v1", "scores by category, counted from the rows"]],
  options: (yargs) =>
    yargs.positional("lanes", {
      type: "string",
      array: true,
      demandOption: true,
      describe: "lanes or graded runs, side by side",
    }),
  async run(options) {
    const lanes: TabulatedLane[] = [];
    for (const path of options.lanes) {
      const opened = await openRecords(path);
      try {
        lanes.push({ name: opened.name, results: countResults(opened) });
      } finally {
        opened.source.close();
      }
    }
    if (options.json) {
      printJson({ schema: "sealane-tables/1", lanes: lanes.map(({ name, results }) => ({ name, results })) });
    } else {
      printLine(scoreTables(lanes));
      printLine();
      printLine(accountTable(lanes));
    }
    return 0;
  },
});
