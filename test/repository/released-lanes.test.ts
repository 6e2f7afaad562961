// Every released lane is verified by the code of this commit, and made again as far as it can be made without its key.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { FolderSource } from "../../lib/io/folder-source.js";
import { parseTrust } from "../../lib/manifest/trust.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { harbourBytes, harbourRun } from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

const lanes = readdirSync(repositoryFile("lanes"));
t.ok(lanes.length > 0);

for (const lane of lanes) {
  t.test(lane, async (t) => {
    const folder = repositoryFile(`lanes/${lane}`);
    const trust = parseTrust(readFileSync(repositoryFile("manifests/trust.json")), "manifests/trust.json");
    const report = verifyLane(gatherLane(new FolderSource(folder), harbourBytes()), { trust });
    t.equal(report.exit_code, 0);
    t.equal(report.lane?.lane_id, lane);
    for (const name of ["manifest.json", "manifest.dsse.json"]) {
      t.strictSame(readFileSync(repositoryFile(`manifests/${lane}.${name}`)), readFileSync(join(folder, name)), name);
    }
  });
}

t.test("harbour-bm25-1500-v1 is made again, byte for byte but for the times of its calls", async (t) => {
  const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
  t.teardown(() => rmSync(work, { recursive: true }));
  const run = await harbourRun(join(work, "run"), 1500);
  const released = (path: string): string => readFileSync(repositoryFile(`lanes/harbour-bm25-1500-v1/${path}`), "utf8");
  const again = (path: string): string => readFileSync(run.path(path), "utf8");
  for (const path of [
    "population.jsonl",
    "turns.jsonl",
    "packets.jsonl",
    "requests.jsonl",
    "bodies/requests.jsonl",
    "evaluator/references.jsonl",
    "evaluator/token-f1/grades.jsonl",
    "protocols/preparation.json",
    "protocols/reader.json",
    "protocols/token-f1.json",
  ]) {
    t.equal(again(path), released(path), path);
  }
  const untimed = (text: string): string => text.replace(/"receipt_sha256":"[0-9a-f]{64}"/g, "");
  t.equal(untimed(again("answers.jsonl")), untimed(released("answers.jsonl")), "answers");
});
