import { writeNewFile } from "../io/atomic.js";
import { checkContent } from "../lane/lane-files.js";
import type { ExportFormat } from "./types.js";

/** Lines of GNU `sha256sum`, in text mode, for `sha256sum -c` inside the lane's folder. A lane's paths need no escaping. */
export const sha256sum: ExportFormat = {
  id: "sha256sum",
  summary: "a list for `sha256sum -c`, run inside the lane's folder",
  needs: [],
  takes: [],
  async write({ lane, out, onBytes }) {
    checkContent(lane, onBytes);
    writeNewFile(out, lane.files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join(""));
    return [""];
  },
};
