// Edits of a tar entry by entry, in forms that no writer of ours has.
import { BESIDE, type Bench } from "../bench.js";
import { BYTES, FLAG, INTEGER, oneOf, op, optional, PATH, several, TEXT, VALUE } from "../op.js";
import { bytesOf, resolved } from "../values.js";

const BLOCK = 512;

interface Entry {
  readonly name: string;
  /** Header, content and padding. */
  readonly bytes: Buffer;
}

function entriesOf(archive: Buffer): { entries: Entry[]; end: Buffer } {
  const entries: Entry[] = [];
  let offset = 0;
  while (offset + BLOCK <= archive.length && archive[offset] !== 0) {
    const header = archive.subarray(offset, offset + BLOCK);
    const size = Number.parseInt(header.toString("latin1", 124, 135), 8);
    const next = offset + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const name = header.toString("latin1", 0, 100).replace(/\0.*$/s, "");
    entries.push({ name, bytes: archive.subarray(offset, next) });
    offset = next;
  }
  return { entries, end: archive.subarray(offset) };
}

function change(bench: Bench, edit: (entries: Entry[]) => Entry[]): void {
  const { entries, end } = entriesOf(bench.bytes(BESIDE.archive));
  bench.files.set(BESIDE.archive, Buffer.concat([...edit(entries).map(({ bytes }) => bytes), end]));
}

function placeOf(entries: readonly Entry[], before: string): number {
  if (before === "end") return entries.length;
  const index = entries.findIndex(({ name }) => name === before);
  if (index < 0) throw new Error(`the tar has no entry ${before}`);
  return index;
}

const SPELLINGS: Readonly<Record<string, (sum: number) => string>> = {
  right: (sum) => `${sum.toString(8).padStart(6, "0")}\0 `,
  spaced: (sum) => ` ${sum.toString(8).padStart(6, "0")}\0`,
  wrong: () => "000000\0 ",
};

/** Puts the checksum of a header right, in one of its spellings. */
function summed(header: Buffer, checksum: string): Buffer {
  header.write("        ", 148, "latin1");
  const signed = checksum === "signed";
  const sum = header.reduce((total, byte) => total + (signed && byte > 127 ? byte - 256 : byte), 0);
  header.write((SPELLINGS[checksum] ?? SPELLINGS.right)!(sum), 148, "latin1");
  return header;
}

const CHECKSUM = optional(oneOf("right", "spaced", "wrong", "signed", "kept"));
const FIELDS = optional(several(VALUE));

/** Fields are [offset, bytes]. */
function withFields(header: Buffer, fields: readonly unknown[] = [], bench: Bench): Buffer {
  const edited = Buffer.from(header);
  for (const [at, value] of fields as [number, never][]) bytesOf(value, bench).copy(edited, at);
  return edited;
}

function entry(type: string, name: Buffer, content: Buffer, link: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  name.copy(header, 0, 0, 100);
  const size = `${content.length.toString(8).padStart(11, "0")}\0`;
  header.write(`0000644\x000000000\x000000000\0${size}00000000000\0        ${type}${link}`, 100, "latin1");
  header.write("ustar\x00000", 257, "latin1");
  header.write("0000000\x000000000\0", 329, "latin1");
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}

/** A pax record says its own length, digits included. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

const BEFORE = TEXT;

export const TAR_OPS = {
  /** An entry of any type before another or the "end". */
  "tar.insert": op(
    {
      before: BEFORE,
      type: TEXT,
      name: BYTES,
      content: optional(BYTES),
      link: optional(TEXT),
      fields: FIELDS,
      checksum: CHECKSUM,
    },
    (bench, { before, type, name, content = "", link = "", fields, checksum = "right" }) =>
      change(bench, (entries) => {
        const made = entry(type, bytesOf(name, bench), bytesOf(content, bench), link);
        const header = summed(withFields(made.subarray(0, BLOCK), fields, bench), checksum);
        const bytes = Buffer.concat([header, made.subarray(BLOCK)]);
        return entries.toSpliced(placeOf(entries, before), 0, { name: "", bytes });
      }),
  ),
  /** Extended header records, each [key, bytes], for the entry that follows or, with `global`, for all. */
  "tar.pax": op(
    { before: BEFORE, global: optional(FLAG), records: several(VALUE) },
    (bench, { before, global = false, records }) =>
      change(bench, (entries) => {
        const content = (records as [string, never][]).map(([key, value]) => paxRecord(key, bytesOf(value, bench)));
        const made = entry(global ? "g" : "x", Buffer.from("PaxHeader/x"), Buffer.concat(content), "");
        const bytes = Buffer.concat([summed(Buffer.from(made.subarray(0, BLOCK)), "right"), made.subarray(BLOCK)]);
        return entries.toSpliced(placeOf(entries, before), 0, { name: "", bytes });
      }),
  ),
  /** Other bytes in the header of an entry, its checksum put right unless said. */
  "tar.header": op(
    { path: PATH, fields: several(VALUE), checksum: CHECKSUM },
    (bench, { path, fields, checksum = "right" }) =>
      change(bench, (entries) => {
        const index = placeOf(entries, path);
        const { name, bytes } = entries[index]!;
        const edited = withFields(bytes.subarray(0, BLOCK), fields, bench);
        const header = checksum === "kept" ? edited : summed(edited, checksum);
        return entries.with(index, { name, bytes: Buffer.concat([header, bytes.subarray(BLOCK)]) });
      }),
  ),
  "tar.remove": op({ path: PATH }, (bench, { path }) =>
    change(bench, (entries) => entries.toSpliced(placeOf(entries, path), 1)),
  ),
  /** Another place for an entry. */
  "tar.move": op({ path: PATH, before: BEFORE }, (bench, { path, before }) =>
    change(bench, (entries) => {
      const moved = entries[placeOf(entries, path)]!;
      const rest = entries.filter((other) => other !== moved);
      return rest.toSpliced(placeOf(rest, before), 0, moved);
    }),
  ),
  /** An entry once more, before another or at the end, under its name or another spelling of it. */
  "tar.duplicate": op({ path: PATH, before: BEFORE, as: optional(VALUE) }, (bench, { path, before, as }) =>
    change(bench, (entries) => {
      const { bytes } = entries[placeOf(entries, path)]!;
      const header = Buffer.from(bytes.subarray(0, BLOCK));
      if (as !== undefined) {
        header.fill(0, 0, 100);
        header.write(resolved(as, bench) as string, 0, "latin1");
      }
      const again = Buffer.concat([summed(header, "right"), bytes.subarray(BLOCK)]);
      return entries.toSpliced(placeOf(entries, before), 0, { name: "", bytes: again });
    }),
  ),
  /** Cuts the tar before the blocks that end it, so that other bytes can follow; `keep`: how many of the two stay. */
  "tar.open-end": op({ keep: INTEGER }, (bench, { keep }) => {
    const archive = bench.bytes(BESIDE.archive);
    bench.files.set(BESIDE.archive, archive.subarray(0, archive.length - (2 - keep) * BLOCK));
  }),
} as const;
