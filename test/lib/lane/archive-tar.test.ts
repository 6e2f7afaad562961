import t from "tap";
import { create, Header, Pax } from "tar";
import { TAR } from "../../../lib/lane/archive-layout.js";
import { openArchive } from "../../../lib/lane/archive-source.js";
import { archiveOf, contents, refuseAll } from "./refusals.js";
import { tinyLane, writeFolder } from "./small-lane.js";

const tar = archiveOf(TAR, tinyLane());

/** A tar block of 512 bytes with fields changed and the checksum put right, in the spelling `sum` gives it. */
function block(
  bytes: Buffer,
  changes: Record<number, string | Buffer>,
  sum = (octal: string) => `${octal}\0 `,
): Buffer {
  const header = Buffer.from(bytes);
  for (const [at, value] of Object.entries(changes)) Buffer.from(value as string, "latin1").copy(header, Number(at));
  header.write("        ", 148);
  const total = header.reduce((sum, byte) => sum + byte);
  header.write(sum(total.toString(8).padStart(6, "0")), 148);
  return header;
}

t.test("tar: what other readers take, drop or disagree about", async (t) => {
  const lane = tinyLane();
  /** Header and content of each entry: manifest, envelope, a, b/c. */
  const starts = [...contents(tar, lane).map(([start]) => start - 512), tar.length - 1024];
  const parts = starts.slice(1).map((end, index) => tar.subarray(starts[index]!, end));
  const [manifest, envelope, a, c] = parts as [Buffer, Buffer, Buffer, Buffer];
  const end = Buffer.alloc(1024);
  const join = (...list: Buffer[]) => Buffer.concat([...list, end]);
  t.ok(join(manifest, envelope, a, c).equals(tar), "the parts are the whole");
  const edited = (changes: Record<number, string | Buffer>, sum?: (octal: string) => string) =>
    join(manifest, envelope, Buffer.concat([block(a.subarray(0, 512), changes, sum), a.subarray(512)]), c);
  const special = (type: string, name: string, content = "", link = "") => {
    const size = `${content.length.toString(8).padStart(11, "0")}\0`;
    const header = block(Buffer.alloc(512), {
      0: name,
      100: a.subarray(100, 124),
      124: size,
      136: a.subarray(136, 148),
      156: type,
      157: link,
      257: "ustar\x0000",
    });
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc(-content.length & 511)]);
  };
  const pax = (global: boolean, values: ConstructorParameters<typeof Pax>[0]) => new Pax(values, global).encode();
  const other = new Header({
    path: "a.jsonl",
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: 33,
    mtime: new Date(0),
    type: "File",
  });
  const otherHeader = Buffer.alloc(512);
  other.encode(otherHeader);

  const cases: [string, Buffer][] = [
    ...[..."\x00123456789ADEgILKMNSVXx"].map((type): [string, Buffer] => [
      `typeflag ${JSON.stringify(type)}`,
      edited({ 156: type }),
    ]),
    ["an entry twice", join(manifest, envelope, a, a, c)],
    ["an entry twice, spelled ./a", join(manifest, envelope, a, special("0", "./a.jsonl"), c)],
    ["entries in another order", join(manifest, envelope, c, a)],
    ["the envelope first", join(envelope, manifest, a, c)],
    ["the envelope last", join(manifest, a, c, envelope)],
    ["no envelope", join(manifest, a, c)],
    ["an entry missing", join(manifest, envelope, a)],
    ["an entry too many", join(manifest, envelope, a, c, special("0", "d", "more"))],
    ["a folder", join(manifest, envelope, a, special("5", "b/"), c)],
    ["a link to the outside", join(manifest, envelope, special("2", "b", "", "/etc"), a, c)],
    ["a hard link to the outside", join(manifest, envelope, a, c, special("1", "d", "", "../../x"))],
    ["an absolute path", edited({ 0: "/etc/x\0" })],
    ["a path with ..", edited({ 0: "../x\0\0\0" })],
    ["a prefix", edited({ 345: "../.." })],
    ["a pax path", join(manifest, envelope, pax(false, { path: "../../x" }), a, c)],
    ["a pax size", join(manifest, envelope, pax(false, { size: 0 }), a, c)],
    ["a pax header first", join(pax(false, { path: "manifest.json" }), manifest, envelope, a, c)],
    ["a global pax header", join(manifest, envelope, pax(true, { path: "x" }), a, c)],
    ["a GNU long name", join(manifest, envelope, special("L", "././@LongLink", "../../x\0"), a, c)],
    ["a size in base 256", edited({ 124: Buffer.from(`80${"00".repeat(10)}21`, "hex") })],
    ["a negative size", edited({ 124: Buffer.alloc(12, 0xff) })],
    ["8 EiB", edited({ 124: Buffer.from("80000000007fffffffffffff", "hex") })],
    ["a size with spaces", edited({ 124: "         41 " })],
    ["another mode", edited({ 100: "0000755\0" })],
    ["set user id", edited({ 100: "0004755\0" })],
    ["an owner", edited({ 108: "0001750\0" })],
    ["an owner's name", edited({ 265: "root" })],
    ["a time", edited({ 136: "14000000000\0" })],
    ["old GNU magic", edited({ 257: "ustar  \0" })],
    ["a checksum spelled otherwise", edited({}, (octal) => ` ${octal}\0`)],
    ["a wrong checksum", edited({}, () => "000000\0 ")],
    ["a header by node-tar", join(manifest, envelope, otherHeader, a.subarray(512), c)],
    ["a lone zero block", join(manifest, envelope, a, Buffer.alloc(512), c)],
    ["a second archive", Buffer.concat([tar, tar])],
    ["padding to a tape record", Buffer.concat([tar, Buffer.alloc(10240 - (tar.length % 10240))])],
    ["a zero byte more", Buffer.concat([tar, Buffer.alloc(1)])],
    ["a tar in front", Buffer.concat([special("0", "first"), tar])],
    ["an empty tar", special("5", "./")],
    ["an empty tar", special("5", "./")],
    ...[
      14,
      100,
      511,
      512,
      600,
      ...starts.slice(1),
      starts[2]! + 40,
      starts[3]! + 600,
      tar.length - 512,
      tar.length - 1,
    ].map((length): [string, Buffer] => [`cut to ${length} bytes`, tar.subarray(0, length)]),
  ];
  await refuseAll(t, "lane.tar", [
    ...cases.map(([title, bytes]) => [title, bytes, "E_TAR_BYTES"] as const),
    ["cut in the first name", tar.subarray(0, 13), "E_FORMAT"],
  ]);

  t.test("written by node-tar", async (t) => {
    const folder = writeFolder(t.testdir({ lane: {} }), lane);
    const file = `${folder}/lane.tar`;
    await create({ file, cwd: folder, portable: true, mtime: new Date(0) }, [...lane.keys()]);
    await t.rejects(openArchive(file), { code: "E_TAR_BYTES" });
  });
});
