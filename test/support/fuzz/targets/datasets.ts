// Dataset files in the forms of each adapter.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { adapterOf, type Dataset, openDataset, readDataset } from "../../../../lib/dataset/index.js";
import { referenceRecord } from "../../../../lib/dataset/records.js";
import { bytesInput, type Input } from "../../../../lib/io/input.js";
import { MemorySource } from "../../../../lib/io/memory-source.js";
import { gatherLane } from "../../../../verifiers/evidence.js";
import { verifyLane } from "../../../../verifiers/verify.js";
import { BASES } from "../../cases/bases.js";
import { authorTrust, filesIn } from "../../lane.js";
import { repositoryFile } from "../../shared.js";
import { drawnDocument } from "../documents.js";
import { mutateBytes } from "../mutators/bytes.js";
import { mutateJson } from "../mutators/json.js";
import { must, type Seed, type Target } from "../target.js";
import { mustBeShown } from "./lane.js";

const fixture = (path: string): Buffer => readFileSync(repositoryFile(`fixtures/datasets/${path}`));

/** Reads all that a dataset says, histories included, twice. */
function mustHoldTogether(dataset: Dataset): void {
  const read = (): unknown[] => [...dataset.histories];
  must(isDeepStrictEqual(read(), read()), "a history is the same each time");
  must(dataset.asked.length === dataset.references.length, "each question has a reference");
  const known = new Set([...dataset.histories].map(({ historyId }) => historyId));
  must(
    dataset.asked.every(({ historyId }) => known.has(historyId)),
    "each question has a history",
  );
  for (const reference of dataset.references) JSON.stringify(referenceRecord(reference));
}

/** One sample in the form of the LoCoMo file, with all that the adapter tells apart. */
const LOCOMO = [
  {
    sample_id: "talk-1",
    conversation: {
      speaker_a: "Ada",
      speaker_b: "Ben",
      session_1_date_time: "4:10 pm on 26 October, 2023",
      session_1: [
        { speaker: "Ada", dia_id: "D1:1", text: "I planted a pear tree.", blip_caption: "a photo of a tree" },
        { speaker: "Ben", dia_id: "D1:2", text: "How tall is it?" },
      ],
      session_2_date_time: "noon",
      session_2: [{ speaker: "Ada", dia_id: "D2:1", text: "Two metres." }],
      session_3_date_time: "1:00 am on 2 May, 2024",
    },
    qa: [
      { question: "What did Ada plant?", answer: "a pear tree", evidence: ["D1:1", "D01:1"], category: 4 },
      { question: "How tall is it?", answer: 2, evidence: ["D2:1; D1:1"], category: 1 },
      { question: "Who fell?", adversarial_answer: "Ben", category: 5 },
    ],
  },
];

const single = (adapter: string, seeds: () => readonly Seed[], more: Partial<Target> = {}): Target => ({
  name: `dataset-${adapter}`,
  seeds: async () => seeds(),
  mutators: [mutateJson, mutateJson, mutateBytes],
  quickInputs: 200,
  run(input) {
    mustHoldTogether(readDataset(adapterOf(adapter), input, "dataset.json", true));
    return true;
  },
  ...more,
});

const SMALL = { name: "one", bytes: BASES.one!.dataset() };

/** A folder: the input stands in the place of the file that the seed is. */
const beam: Target = {
  ...single("beam", () => [], {}),
  async seeds() {
    return filesIn(repositoryFile("fixtures/datasets/orchard-beam")).map(([name, bytes]) => ({ name, bytes }));
  },
  run(input, { name }) {
    const folder = repositoryFile("fixtures/datasets/orchard-beam");
    const files = new Map([...filesIn(folder), [name, input] as const]);
    const at = "orchard-beam";
    const given: Input = { at, kind: "folder", source: new MemorySource(files) };
    mustHoldTogether(openDataset(adapterOf("beam"), given, true));
    return true;
  },
};

/** A lane verified against a copy of its dataset: exit 0 is for the very file. */
const ofLane: Target = {
  name: "dataset-of-lane",
  seeds: async () => [SMALL],
  mutators: [mutateJson],
  quickInputs: 60,
  async run(input) {
    const given = bytesInput(input, "dataset.json");
    const report = verifyLane(gatherLane(new MemorySource(await BASES.one!.lane()), given), { trust: authorTrust() });
    mustBeShown(report);
    must(report.exit_code !== 0 || input.equals(SMALL.bytes), "exit 0 is for the dataset that was named");
    return report.exit_code === 0;
  },
};

export const DATASET_TARGETS: readonly Target[] = [
  single("own", () => [SMALL, { name: "harbour", bytes: fixture("harbour.json") }], {
    draw: (chance) => drawnDocument("dataset", chance),
  }),
  single("locomo", () => [{ name: "talk", bytes: Buffer.from(JSON.stringify(LOCOMO)) }]),
  single("longmemeval", () => [{ name: "lanterns", bytes: fixture("lanterns-longmemeval.json") }]),
  beam,
  ofLane,
];
