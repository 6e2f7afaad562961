// Row E11 of the threat list: what is judged is what was hashed. Each file of a lane is opened once, so that nothing can be put in
// its place between two looks at it.
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { SourceFile } from "../../lib/io/source.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { authorTrust, goodLane, harbourBytes, type LaneFiles } from "../support/lane.js";

class CountingSource extends MemorySource {
  readonly opened = new Map<string, number>();

  override open(path: string): SourceFile {
    this.opened.set(path, (this.opened.get(path) ?? 0) + 1);
    return super.open(path);
  }
}

t.test("each file is opened once", async (t) => {
  const good = await goodLane();
  const changed: LaneFiles = new Map([
    ...good,
    ["answers.jsonl", Buffer.from("x")],
    ["results.json", Buffer.from("{")],
  ]);
  for (const files of [good, changed]) {
    const source = new CountingSource(files);
    verifyLane(gatherLane(source, harbourBytes()), { trust: authorTrust() });
    t.strictSame([...source.opened.keys()].sort(), [...files.keys()].sort());
    t.strictSame([...new Set(source.opened.values())], [1]);
  }
});
