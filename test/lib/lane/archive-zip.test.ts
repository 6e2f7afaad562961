import { deflateRawSync } from "node:zlib";
import JSZip from "jszip";
import t from "tap";
import { ZIP } from "../../../lib/lane/archive-layout.js";
import { archiveOf, refuseAll } from "./refusals.js";
import { tinyLane } from "./small-lane.js";

const zip = archiveOf(ZIP, tinyLane());

t.test("zip: what other readers take, drop or disagree about", async (t) => {
  const lane = tinyLane();
  const end = zip.length - 22;
  const directory = zip.readUInt32LE(end + 16);
  const edited = (...changes: [at: number, value: string][]) => {
    const bytes = Buffer.from(zip);
    for (const [at, value] of changes) Buffer.from(value, "hex").copy(bytes, at);
    return bytes;
  };
  const insert = (at: number, bytes: Buffer) => Buffer.concat([zip.subarray(0, at), bytes, zip.subarray(at)]);
  /** The end record moved on, so that it points at the directory again. */
  const shifted = (bytes: Buffer, by: number) => {
    bytes.writeUInt32LE(bytes.readUInt32LE(bytes.length - 6) + by, bytes.length - 6);
    return bytes;
  };
  const local = zip.indexOf("a.jsonl", 600) - 30;
  const central = zip.indexOf("a.jsonl", directory) - 46;
  t.equal(zip.readUInt32LE(local), 0x04034b50);
  t.equal(zip.readUInt32LE(central), 0x02014b50);
  const compressed = async (compression: "STORE" | "DEFLATE", streamFiles: boolean) => {
    const made = new JSZip();
    for (const [path, bytes] of lane) made.file(path, bytes, { createFolders: false, date: new Date(0) });
    return made.generateAsync({ type: "nodebuffer", compression, streamFiles });
  };
  /** Raw deflate for `a.jsonl` in the place of its content, its sizes told truly, all that follows moved. */
  const deflated = () => {
    const data = deflateRawSync(lane.get("a.jsonl")!);
    const by = data.length - 33;
    const bytes = Buffer.concat([zip.subarray(0, local + 37), data, zip.subarray(local + 70)]);
    for (const [at, size] of [
      [local + 8, local + 18],
      [central + by + 10, central + by + 20],
    ] as const) {
      bytes.writeUInt16LE(8, at);
      bytes.writeUInt32LE(data.length, size);
    }
    return shifted(bytes, by);
  };
  const comment = Buffer.concat([zip.subarray(0, end + 20), Buffer.from("\x05\0hello", "latin1")]);
  const unicodePath = Buffer.concat([Buffer.from("7075080001", "hex"), Buffer.alloc(4), Buffer.from("../x")]);
  const extra = insert(local + 37, unicodePath);
  extra.writeUInt16LE(unicodePath.length, local + 28);
  const zip64 = Buffer.alloc(76);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt32LE(0x07064b50, 56);

  const cases: [string, Buffer][] = [
    ["a prefix", shifted(Buffer.concat([Buffer.from("#!/bin/sh\n"), zip]), 10)],
    ["a prefix, offsets kept", Buffer.concat([Buffer.from("MZ"), zip])],
    ["a suffix", Buffer.concat([zip, Buffer.alloc(1)])],
    ["a second zip", Buffer.concat([zip, zip])],
    ["a second end record", Buffer.concat([zip, zip.subarray(end)])],
    ["an end record in a comment", Buffer.concat([zip.subarray(0, end + 20), Buffer.of(22, 0), zip.subarray(end)])],
    ["a comment", comment],
    ["a data descriptor flag", edited([local + 6, "0800"], [central + 8, "0800"])],
    ["an encryption flag", edited([local + 6, "0100"], [central + 8, "0100"])],
    ["a UTF-8 flag", edited([local + 6, "0008"], [central + 8, "0008"])],
    ["symbolic link mode", edited([central + 5, "03"], [central + 38, "0000ffa1"])],
    ["Unix permissions", edited([central + 5, "03"], [central + 38, "0000ed81"])],
    ["another local name", edited([local + 30, "62"])],
    ["another central name", edited([central + 46, "62"])],
    ["both names changed to ..", edited([local + 30, "2e2e2f"], [central + 46, "2e2e2f"])],
    ["an absolute name", edited([local + 30, "2f"], [central + 46, "2f"])],
    ["another central size", edited([central + 24, "22"])],
    ["another CRC in both", edited([local + 14, "00000000"], [central + 16, "00000000"])],
    ["an offset at another entry", edited([central + 42, "00000000"])],
    ["a count too low", edited([end + 8, "03000300"])],
    ["a count too high", edited([end + 8, "05000500"])],
    ["the zip64 sentinel as offset", edited([end + 16, "ffffffff"])],
    ["the zip64 sentinel as size", edited([18, "ffffffffffffffff"])],
    ["zip64 records", insert(end, zip64)],
    ["a Unicode path field", extra],
    ["a gap before the directory", shifted(insert(directory, Buffer.alloc(7)), 7)],
    ["a hidden entry", shifted(insert(directory, zip.subarray(local, local + 70)), 70)],
    ["a directory entry twice", insert(end, zip.subarray(central, central + 53))],
    ["deflate", deflated()],
    ["deflate by jszip", await compressed("DEFLATE", false)],
    ["stored by jszip", await compressed("STORE", false)],
    ["streamed by jszip", await compressed("STORE", true)],
    ["no entries", Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)])],
    ...[4, 20, 43, 60, local, local + 50, directory - 1, directory, end, zip.length - 1].map(
      (length): [string, Buffer] => [`cut to ${length} bytes`, zip.subarray(0, length)],
    ),
  ];
  await refuseAll(
    t,
    "lane.zip",
    cases.map(([title, bytes]) => [title, bytes, "E_ZIP_BYTES"] as const),
  );
});
