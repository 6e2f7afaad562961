import { fidelityOf } from "../../lib/compare/fidelity.js";
import { offeredPackets } from "../../lib/compare/offered.js";
import { adapterOf, type Dataset, identifyDataset, openDataset } from "../../lib/dataset/index.js";
import { SealaneError } from "../../lib/finding.js";
import { openInput } from "../../lib/io/input.js";
import { openNamedFile } from "../../lib/io/named-file.js";
import type { LaneSource } from "../../lib/io/source.js";
import { openLane } from "../../lib/lane/open.js";
import { LANE_FILES, readDocument } from "../../lib/records/documents.js";
import { fidelityText } from "../../lib/report/fidelity.js";
import type { Fidelity } from "../../schemas/index.js";
import { command } from "../command.js";
import { marks, printJson, width } from "../ui.js";

/** The lane's own dataset. Throws E_DATASET when the file is another one. */
function datasetOf(source: LaneSource, path: string): Dataset {
  const { adapter: id, sha256 } = readDocument(source, "manifest", LANE_FILES.manifest).value.dataset;
  const adapter = adapterOf(id);
  const given = openInput(path);
  const found = identifyDataset(adapter, given).sha256;
  if (found !== sha256) {
    throw new SealaneError("E_DATASET", `${path} is not the lane's dataset`, { at: path, expected: sha256, found });
  }
  return openDataset(adapter, given, true);
}

async function compare(lane: string, packets: string, dataset: string | undefined): Promise<Fidelity> {
  const source = await openLane(lane);
  try {
    const file = openNamedFile(packets);
    try {
      const own = dataset === undefined ? undefined : datasetOf(source, dataset);
      return fidelityOf(source, offeredPackets(file, packets), own);
    } finally {
      file.close();
    }
  } finally {
    source.close();
  }
}

export default command({
  positionals: "<lane> <packets>",
  examples: [
    [
      "$0 fidelity lanes/bm25-locomo1540-24k-v1 theirs.jsonl",
      "which packets of another implementation are the lane's, byte for byte; exit code 7 when some are not",
    ],
    [
      "$0 fidelity lane theirs.jsonl --dataset locomo10.json",
      "and, where lines have spans and no text, the first byte in which the texts differ",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "a lane's folder, .tar, .tar.gz or .zip" })
      .positional("packets", {
        type: "string",
        demandOption: true,
        describe:
          "JSON lines of packets: question_id with evidence_sha256, or with evidence (the text); tokens and spans when you have them",
      })
      .option("dataset", { type: "string", describe: "your own copy of the lane's dataset: its file or folder" }),
  async run({ lane, packets, dataset, json }) {
    const fidelity = await compare(lane, packets, dataset);
    if (json) printJson(fidelity);
    else process.stdout.write(fidelityText(fidelity, marks(), width()));
    return fidelity.exit_code;
  },
});
