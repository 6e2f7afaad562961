// BagIt 1.0 (RFC 8493): the lane under data/, a payload manifest, and tag files. The lane in it is whole: `sealane verify
// BAG/data` checks it as it checks any other.
import { join } from "node:path";
import { sha256Hex } from "../bytes/digest.js";
import { makeFolder, writeNewFile } from "../io/atomic.js";
import { copyLane } from "../lane/lane-files.js";
import { TOOL } from "../tool.js";
import type { ExportFormat } from "./types.js";

export const bagit: ExportFormat = {
  id: "bagit",
  summary: "a BagIt 1.0 folder with the lane under data/",
  needs: [],
  takes: ["time"],
  async write({ lane, out, time, onBytes }) {
    const { manifest, files } = lane;
    const octets = files.reduce((sum, file) => sum + file.size, 0);
    const info: [label: string, value: string][] = [
      ["External-Identifier", `${manifest.lane_id}/${manifest.lane_version}`],
      ["External-Description", `sealane lane of ${manifest.population.count} questions, arm ${manifest.arm}`],
      ...(time === undefined ? [] : ([["Bagging-Date", time.slice(0, 10)]] as [string, string][])),
      ["Payload-Oxum", `${octets}.${files.length}`],
      ["Bag-Software-Agent", `${TOOL.name} ${TOOL.version}`],
    ];
    const tags = new Map([
      ["bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"],
      ["bag-info.txt", info.map(([label, value]) => `${label}: ${value}\n`).join("")],
      ["manifest-sha256.txt", files.map(({ path, sha256 }) => `${sha256}  data/${path}\n`).join("")],
    ]);
    tags.set("tagmanifest-sha256.txt", [...tags].map(([name, text]) => `${sha256Hex(text)}  ${name}\n`).join(""));
    await makeFolder(out, async (folder) => {
      copyLane(lane, join(folder, "data"), onBytes);
      for (const [name, text] of tags) writeNewFile(join(folder, name), text);
    });
    return [...tags.keys(), "data"];
  },
};
