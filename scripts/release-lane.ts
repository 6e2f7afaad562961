// Makes a lane that this repository releases, answered by the embedded baseline, under a key given with --key: harbour, or with
// --locomo FILE the detached lane of LoCoMo, which holds none of its text.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../lib/io/package-root.js";

const HARBOUR = "harbour-bm25-1500-v1";
const LOCOMO = "locomo-near-1500-v1";
const root = packageRoot();
const { values } = parseArgs({ options: { key: { type: "string" }, locomo: { type: "string" } } });
const { key, locomo } = values;
if (key === undefined) {
  process.stderr.write("usage: npm run release-lane -- --key KEY.pem [--locomo locomo10.json]\n");
  process.exit(64);
}

function sealane(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, "build/cli/main.js"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

interface Recipe {
  readonly laneId: string;
  readonly dataset: string;
  readonly adapter: string;
  readonly arm: string;
  readonly ceiling: string;
}

/** Makes the run of a recipe and seals it into a new folder. */
function seal({ laneId, dataset, adapter, arm, ceiling }: Recipe, run: string, key: string, out: string): void {
  sealane(...["prepare", "--dataset", dataset, "--adapter", adapter, "--arm", arm, "--ceiling", ceiling, "--out", run]);
  sealane("replay", run, "--reader", "extractive");
  sealane("grade", run, "--endpoint", "token-f1");
  sealane("seal", run, "--id", laneId, "--key", key, "--out", out);
}

/** The lane's folder in the repository, emptied for it. */
function laneFolder(laneId: string): string {
  const lane = join("lanes", laneId);
  rmSync(join(root, lane), { recursive: true, force: true });
  return lane;
}

function copyManifests(laneId: string): void {
  for (const name of ["manifest.json", "manifest.dsse.json"])
    copyFileSync(join(root, "lanes", laneId, name), join(root, "manifests", `${laneId}.${name}`));
}

const work = mkdtempSync(join(tmpdir(), "sealane-release-"));
try {
  const trust = join("manifests", "trust.json");
  if (locomo === undefined) {
    const lane = laneFolder(HARBOUR);
    const dataset = "fixtures/datasets/harbour.json";
    rmSync(join(root, trust), { force: true });
    seal({ laneId: HARBOUR, dataset, adapter: "own", arm: "bm25", ceiling: "1500" }, join(work, "run"), key, lane);
    sealane("trust", "init", "--key", key, "--owner", "sealane releases", "--lanes", "harbour-*", "--out", trust);
    copyManifests(HARBOUR);
    sealane("verify", lane, "--dataset", dataset);
  } else {
    // LoCoMo's text may not stand in the repository: the whole lane is made elsewhere, and goes when this ends.
    const dataset = resolve(locomo);
    const whole = join(work, "lane");
    const ownTrust = join(work, "trust.json");
    seal({ laneId: LOCOMO, dataset, adapter: "locomo", arm: "near", ceiling: "1500" }, join(work, "run"), key, whole);
    const lane = laneFolder(LOCOMO);
    sealane("detach", whole, "--dataset", dataset, "--key", key, "--out", lane);
    sealane("trust", "init", "--key", key, "--owner", "sealane releases", "--lanes", "locomo-*", "--out", ownTrust);
    copyManifests(LOCOMO);
    sealane("verify", lane, "--dataset", dataset, "--trust", ownTrust);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
