// Edits of a store-only zip record by record (APPNOTE 4.3.7, 4.3.12, 4.3.16), in forms that no writer of ours has.
import { crc32 } from "node:zlib";
import { BESIDE, type Bench } from "../bench.js";
import { BYTES, FLAG, INTEGER, oneOf, op, optional, PATH, PLACE, TEXT } from "../op.js";
import { bytesOf, offsetOf } from "../values.js";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;

/** Where fields stand in each record: offset and width. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  local: {
    version: [4, 2],
    flags: [6, 2],
    method: [8, 2],
    time: [10, 2],
    date: [12, 2],
    crc: [14, 4],
    compressed: [18, 4],
    size: [22, 4],
    name_length: [26, 2],
    extra_length: [28, 2],
  },
  central: {
    made_by: [4, 2],
    version: [6, 2],
    flags: [8, 2],
    method: [10, 2],
    crc: [16, 4],
    compressed: [20, 4],
    size: [24, 4],
    name_length: [28, 2],
    extra_length: [30, 2],
    comment_length: [32, 2],
    disk: [34, 2],
    internal: [36, 2],
    external: [38, 4],
    offset: [42, 4],
  },
  end: {
    disk: [4, 2],
    directory_disk: [6, 2],
    entries_here: [8, 2],
    entries: [10, 2],
    size: [12, 4],
    offset: [16, 4],
    comment_length: [20, 2],
  },
};

/** Where the records of a zip that packing wrote begin. */
function layout(zip: Buffer): {
  directory: number;
  end: number;
  central: Map<string, number>;
  local: Map<string, number>;
} {
  const end = zip.length - END_BYTES;
  const directory = zip.readUInt32LE(end + 16);
  const [central, local] = [new Map<string, number>(), new Map<string, number>()];
  for (let at = directory; at < end && zip.readUInt32LE(at) === CENTRAL; ) {
    const length = zip.readUInt16LE(at + 28);
    const name = zip.toString("latin1", at + 46, at + 46 + length);
    central.set(name, at);
    local.set(name, zip.readUInt32LE(at + 42));
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return { directory, end, central, local };
}

function recordAt(zip: Buffer, record: string, path: string | undefined): number {
  const places = layout(zip);
  if (record === "end") return places.end;
  const at = (record === "local" ? places.local : places.central).get(path ?? "");
  if (at === undefined) throw new Error(`the zip has no entry ${path}`);
  return at;
}

/** Puts bytes in and, with `fix`, moves every offset of the directory behind that place along. */
function insert(bench: Bench, at: number, bytes: Buffer, fix: boolean): void {
  const zip = Buffer.from(bench.bytes(BESIDE.archive));
  const { directory, end, central } = layout(zip);
  if (fix) {
    for (const place of central.values()) {
      const offset = zip.readUInt32LE(place + 42);
      if (offset >= at) zip.writeUInt32LE(offset + bytes.length, place + 42);
    }
    if (directory >= at) zip.writeUInt32LE(directory + bytes.length, end + 16);
    else if (at <= end) zip.writeUInt32LE(zip.readUInt32LE(end + 12) + bytes.length, end + 12);
  }
  bench.files.set(BESIDE.archive, Buffer.concat([zip.subarray(0, at), bytes, zip.subarray(at)]));
}

function localRecord(name: Buffer, content: Buffer, method: number, plain: Buffer): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(LOCAL, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(method, 8);
  head.writeUInt16LE(0x21, 12);
  head.writeUInt32LE(crc32(plain), 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt32LE(plain.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name, content]);
}

function centralRecord(local: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(CENTRAL, 0);
  head.writeUInt16LE(20, 4);
  local.copy(head, 6, 4, 28);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, name]);
}

