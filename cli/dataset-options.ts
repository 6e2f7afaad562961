// The options by which a command is told which dataset to read.
import type { Argv } from "yargs";
import { ADAPTERS } from "../lib/dataset/index.js";

export const datasetOptions = <T>(yargs: Argv<T>) =>
  yargs
    .option("dataset", { type: "string", demandOption: true, describe: "the dataset's file or folder" })
    .option("adapter", {
      type: "string",
      demandOption: true,
      describe: ADAPTERS.map(({ id, title }) => `${id}: ${title}`).join("; "),
    })
    .option("other-dataset", {
      type: "boolean",
      default: false,
      describe: "the file is meant to be another one than the published",
    });
