// Turning bits of the smallest lane, one at a time, and asking the verifier about each. Runs in a worker, for a share of them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { SealaneError } from "../../lib/finding.js";
import { MemorySource } from "../../lib/io/memory-source.js";
import { openLane } from "../../lib/lane/open.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { unreadableReport, verifyLane } from "../../verifiers/verify.js";
import { BASES } from "./cases/bases.js";
import { archiveOf } from "./cases/build.js";
import { authorTrust, codesOf, type LaneFiles } from "./lane.js";

/** Which bits are turned: every `stride`-th of the files named, or of the lane packed. */
export interface BitWork {
  readonly what: "files" | "tar" | "tar.gz" | "zip";
  /** Which files of the lane; all when undefined. */
  readonly files?: readonly string[];
  readonly stride: number;
}

export interface BitCount {
  turned: number;
  /** Bits after which the verifier said that all is well: "file byte bit". */
  survived: string[];
  /** How often each reason code was the answer. */
  codes: Record<string, number>;
}

type Judge = () => Promise<{ exit: number; codes: readonly string[] }>;

/** Turns every bit of a share, in place, and puts it back. */
async function turn(bytes: Buffer, name: string, share: Share, count: BitCount, judge: Judge): Promise<void> {
  const step = share.stride * share.of;
  for (let bit = share.stride * share.index; bit < bytes.length * 8; bit += step) {
    const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
    bytes[byte]! ^= mask;
    const { exit, codes } = await judge();
    bytes[byte]! ^= mask;
    count.turned += 1;
    for (const code of codes) count.codes[code] = (count.codes[code] ?? 0) + 1;
    if (exit === 0) count.survived.push(`${name} ${byte} ${bit & 7}`);
  }
}

interface Share extends BitWork {
  readonly index: number;
  readonly of: number;
}

const trust = authorTrust();

async function turnFiles(lane: LaneFiles, share: Share, count: BitCount): Promise<void> {
  const judge: Judge = async () => {
    const report = verifyLane(gatherLane(new MemorySource(lane), undefined), { trust });
    return { exit: report.exit_code, codes: codesOf(report) };
  };
  for (const name of share.files ?? [...lane.keys()]) await turn(lane.get(name)!, name, share, count, judge);
}

async function turnArchive(
  lane: LaneFiles,
  format: "tar" | "tar.gz" | "zip",
  share: Share,
  count: BitCount,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealane-bits-"));
  const file = join(folder, `lane.${format}`);
  const bytes = await archiveOf(format, lane);
  const inside = format === "tar.gz" ? gunzipSync(bytes) : undefined;
  const judge: Judge = async () => {
    writeFileSync(file, bytes);
    try {
      const source = await openLane(file);
      try {
        const report = verifyLane(gatherLane(source, undefined), { trust });
        // gzip carries the tar: a bit of it that leaves every byte of the tar as it was changes nothing that is signed.
        const same = inside !== undefined && report.exit_code === 0 && gunzipSync(bytes).equals(inside);
        return same ? { exit: 1, codes: ["same tar"] } : { exit: report.exit_code, codes: codesOf(report) };
      } finally {
        source.close();
      }
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      const report = unreadableReport(error);
      return { exit: report.exit_code, codes: codesOf(report) };
    }
  };
  try {
    await turn(bytes, `lane.${format}`, share, count, judge);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Turns bits in as many workers as there are shares, and adds up what they found. */
export async function turnBits(work: BitWork, workers: number): Promise<BitCount> {
  const counts = await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { ...work, index, of: workers } satisfies Share,
      });
      return new Promise<BitCount>((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
      });
    }),
  );
  const sum: BitCount = { turned: 0, survived: [], codes: {} };
  for (const { turned, survived, codes } of counts) {
    sum.turned += turned;
    sum.survived.push(...survived);
    for (const [code, times] of Object.entries(codes)) sum.codes[code] = (sum.codes[code] ?? 0) + times;
  }
  return sum;
}

if (!isMainThread && parentPort) {
  const share = workerData as Share;
  const lane = await BASES.one!.lane();
  const count: BitCount = { turned: 0, survived: [], codes: {} };
  if (share.what === "files") await turnFiles(lane, share, count);
  else await turnArchive(lane, share.what, share, count);
  parentPort.postMessage(count);
}
