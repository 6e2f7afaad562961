// Makes the lanes that this repository releases, answered by the embedded baseline, under a key given with --key: harbour whole,
// and LoCoMo detached, which holds none of its text. Nothing in the repository is touched before both are verified.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../lib/io/package-root.js";

const CEILING_TOKENS = "1500";
const HARBOUR = { laneId: "harbour-bm25-1500-v1", adapter: "own", arm: "bm25" };
const LOCOMO = { laneId: "locomo-near-1500-v1", adapter: "locomo", arm: "near" };
const OWNER = "sealane releases";

const root = packageRoot();
const { values } = parseArgs({
  options: { key: { type: "string" }, locomo: { type: "string" }, "new-chain": { type: "boolean" } },
});
if (values.key === undefined || values.locomo === undefined) {
  process.stderr.write("usage: npm run release-lane -- --key KEY.pem --locomo locomo10.json [--new-chain]\n");
  process.exit(64);
}
/** npm runs scripts in the package's folder, whatever folder it was called from. */
const given = (path: string): string => resolve(process.env.INIT_CWD ?? ".", path);
const key = given(values.key);
const locomoFile = given(values.locomo);

class Ended extends Error {
  constructor(readonly status: number) {
    super();
  }
}

function sealane(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, "build/cli/main.js"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) throw new Ended(status ?? 1);
}

/** Makes the run of a lane and seals it into a new folder. */
function seal({ laneId, adapter, arm }: typeof HARBOUR, dataset: string, run: string, out: string): void {
  const from = ["--dataset", dataset, "--adapter", adapter];
  sealane("prepare", ...from, "--arm", arm, "--ceiling", CEILING_TOKENS, "--out", run);
  sealane("replay", run, "--reader", "extractive");
  sealane("grade", run, "--endpoint", "token-f1");
  sealane("seal", run, "--id", laneId, "--key", key, "--out", out);
}

function release(work: string): void {
  const at = (name: string): string => join(work, name);
  const harbourFile = join(root, "fixtures/datasets/harbour.json");
  const trustFile = join(root, "manifests/trust.json");
  seal(HARBOUR, harbourFile, at("harbour-run"), at(HARBOUR.laneId));
  // LoCoMo's text may not stand in the repository: the whole lane is made elsewhere, and goes when this ends.
  seal(LOCOMO, locomoFile, at("locomo-run"), at("whole"));
  sealane("detach", at("whole"), "--dataset", locomoFile, "--key", key, "--out", at(LOCOMO.laneId));
  const trust = at("trust.json");
  if (values["new-chain"]) {
    sealane("trust", "init", "--key", key, "--owner", OWNER, "--lanes", "harbour-*", "--out", trust);
    const signer = ["--signer", key, "--owner", OWNER, "--sign-with", key];
    sealane("trust", "add", "--trust", trust, ...signer, "--lanes", "locomo-*");
  } else copyFileSync(trustFile, trust);
  sealane("verify", at(HARBOUR.laneId), "--trust", trust, "--dataset", harbourFile);
  sealane("verify", at(LOCOMO.laneId), "--trust", trust, "--dataset", locomoFile);
  for (const { laneId } of [HARBOUR, LOCOMO]) {
    const lane = join(root, "lanes", laneId);
    rmSync(lane, { recursive: true, force: true });
    cpSync(at(laneId), lane, { recursive: true });
    for (const name of ["manifest.json", "manifest.dsse.json"])
      copyFileSync(join(lane, name), join(root, "manifests", `${laneId}.${name}`));
  }
  copyFileSync(trust, trustFile);
}

const work = mkdtempSync(join(tmpdir(), "sealane-release-"));
try {
  release(work);
} catch (error) {
  if (!(error instanceof Ended)) throw error;
  process.stderr.write("Nothing was released, and nothing in the repository was changed.\n");
  // 3: the keys that manifests/trust.json names did not sign these lanes.
  if (error.status === 3)
    process.stderr.write("If the key that released before is lost, --new-chain begins a trust file anew.\n");
  process.exitCode = error.status;
} finally {
  rmSync(work, { recursive: true, force: true });
}
