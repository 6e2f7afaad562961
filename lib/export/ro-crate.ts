// RO-Crate 1.2 (https://w3id.org/ro/crate/1.2), an attached package: the metadata document at the root, the lane below
// it as a folder that is still a lane. Version 1.2 is the first whose context has schema.org's sha256.
import { join } from "node:path";
import type { Manifest } from "../../schemas/index.js";
import { makeFolder, writeNewFile } from "../io/atomic.js";
import { copyLane, type LaneFile, type SignedLane } from "../lane/lane-files.js";
import { TREE_NAMES } from "../manifest/trees.js";
import { checkpointPath, LANE_FILES } from "../records/documents.js";
import type { ExportFormat } from "./types.js";

const SPECIFICATION = "https://w3id.org/ro/crate/1.2";
const METADATA = "ro-crate-metadata.json";
const FOLDER = "lane/";
const LICENCE = "#dataset-licence";
const DATASET = "#dataset";
const TOOL_ID = "#sealane";

/** The signed notes of a lane. */
const NOTES = new Set(TREE_NAMES.map(checkpointPath));

const is = (id: string): { "@id": string } => ({ "@id": id });

function encodingOf(path: string): string {
  if (path === LANE_FILES.envelope) return "application/vnd.dsse.envelope.v1+json";
  if (NOTES.has(path)) return "text/plain";
  if (path.endsWith(".jsonl")) return "application/x-ndjson";
  return path.endsWith(".json") ? "application/json" : "application/octet-stream";
}

function fileEntity({ path, size, sha256 }: LaneFile): object {
  return {
    "@id": FOLDER + path,
    "@type": "File",
    name: path,
    contentSize: String(size),
    encodingFormat: encodingOf(path),
    sha256,
  };
}

/** What surrounds the files: the dataset that the lane is about, its licence, and the program that sealed it. */
function contextOf({ dataset, licence_notes, tool }: Manifest): object[] {
  return [
    {
      "@id": LICENCE,
      "@type": "CreativeWork",
      name: dataset.licence,
      description: licence_notes.join(" "),
    },
    {
      "@id": DATASET,
      "@type": "CreativeWork",
      name: dataset.name,
      identifier: `sha256:${dataset.sha256}`,
      license: is(LICENCE),
    },
    { "@id": TOOL_ID, "@type": "SoftwareApplication", name: tool.name, softwareVersion: tool.version },
  ];
}

function documentOf({ manifest, manifestSha256, files }: SignedLane, time: string | undefined): object {
  const parts = files.map(({ path }) => is(FOLDER + path));
  const description =
    `The questions, evidence packets, requests, raw responses, answers, references and grades of ${manifest.population.count} ` +
    `questions of ${manifest.dataset.name} under the arm ${manifest.arm}, bound by one signed manifest.`;
  return {
    "@context": `${SPECIFICATION}/context`,
    "@graph": [
      { "@id": METADATA, "@type": "CreativeWork", about: is("./"), conformsTo: is(SPECIFICATION) },
      {
        "@id": "./",
        "@type": "Dataset",
        name: `sealane lane ${manifest.lane_id}, version ${manifest.lane_version}`,
        description,
        identifier: `sha256:${manifestSha256}`,
        version: String(manifest.lane_version),
        datePublished: time ?? manifest.sealed,
        license: is(LICENCE),
        isBasedOn: is(DATASET),
        hasPart: [is(FOLDER)],
      },
      { "@id": FOLDER, "@type": "Dataset", name: manifest.lane_id, hasPart: parts, creator: is(TOOL_ID) },
      ...files.map(fileEntity),
      ...contextOf(manifest),
    ],
  };
}

export const roCrate: ExportFormat = {
  id: "ro-crate",
  summary: "an RO-Crate 1.2 folder with the lane under lane/",
  needs: [],
  takes: ["time"],
  async write({ lane, out, time, onBytes }) {
    const text = `${JSON.stringify(documentOf(lane, time), null, 2)}\n`;
    await makeFolder(out, async (folder) => {
      copyLane(lane, join(folder, FOLDER), onBytes);
      writeNewFile(join(folder, METADATA), text);
    });
    return [METADATA, "lane"];
  },
};