export const ZIP_OPS = {
  /** One field of a record, little-endian. */
  "zip.set": op(
    { record: oneOf("local", "central", "end"), path: optional(PATH), field: TEXT, value: INTEGER },
    (bench, { record, path, field, value }) => {
      const zip = Buffer.from(bench.bytes(BESIDE.archive));
      const place = FIELDS[record]?.[field];
      if (!place) throw new Error(`a ${record} record has no field ${field}`);
      zip.writeUIntLE(value, recordAt(zip, record, path) + place[0], place[1]);
      bench.files.set(BESIDE.archive, zip);
    },
  ),
  /** Another name of the same length, in one of the two records. */
  "zip.rename": op({ record: oneOf("local", "central"), path: PATH, to: BYTES }, (bench, { record, path, to }) => {
    const zip = Buffer.from(bench.bytes(BESIDE.archive));
    const name = bytesOf(to, bench);
    if (name.length !== path.length) throw new Error("the name has another length");
    name.copy(zip, recordAt(zip, record, path) + (record === "local" ? 30 : 46));
    bench.files.set(BESIDE.archive, zip);
  }),
  /** Bytes at a place, or before a record; with `fix`, the directory is put right. */
  "zip.insert": op({ at: PLACE, bytes: BYTES, fix: optional(FLAG) }, (bench, { at, bytes, fix = false }) =>
    insert(bench, offsetOf(at, bench.bytes(BESIDE.archive), bench), bytesOf(bytes, bench), fix),
  ),
  /** Bytes behind the name in a record (an extra field or a comment), its length field set to theirs. */
  "zip.extra": op(
    { record: oneOf("local", "central"), path: PATH, kind: oneOf("extra", "comment"), bytes: BYTES },
    (bench, { record, path, kind, bytes }) => {
      const at = recordAt(bench.bytes(BESIDE.archive), record, path);
      const put = bytesOf(bytes, bench);
      insert(bench, at + (record === "local" ? 30 : 46) + path.length, put, true);
      bench.bytes(BESIDE.archive).writeUInt16LE(put.length, at + FIELDS[record]![`${kind}_length`]![0]);
    },
  ),
  /** One more entry, with both its records or, when `hidden`, without one in the directory. */
  "zip.add": op(
    { name: BYTES, content: BYTES, stored_as: optional(BYTES), method: optional(INTEGER), hidden: optional(FLAG) },
    (bench, { name, content, stored_as, method = 0, hidden = false }) => {
      const plain = bytesOf(content, bench);
      const called = bytesOf(name, bench);
      const local = localRecord(called, stored_as === undefined ? plain : bytesOf(stored_as, bench), method, plain);
      const { directory } = layout(bench.bytes(BESIDE.archive));
      insert(bench, directory, local, true);
      if (!hidden) addCentral(bench, centralRecord(local, called, directory));
    },
  ),
  /** Other bytes of the same number in the content of an entry, its CRC put right in both records. */
  "zip.content": op({ path: PATH, find: BYTES, bytes: BYTES }, (bench, { path, find, bytes }) => {
    const zip = Buffer.from(bench.bytes(BESIDE.archive));
    const at = recordAt(zip, "local", path);
    const start = at + 30 + zip.readUInt16LE(at + 26);
    const content = zip.subarray(start, start + zip.readUInt32LE(at + 18));
    const [wanted, put] = [bytesOf(find, bench), bytesOf(bytes, bench)];
    if (wanted.length !== put.length) throw new Error("the content would have another length");
    put.copy(content, offsetOf({ find }, content, bench));
    zip.writeUInt32LE(crc32(content), at + 14);
    zip.writeUInt32LE(crc32(content), recordAt(zip, "central", path) + 16);
    bench.files.set(BESIDE.archive, zip);
  }),
  /** One more record in the directory that points at the content of another entry. */
  "zip.overlap": op({ name: BYTES, path: PATH }, (bench, { name, path }) => {
    const zip = bench.bytes(BESIDE.archive);
    const at = recordAt(zip, "local", path);
    addCentral(bench, centralRecord(zip.subarray(at), bytesOf(name, bench), at));
  }),
} as const;

function addCentral(bench: Bench, record: Buffer): void {
  insert(bench, layout(bench.bytes(BESIDE.archive)).end, record, false);
  const zip = bench.bytes(BESIDE.archive);
  const end = zip.length - END_BYTES;
  for (const at of [8, 10]) zip.writeUInt16LE(zip.readUInt16LE(end + at) + 1, end + at);
  zip.writeUInt32LE(zip.readUInt32LE(end + 12) + record.length, end + 12);
}
