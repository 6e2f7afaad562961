// The whole path over a real dataset, and verification of the packed lane against sha256sum of the same bytes in the same run.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Measured, median, reference, sealane } from "./measure.js";
import { benchProof } from "./proof.js";

const PAIRS = 5;

export function benchLane(dataset: string): void {
  const work = mkdtempSync(join(tmpdir(), "sealane-bench-"));
  const at = (name: string): string => join(work, name);
  const line = (what: string, { seconds, peakMb }: Measured, more = ""): void => {
    const memory = peakMb === undefined ? "" : `${peakMb.toFixed(0)} MB`;
    process.stdout.write(`${what.padEnd(44)}${seconds.toFixed(2).padStart(8)} s ${memory.padStart(8)}  ${more}\n`);
  };
  try {
    line(
      "prepare",
      sealane(
        "prepare",
        "--dataset",
        dataset,
        "--adapter",
        "locomo",
        "--arm",
        "bm25",
        "--ceiling",
        "24000",
        "--out",
        at("run"),
      ),
    );
    line("replay (extractive)", sealane("replay", at("run"), "--reader", "extractive"));
    line("grade", sealane("grade", at("run"), "--endpoint", "token-f1"));
    sealane("keys", "new", "--out", at("key.pem"));
    sealane("trust", "init", "--key", at("key.pem"), "--owner", "bench", "--out", at("trust.json"));
    line("seal", sealane("seal", at("run"), "--id", "bench", "--key", at("key.pem"), "--out", at("lane")));
    line("pack .tar", sealane("pack", at("lane"), at("lane.tar")));
    const megabytes = statSync(at("lane.tar")).size / 1e6;
    const pairs = Array.from({ length: PAIRS }, () => ({
      ours: sealane("verify", at("lane.tar"), "--trust", at("trust.json")),
      theirs: reference("sha256sum", at("lane.tar")),
    }));
    const ours = {
      seconds: median(pairs.map((pair) => pair.ours.seconds)),
      peakMb: Math.max(...pairs.map((pair) => pair.ours.peakMb ?? 0)),
    };
    const theirs = { seconds: median(pairs.map((pair) => pair.theirs.seconds)), peakMb: undefined };
    const ratio = median(pairs.map((pair) => pair.ours.seconds / pair.theirs.seconds));
    line(`verify lane.tar (${megabytes.toFixed(0)} MB), all checks`, ours, `median of ${PAIRS}`);
    line("sha256sum lane.tar", theirs, `median of ${PAIRS}`);
    process.stdout.write(`verify / sha256sum, pair by pair: ${ratio.toFixed(1)}\n`);
    line(
      "verify lane.tar --dataset",
      sealane("verify", at("lane.tar"), "--trust", at("trust.json"), "--dataset", dataset),
    );
    benchProof(at("lane"), at("trust.json"), line);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
