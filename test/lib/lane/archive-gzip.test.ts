import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import t from "tap";
import { TAR, ZIP } from "../../../lib/lane/archive-layout.js";
import { openArchive } from "../../../lib/lane/archive-source.js";
import { archiveOf, refuseAll, temporary } from "./refusals.js";
import { noise, smallLane, tinyLane } from "./small-lane.js";

const tar = archiveOf(TAR, tinyLane());
const zip = archiveOf(ZIP, tinyLane());

t.test("gzip", async (t) => {
  const good = gzipSync(tar);
  const data = good.subarray(10, -8);
  const trailer = good.subarray(-8);
  const edited = (at: number, value: number) => Buffer.from(good).fill(value, at, at + 1);
  const withHeader = (header: string) => Buffer.concat([Buffer.from(header, "hex"), data, trailer]);
  const half = gzipSync(tar.subarray(0, 1024));
  const dir = t.testdir();
  for (const [title, bytes] of [
    ["what zlib writes", good],
    ["another level and system", withHeader("1f8b0800000000000407")],
  ] as const) {
    writeFileSync(join(dir, "good.tgz"), bytes);
    (await openArchive(join(dir, "good.tgz"))).close();
    t.same(readdirSync(temporary), [], title);
  }
  const big = archiveOf(TAR, smallLane());
  await refuseAll(t, "lane.tar.gz", [
    ["a trailing byte", Buffer.concat([good, Buffer.alloc(1)]), "E_GZIP"],
    ["trailing zeros", Buffer.concat([good, Buffer.alloc(5000)]), "E_GZIP"],
    ["much after the end", Buffer.concat([good, noise("after", 3 * 2 ** 20)]), "E_GZIP"],
    ["two members", Buffer.concat([half, gzipSync(tar.subarray(1024))]), "E_GZIP"],
    ["an empty second member", Buffer.concat([good, gzipSync(Buffer.alloc(0))]), "E_GZIP"],
    ["the right trailer twice", Buffer.concat([good, trailer]), "E_GZIP"],
    ["a file name", withHeader("1f8b080800000000000361 00".replace(" ", "")), "E_GZIP"],
    ["a comment", withHeader("1f8b08100000000000036100"), "E_GZIP"],
    ["an extra field", withHeader("1f8b08040000000000030000"), "E_GZIP"],
    ["a header CRC", withHeader("1f8b08020000000000030000"), "E_GZIP"],
    ["a flag without its field", edited(3, 0x01), "E_GZIP"],
    ["a time", edited(4, 0x01), "E_GZIP"],
    ["another method", edited(2, 0x07), "E_GZIP"],
    ["a wrong CRC", edited(good.length - 8, good.at(-8)! ^ 1), "E_GZIP"],
    ["a wrong length", edited(good.length - 4, good.at(-4)! ^ 1), "E_GZIP"],
    ["broken deflate", edited(10, 0xff), "E_GZIP"],
    ...[2, 9, 10, 17, 18, 100, good.length - 9, good.length - 8, good.length - 1].map(
      (length) => [`cut to ${length} bytes`, good.subarray(0, length), "E_GZIP"] as const,
    ),
    ["cut after a chunk", gzipSync(big, { level: 0 }).subarray(0, 2 ** 20 + 10), "E_GZIP"],
    ["a bomb", gzipSync(Buffer.alloc(2 ** 26)), "E_LIMIT"],
    ["a text", gzipSync("not a tar"), "E_FORMAT"],
    ["nothing", gzipSync(""), "E_FORMAT"],
    ["a zip", gzipSync(zip), "E_FORMAT"],
    ["gzip in gzip", gzipSync(good), "E_FORMAT"],
    ["another tar", gzipSync(Buffer.concat([tar, tar])), "E_TAR_BYTES"],
  ]);
});
