// A folder with a finished run of harbour, a lane sealed of it, a key and a trust file: where tests of the command line start.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tokenF1 } from "../../lib/judge/endpoint.js";
import { sealRun } from "../../lib/lane/seal.js";
import { newKeyPair, readSigningKey } from "../../lib/manifest/keys.js";
import { extractive } from "../../lib/reader/extractive.js";
import { readerProtocol } from "../../lib/reader/index.js";
import { gradeRun } from "../../lib/run/grade-run.js";
import type { PreparationProtocol } from "../../schemas/index.js";
import { NEVER, prepareHarbour, replayWith } from "./runs.js";
import { trustFileOf } from "./trust-files.js";

/** Writes run/, lane/, author.pem, author.pub.pem and trust.json into a folder. */
export async function finishedRun(folder: string, changes: Partial<PreparationProtocol> = {}): Promise<void> {
  const run = await prepareHarbour(join(folder, "run"), changes);
  const reader = extractive.open({ url: "", deadlineMs: 1000 });
  const model = await reader.identify(extractive.defaultModel ?? "");
  await replayWith(run, reader, readerProtocol(extractive, model, { options: {} }));
  gradeRun(run, tokenF1);
  const { privatePem, publicPem } = newKeyPair();
  const key = readSigningKey(privatePem, "author.pem");
  writeFileSync(join(folder, "author.pem"), privatePem, { mode: 0o600 });
  writeFileSync(join(folder, "author.pub.pem"), publicPem);
  writeFileSync(join(folder, "trust.json"), trustFileOf(key, "the author", "*"));
  await sealRun(run, {
    laneId: "harbour-test",
    laneVersion: 1,
    previousManifestSha256: null,
    sealed: "2026-01-02T00:00:00.000Z",
    key,
    out: join(folder, "lane"),
    stop: NEVER,
    onProgress: () => {},
  });
}
