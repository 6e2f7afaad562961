import t from "tap";
import { archiveBytes, TAR, ZIP } from "../../../lib/lane/archive-layout.js";

t.test("what a format cannot hold", async (t) => {
  const sized = (...sizes: number[]) => sizes.map((size, index) => ({ path: `f${index}`, size }));
  const GiB = 2 ** 30;
  t.equal(archiveBytes(TAR, sized(8 * GiB - 1)), 512 + 8 * GiB + 1024);
  t.throws(() => archiveBytes(TAR, sized(8 * GiB)), { code: "E_LIMIT" });
  t.throws(() => archiveBytes(TAR, sized(...Array(8).fill(8 * GiB - 1))), { code: "E_LIMIT" }, "64 GiB and headers");
  t.equal(archiveBytes(ZIP, sized(4 * GiB - 2 - 32)), 4 * GiB - 2 + 48 + 22);
  t.throws(() => archiveBytes(ZIP, sized(4 * GiB - 2)), { code: "E_LIMIT" }, "the directory begins too late");
  t.throws(() => archiveBytes(ZIP, sized(4 * GiB - 1)), { code: "E_LIMIT" });
  t.throws(() => archiveBytes(ZIP, sized(2 * GiB, 2 * GiB, 1)), { code: "E_LIMIT" });
  t.ok(archiveBytes(ZIP, sized(...Array(65534).fill(0))));
  t.throws(() => archiveBytes(ZIP, sized(...Array(65535).fill(0))), { code: "E_LIMIT" });
});
