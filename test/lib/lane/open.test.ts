import { symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { openLane } from "../../../lib/lane/open.js";
import { packLane } from "../../../lib/lane/pack.js";
import { goodLane } from "../../support/lane.js";

t.test("an archive may be named by a link", async (t) => {
  const dir = t.testdir();
  await packLane(new MemorySource(await goodLane()), join(dir, "lane.tar"));
  symlinkSync("lane.tar", join(dir, "link"));
  const source = await openLane(join(dir, "link"));
  t.ok(source.entries().length > 10);
  source.close();
});

t.test("what is no lane at all is not called a tampered one", async (t) => {
  await t.rejects(openLane("/dev/null"), { code: "E_FORMAT" });
  await t.rejects(openLane(join(t.testdir(), "absent")), { code: "E_MISSING" });
});
