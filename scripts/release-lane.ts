// Makes the lane that this repository releases: harbour, answered by the embedded baseline, under a key given with --key.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../lib/io/package-root.js";

const LANE_ID = "harbour-bm25-1500-v1";
const root = packageRoot();
const [flag, key] = process.argv.slice(2);
if (flag !== "--key" || key === undefined) {
  process.stderr.write("usage: npm run release-lane -- --key KEY.pem\n");
  process.exit(64);
}

function sealane(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, "build/cli/main.js"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

const work = mkdtempSync(join(tmpdir(), "sealane-release-"));
try {
  const run = join(work, "run");
  const lane = join("lanes", LANE_ID);
  const trust = join("manifests", "trust.json");
  rmSync(join(root, lane), { recursive: true, force: true });
  rmSync(join(root, trust), { force: true });
  sealane(
    "prepare",
    "--dataset",
    "fixtures/datasets/harbour.json",
    "--adapter",
    "own",
    "--arm",
    "bm25",
    "--ceiling",
    "1500",
    "--out",
    run,
  );
  sealane("replay", run, "--reader", "extractive");
  sealane("grade", run, "--endpoint", "token-f1");
  sealane("seal", run, "--id", LANE_ID, "--key", key, "--out", lane);
  sealane("trust", "init", "--key", key, "--owner", "sealane releases", "--lanes", "harbour-*", "--out", trust);
  copyFileSync(join(root, lane, "manifest.json"), join(root, "manifests", `${LANE_ID}.manifest.json`));
  copyFileSync(join(root, lane, "manifest.dsse.json"), join(root, "manifests", `${LANE_ID}.manifest.dsse.json`));
  sealane("verify", lane, "--dataset", "fixtures/datasets/harbour.json");
} finally {
  rmSync(work, { recursive: true, force: true });
}
