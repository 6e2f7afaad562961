import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SealaneError } from "../../../lib/finding.js";
import { sealRun } from "../../../lib/lane/seal.js";
import { harbourRun } from "../../support/lane.js";
import { NEVER } from "../../support/runs.js";
import { testKey } from "../../support/test-key.js";

t.test("a lane is not sealed at a time before its calls", async (t) => {
  const dir = t.testdir();
  // The last of its calls ends at 00:01:13: one look at the clock to prepare, two for each question.
  const run = await harbourRun(join(dir, "run"));
  const sealAt = async (sealed: string, out: string): Promise<string> => {
    const request = { laneId: "x", laneVersion: 1, previousManifestSha256: null, key: testKey("author"), stop: NEVER };
    try {
      await sealRun(run, { ...request, sealed, out: join(dir, out), onProgress: () => {} });
      return "sealed";
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      return `${error.code} ${error.expected}`;
    }
  };
  const last = "2026-01-01T00:01:13.000Z";
  t.equal(await sealAt("2025-06-01T00:00:00.000Z", "early"), "E_TIME not before 2026-01-01T00:00:03.000Z");
  t.equal(await sealAt("2026-01-01T00:01:12.999Z", "early"), `E_TIME not before ${last}`);
  t.notOk(existsSync(join(dir, "early")), "and nothing is left of it");
  t.equal(await sealAt(last, "in-time"), "sealed");
});
