import t from "tap";
import { TAR, ZIP } from "../../../lib/lane/archive-layout.js";
import { archiveOf, refuseAll } from "./refusals.js";
import { laneOf, manifestOf, tinyLane } from "./small-lane.js";

t.test("manifests that no archive can follow", async (t) => {
  const file = (path: string, size = 0) => ({ path, size, sha256: "0".repeat(64) });
  const listed = (...files: unknown[]) => laneOf(new Map(), { files });
  const cases: [string, Map<string, Buffer>, string][] = [
    ["out of order", listed(file("b"), file("a")), "E_PATH"],
    ["twice", listed(file("a"), file("a")), "E_PATH"],
    ["the manifest itself", listed(file("manifest.json")), "E_PATH"],
    ["the envelope", listed(file("manifest.dsse.json")), "E_PATH"],
    ["below the manifest", listed(file("manifest.json/x")), "E_PATH_PREFIX"],
    ["equal but for case", listed(file("A"), file("a")), "E_PATH_CASE"],
    ["folders equal but for case", listed(file("A/x"), file("a/y")), "E_PATH_CASE"],
    ["a file as a folder", listed(file("a"), file("a-b"), file("a/b")), "E_PATH_PREFIX"],
    ["a file as a folder, but for case", listed(file("A/b"), file("a")), "E_PATH_PREFIX"],
    ["version 2", laneOf(new Map(), { schema: "sealane-manifest/2", more: 1 }), "E_VERSION"],
    ["another document", laneOf(new Map(), { schema: "sealane-run/1" }), "E_SCHEMA"],
    ["an unknown member", laneOf(new Map(), { more: 1 }), "E_SCHEMA"],
    ["a negative size", listed(file("a", -1)), "E_INT"],
    ["a number", new Map([...laneOf(new Map())].fill(["manifest.json", Buffer.from("1")], 0, 1)), "E_SCHEMA"],
    ["9 GiB", listed(file("a", 9 * 2 ** 30)), "E_LIMIT"],
    ["too many files", listed(...Array.from({ length: 10_001 }, (_, i) => file(`f${10_000 + i}`))), "E_LIMIT"],
    ...[
      "../x",
      "/x",
      "a/../b",
      "a//b",
      "./a",
      "a/",
      ".",
      "..",
      "C:\\x",
      "a\\b",
      "~x",
      "%2e%2e/x",
      "__proto__",
      "\uff0fx",
    ]
      .concat(["", "a\0b", "a b", "x".repeat(101), "con", "a/NUL.txt", "a.", "a./b"])
      .map((path): [string, Map<string, Buffer>, string] => [JSON.stringify(path), listed(file(path)), "E_PATH"]),
  ];
  for (const [container, name] of [
    [TAR, "lane.tar"],
    [ZIP, "lane.zip"],
  ] as const) {
    t.test(name, (t) =>
      refuseAll(
        t,
        name,
        cases.map(([title, lane, code]) => [title, archiveOf(container, lane), code] as const),
      ),
    );
  }
  t.test("not canonical", (t) => {
    const lane = tinyLane();
    const spaced = Buffer.concat([manifestOf(new Map()), Buffer.from("\n")]);
    return refuseAll(t, "lane.tar", [
      ["a line feed", archiveOf(TAR, lane.set("manifest.json", spaced)), "E_JSON_CANON"],
      ["no JSON", archiveOf(TAR, lane.set("manifest.json", Buffer.from("{"))), "E_JSON"],
      ["no UTF-8", archiveOf(TAR, lane.set("manifest.json", Buffer.of(0xff))), "E_UTF8"],
      ["nothing", archiveOf(TAR, lane.set("manifest.json", Buffer.alloc(0))), "E_JSON"],
    ]);
  });
});
