// What the verifier says of a built case, as `sealane verify` would: exit code and reason codes.

import { spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { byCodeUnit } from "../../../lib/bytes/order.js";
import { SealaneError } from "../../../lib/finding.js";
import { bytesInput } from "../../../lib/io/input.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import type { LaneSource } from "../../../lib/io/source.js";
import { openLane } from "../../../lib/lane/open.js";
import { parseState } from "../../../lib/manifest/state.js";
import { parseTrust } from "../../../lib/manifest/trust.js";
import type { Report } from "../../../schemas/index.js";
import { gatherLane } from "../../../verifiers/evidence.js";
import { unreadableReport, verifyLane } from "../../../verifiers/verify.js";
import { codesOf } from "../lane.js";
import type { Built } from "./build.js";

export interface Verdict {
  readonly exit: number;
  readonly codes: readonly string[];
  readonly limits: readonly string[];
  readonly report: Report | undefined;
}

const refusal = (error: unknown): Verdict => {
  if (!(error instanceof SealaneError)) throw error;
  return { exit: error.exitCode, codes: [error.code], limits: [], report: undefined };
};

/** Writes a case's lane as a folder or an archive into a folder; returns its path. */
export function writeBuilt(built: Built, folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (built.archive) {
    const file = join(folder, built.archive.name);
    writeFileSync(file, built.archive.bytes);
    return file;
  }
  const lane = join(folder, "lane");
  mkdirSync(lane);
  for (const [path, bytes] of built.files) {
    if (built.objects.has(path)) continue;
    mkdirSync(dirname(join(lane, path)), { recursive: true });
    writeFileSync(join(lane, path), bytes);
  }
  const modes: [string, number][] = [];
  for (const [path, object] of built.objects) {
    const file = join(lane, path);
    mkdirSync(dirname(file), { recursive: true });
    if (object.kind === "link") symlinkSync(object.target, file);
    else if (object.kind === "hard-link") {
      const bytes = built.files.get(path);
      const target = object.target === "outside" ? join(folder, "outside") : join(lane, object.target);
      if (object.target === "outside") writeFileSync(target, bytes ?? "");
      linkSync(target, file);
    } else if (object.kind === "folder") mkdirSync(file, { recursive: true });
    else if (object.kind === "fifo") {
      const { status } = spawnSync("mkfifo", [file]);
      if (status !== 0) throw new Error("mkfifo(1) is not there");
    } else modes.push([join(lane, path.replace(/#mode$/, "")), object.mode]);
  }
  // Last and innermost first: a folder that nobody may write to takes no more files.
  for (const [file, mode] of modes.sort(([a], [b]) => b.length - a.length)) chmodSync(file, mode);
  return lane;
}

/** Whether a case needs a real folder or file: for what memory has no word for. */
const onDisk = (built: Built): boolean => built.archive !== undefined || built.objects.size > 0;

async function sourceOf(built: Built, work: string | undefined): Promise<LaneSource> {
  return work === undefined ? new MemorySource(built.files) : openLane(writeBuilt(built, work));
}

export async function judge(built: Built): Promise<Verdict> {
  const work = onDisk(built) ? mkdtempSync(join(tmpdir(), "sealane-case-")) : undefined;
  try {
    const state =
      built.state === undefined ? undefined : parseState(Buffer.from(JSON.stringify(built.state)), "seen.json");
    const trust = built.trust && parseTrust(built.trust, "trust.json");
    let report: Report;
    try {
      const source = await sourceOf(built, work);
      try {
        report = verifyLane(gatherLane(source, built.dataset && bytesInput(built.dataset, "dataset.json")), {
          trust,
          state,
        });
      } finally {
        source.close();
      }
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      report = unreadableReport(error);
    }
    const codes = codesOf(report).toSorted(byCodeUnit);
    return { exit: report.exit_code, codes, limits: report.verdict.limits, report };
  } catch (error) {
    return refusal(error);
  } finally {
    if (work !== undefined) {
      spawnSync("chmod", ["-R", "u+rwX", work]);
      rmSync(work, { recursive: true });
    }
  }
}
