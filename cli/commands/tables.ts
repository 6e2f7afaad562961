import { adapterOf, openDataset } from "../../lib/dataset/index.js";
import { SealaneError } from "../../lib/finding.js";
import { openInput } from "../../lib/io/input.js";
import { measureLengths } from "../../lib/lane/lengths.js";
import { measuredBy } from "../../lib/lane/measured-by.js";
import { countResults, type OpenedRecords, openRecords } from "../../lib/lane/open.js";
import { type MeasuredWith, measuredWith, measureRetrieval } from "../../lib/lane/retrieval.js";
import { DETACHED_FILES } from "../../lib/records/detached.js";
import { LANE_FILES, readDocument } from "../../lib/records/documents.js";
import { TABLE_FORMATS } from "../../lib/report/table-formats.js";
import { lanesTables, type TabulatedLane } from "../../lib/report/tables.js";
import { command } from "../command.js";
import { printJson } from "../ui.js";

/** What the user's copy of the dataset that a lane's packets were made from adds; another file is refused (E_DATASET). */
function withDataset({ source }: OpenedRecords, path: string): MeasuredWith {
  const { value: preparation } = readDocument(source, "preparation-protocol", LANE_FILES.preparation);
  return measuredWith(preparation, openDataset(adapterOf(preparation.dataset.adapter), openInput(path), true));
}

export default command({
  positionals: "<lanes..>",
  repeatable: ["lanes"],
  examples: [
    [
      "$0 tables lanes/bm25-locomo1540-24k-v1",
      "scores by category and recall of labelled support, counted from the rows",
    ],
    [
      "$0 tables runs/bm25 runs/near --dataset locomo10.json",
      "two runs, with the share of the history that packets hold",
    ],
    ["$0 tables lanes/a lanes/b --format latex", "the same tables for a paper"],
  ],
  options: (yargs) =>
    yargs
      .positional("lanes", {
        type: "string",
        array: true,
        demandOption: true,
        describe: "lanes or runs, side by side",
      })
      .option("by", {
        choices: ["category", "none"] as const,
        default: "category" as const,
        describe: "a row a category, or only all questions together",
      })
      .option("format", {
        choices: [...TABLE_FORMATS.map(({ id }) => id), "json"],
        describe: "how the tables are written; text unless --json is given",
      })
      .option("dataset", {
        type: "string",
        describe:
          "your own copy of the dataset: adds the share of the history that packets hold, and to a detached lane the labelled support",
      }),
  async run(options) {
    const { format = options.json ? "json" : "text" } = options;
    if (options.json && format !== "json") {
      throw new SealaneError("E_USAGE", `--json and --format ${format} ask for two things`, {
        next: "Give one of the two.",
      });
    }
    const lanes: TabulatedLane[] = [];
    for (const path of options.lanes) {
      const opened = await openRecords(path);
      try {
        const dataset = options.dataset === undefined ? undefined : withDataset(opened, options.dataset);
        const retrieval = measureRetrieval(opened, dataset);
        // A run may be tabulated as soon as its packets stand: what was not asked yet has not failed.
        const answered = opened.source
          .entries()
          .some(({ path }) => path === LANE_FILES.answers || path === DETACHED_FILES.answers);
        const results = answered ? countResults(opened) : null;
        const measured = measuredBy(opened);
        lanes.push({ name: opened.name, measured, lengths: measureLengths(opened), results, retrieval });
      } finally {
        opened.source.close();
      }
    }
    const tables = lanesTables(lanes, options.by === "category");
    if (format === "json") printJson({ schema: "sealane-tables/1", lanes, tables });
    else process.stdout.write(TABLE_FORMATS.find(({ id }) => id === format)!.render(tables));
    return 0;
  },
});
