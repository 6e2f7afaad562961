// Verification of a generated lane of any size, against sha256sum of the same archive in the same run.
import { createPrivateKey } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateRun } from "./generated-run.js";
import { type Measured, median, reference, sealane } from "./measure.js";

const PAIRS = 5;

export interface VerifyBench {
  readonly bytes: number;
  /** Holds about two and a half times the bytes for a while. */
  readonly work: string;
  readonly seed: number;
}

/** An Ed25519 private key of 32 known bytes (RFC 8410 section 7): for a bench, not for a lane. */
function benchKeyPem(): string {
  const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 7)]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "pem", type: "pkcs8" }) as string;
}

export async function benchVerify({ bytes, work, seed }: VerifyBench): Promise<void> {
  mkdirSync(work, { recursive: true });
  const folder = mkdtempSync(join(work, "sealane-bench-"));
  const at = (name: string): string => join(folder, name);
  const say = (what: string, { seconds, peakMb }: Measured): void => {
    const memory = peakMb === undefined ? "" : `${peakMb.toFixed(0)} MB`;
    process.stdout.write(`${what.padEnd(44)}${seconds.toFixed(2).padStart(8)} s ${memory.padStart(8)}\n`);
  };
  try {
    await generateRun(at("run"), bytes, seed);
    writeFileSync(at("key.pem"), benchKeyPem(), { mode: 0o600 });
    sealane("trust", "init", "--key", at("key.pem"), "--owner", "bench", "--out", at("trust.json"));
    say("seal", sealane("seal", at("run"), "--id", "generated", "--key", at("key.pem"), "--out", at("lane")));
    rmSync(at("run"), { recursive: true });
    say("pack .tar", sealane("pack", at("lane"), at("lane.tar")));
    rmSync(at("lane"), { recursive: true });
    const { size } = statSync(at("lane.tar"));
    process.stdout.write(`lane.tar: ${(size / 2 ** 20).toFixed(0)} MiB, seed ${seed}\n`);
    const pairs = Array.from({ length: PAIRS }, () => ({
      ours: sealane("verify", at("lane.tar"), "--trust", at("trust.json")),
      theirs: reference("sha256sum", at("lane.tar")),
    }));
    const ours = median(pairs.map((pair) => pair.ours.seconds));
    const theirs = median(pairs.map((pair) => pair.theirs.seconds));
    const peakMb = Math.max(...pairs.map((pair) => pair.ours.peakMb ?? 0));
    const ratios = pairs.map((pair) => pair.ours.seconds / pair.theirs.seconds).toSorted((a, b) => a - b);
    say(`verify, all checks (median of ${PAIRS})`, { seconds: ours, peakMb });
    say(`sha256sum (median of ${PAIRS})`, { seconds: theirs, peakMb: undefined });
    process.stdout.write(`verify / sha256sum, pair by pair: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const VERIFY_DEFAULTS: VerifyBench = { bytes: 64 * 2 ** 20, work: tmpdir(), seed: 1 };
