import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";
import { ARM_IDS, digests, packetsSha256 } from "./packets.js";
import { BROAD, smallHistories, smallWorld } from "./small-world.js";

t.test("the packets of a small world: bm25 and full", async (t) => {
  t.equal([...smallHistories(3)].length, 14 + 14 ** 2 + 14 ** 3);
  let packets = 0;
  let skipped = 0;
  let partial = 0;
  let empty = 0;
  function* counted() {
    for (const packet of smallWorld(3, ["bm25", "full"])) {
      packets += 1;
      if (packet.record.skipped > 0) skipped += 1;
      if (packet.record.spans.some(([, , start]) => start > 0)) partial += 1;
      if (packet.evidence === "") empty += 1;
      yield packet;
    }
  }
  // A change of this line is a change of what every published packet would be.
  t.equal(packetsSha256(counted()), "afa20225da0cc874efbd79fcd56325b3a0529efe5b9cd695082a316c2d0b1153");
  t.equal(packets, 29_540);
  t.strictSame([skipped, partial, empty], [13_869, 4_041, 18_568], "it is no world of empty packets");
});

t.test("the packets of a small world: every arm", async (t) => {
  const counts: Record<string, number> = {};
  function* counted() {
    for (const arm of ARM_IDS) {
      for (const packet of smallWorld(2, [arm], BROAD)) {
        const { tokens, prefixes } = packet.record;
        counts[arm] = (counts[arm] ?? 0) + tokens;
        if (prefixes?.some(({ spans }) => spans > 0)) counts.protected = (counts.protected ?? 0) + 1;
        yield packet;
      }
    }
  }
  // A change of this line is a change of what published packets of these arms would be.
  t.equal(packetsSha256(counted()), "9b137fac9a1a4dade0215d38aee33907a160158e4101eb674d3b19a1774b83af");
  const tokens = {
    cl1: 32_324,
    nobackbone: 36_418,
    dense: 41_956,
    bm25: 35_636,
    full: 27_035,
    cs1: 32_023,
    r: 32_023,
    breadth: 32_300,
    near: 35_464,
  };
  t.strictSame(counts, { ...tokens, protected: 1152 }, "it is no world of empty packets, nor are the arms one arm");
});

t.test("locale and time zone change nothing", async (t) => {
  const path = fileURLToPath(new URL("packets.js", import.meta.url));
  const env = { PATH: process.env.PATH ?? "", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Kolkata" };
  const there = JSON.parse(execFileSync(process.execPath, [path], { env, encoding: "utf8" })) as Record<string, string>;
  t.equal(there.locale, "tr-TR", "the child is elsewhere indeed");
  t.match(there.timeZone, /^Asia\/(Kolkata|Calcutta)$/);
  const here = digests();
  t.equal(there.harbour, here.harbour);
  t.equal(there.smallWorld, here.smallWorld);
});
