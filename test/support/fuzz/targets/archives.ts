// Archives of a lane: verified and unpacked, and nothing left behind or written beside the target folder.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { SealaneError } from "../../../../lib/finding.js";
import { readWhole } from "../../../../lib/io/source.js";
import { openLane } from "../../../../lib/lane/open.js";
import { unpackLane } from "../../../../lib/lane/pack.js";
import { gatherLane } from "../../../../verifiers/evidence.js";
import { unreadableReport, verifyLane } from "../../../../verifiers/verify.js";
import { BASES } from "../../cases/bases.js";
import { archiveOf } from "../../cases/build.js";
import { authorTrust, filesIn, type LaneFiles } from "../../lane.js";
import { mutateGzip, mutateTar, mutateZip } from "../mutators/archives.js";
import type { Mutator } from "../mutators/mutator.js";
import { must, type Target } from "../target.js";
import { isTheLaneSigned, mustBeShown } from "./lane.js";

type Format = "tar" | "tar.gz" | "zip";
const trust = authorTrust();

/** The files of an archive that was verified. */
async function verified(file: string): Promise<LaneFiles | undefined> {
  try {
    const source = await openLane(file);
    try {
      const report = verifyLane(gatherLane(source, undefined), { trust });
      mustBeShown(report);
      if (report.exit_code !== 0) return undefined;
      return new Map(source.entries().map(({ path, size }) => [path, readWhole(source, path, size)]));
    } finally {
      source.close();
    }
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    mustBeShown(unreadableReport(error));
    return undefined;
  }
}

/** Extracts into a new folder: the files, or undefined when it was refused, and then nothing is left. */
async function unpacked(file: string, work: string): Promise<LaneFiles | undefined> {
  const out = join(work, "out");
  try {
    await unpackLane(file, out);
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    must(!existsSync(out), "nothing is left of what was refused");
    return undefined;
  }
  const files = new Map(filesIn(out));
  rmSync(out, { recursive: true });
  return files;
}

const archive = (format: Format, mutator: Mutator): Target => ({
  name: format,
  async seeds() {
    return [{ name: "one", bytes: await archiveOf(format, await BASES.one!.lane()) }];
  },
  mutators: [mutator],
  quickInputs: 100,
  weight: 3,
  async run(input) {
    const signed = await BASES.one!.lane();
    const work = mkdtempSync(join(tmpdir(), "sealane-fuzz-"));
    const file = join(work, `lane.${format}`);
    try {
      writeFileSync(file, input);
      const files = await verified(file);
      const extracted = await unpacked(file, work);
      must(readdirSync(work).join() === `lane.${format}`, "nothing is written beside the folder that was named");
      if (!files) return false;
      must(isTheLaneSigned(files, signed), "exit 0 is for the lane that was signed");
      must(extracted !== undefined && isTheLaneSigned(extracted, signed), "what was verified can be unpacked");
      const plain = format === "tar.gz" ? gunzipSync(input) : input;
      const predicted = await archiveOf(format === "zip" ? "zip" : "tar", files);
      must(plain.equals(predicted), "every byte of the archive follows from its files");
      return true;
    } finally {
      rmSync(work, { recursive: true });
    }
  },
});

export const ARCHIVE_TARGETS: readonly Target[] = [
  archive("tar", mutateTar),
  archive("tar.gz", mutateGzip),
  archive("zip", mutateZip),
];
