// Mutations of archives, field by field: headers of tars with their checksums put right, records of zips, gzip's own bytes.
import { gunzipSync, gzipSync } from "node:zlib";
import type { Chance } from "../../../../lib/synthetic/chance.js";
import { mutateBytes } from "./bytes.js";
import { type Mutator, oneOf } from "./mutator.js";

const BLOCK = 512;

/** Header fields of ustar: offset and width. */
const TAR_FIELDS: readonly (readonly [number, number])[] = [
  [0, 100],
  [100, 8],
  [108, 8],
  [116, 8],
  [124, 12],
  [136, 12],
  [156, 1],
  [157, 100],
  [257, 6],
  [263, 2],
  [265, 32],
  [329, 8],
  [345, 155],
  [500, 12],
];
const TAR_VALUES = [
  ...["", "\0", "0", "1", "2", "5", "7", "x", "g", "L", "K", "S", "../x", "/x", "manifest.json", "a/", "0000000\0"],
  ...["00000000001\0", "77777777777\0", "77777777777", "-1", " 1", "\x80\0\0\0\0\0\0\0\xff\xff\xff\xff", "\xff"],
];

interface Entry {
  readonly header: Buffer;
  readonly content: Buffer;
}

function tarOf(bytes: Buffer): { entries: Entry[]; end: Buffer } {
  const entries: Entry[] = [];
  let at = 0;
  while (at + BLOCK <= bytes.length && bytes[at] !== 0) {
    const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8) || 0;
    const next = Math.min(bytes.length, at + BLOCK + Math.ceil(size / BLOCK) * BLOCK);
    entries.push({ header: Buffer.from(bytes.subarray(at, at + BLOCK)), content: bytes.subarray(at + BLOCK, next) });
    at = next;
  }
  return { entries, end: bytes.subarray(at) };
}

function summed(header: Buffer): Buffer {
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const onTar =
  (edit: (entries: Entry[], at: number, chance: Chance) => Entry[]): Mutator =>
  (bytes, chance, other) => {
    const { entries, end } = tarOf(bytes);
    if (entries.length === 0) return mutateBytes(bytes, chance, other);
    const edited = edit(entries, chance.below(entries.length), chance);
    return Buffer.concat([...edited.flatMap(({ header, content }) => [header, content]), end]);
  };

const tarField = onTar((entries, at, chance) => {
  const { header, content } = entries[at]!;
  const [offset, width] = chance.pick(TAR_FIELDS);
  const value = Buffer.from(chance.pick(TAR_VALUES), "latin1").subarray(0, width);
  if (chance.below(2) === 0) header.fill(0, offset, offset + width);
  value.copy(header, offset);
  return entries.with(at, { header: chance.below(4) === 0 ? header : summed(header), content });
});
const tarMove = onTar((entries, at, chance) =>
  entries.toSpliced(at, 1).toSpliced(chance.below(entries.length), 0, entries[at]!),
);
const tarDouble = onTar((entries, at, chance) => entries.toSpliced(chance.below(entries.length + 1), 0, entries[at]!));
const tarDrop = onTar((entries, at) => entries.toSpliced(at, 1));
const tarContent = onTar((entries, at, chance) => {
  const { header, content } = entries[at]!;
  const edited = mutateBytes(content, chance, content);
  header.write(`${edited.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  return entries.with(at, {
    header: summed(header),
    content: Buffer.concat([edited, Buffer.alloc(-edited.length & (BLOCK - 1))]),
  });
});

export const mutateTar: Mutator = oneOf(tarField, tarField, tarMove, tarDouble, tarDrop, tarContent);

/** The tar inside, or what gzip puts around it. */
export const mutateGzip: Mutator = (bytes, chance, other) => {
  let tar: Buffer;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: 2 ** 22 });
  } catch {
    return mutateBytes(bytes, chance, other);
  }
  const again = (inside: Buffer): Buffer => gzipSync(inside, { level: chance.pick([0, 1, 6, 9]) });
  const edits: readonly (() => Buffer)[] = [
    () => again(mutateTar(tar, chance, tar)),
    () => again(mutateBytes(tar, chance, tar)),
    () => Buffer.concat([bytes, again(Buffer.alloc(chance.pick([0, 1, 1024])))]),
    () => Buffer.concat([bytes, Buffer.alloc(chance.pick([1, 8, 512]))]),
    () => Buffer.concat([again(tar.subarray(0, BLOCK)), again(tar.subarray(BLOCK))]),
    () => again(Buffer.concat([tar, Buffer.alloc(chance.pick([1, BLOCK, 2 ** 21]))])),
    () => {
      const edited = Buffer.from(bytes);
      edited[chance.pick([0, 1, 2, 3, 4, 8, 9, edited.length - 8, edited.length - 4])] = chance.below(256);
      return edited;
    },
  ];
  return chance.pick(edits)();
};

/** Signatures of zip records, and where their fields stand: offset and width. */
const ZIP_RECORDS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  "504b0304": [2, 2, 2, 2, 2, 4, 4, 4, 2, 2].map(placed(4)),
  "504b0102": [2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4].map(placed(4)),
  "504b0506": [2, 2, 2, 2, 4, 4, 2].map(placed(4)),
};

function placed(first: number): (width: number, index: number, widths: readonly number[]) => readonly [number, number] {
  return (width, index, widths) => [first + widths.slice(0, index).reduce((sum, other) => sum + other, 0), width];
}

export const mutateZip: Mutator = (bytes, chance, other) => {
  const [signature, fields] = chance.pick(Object.entries(ZIP_RECORDS));
  const places: number[] = [];
  const wanted = Buffer.from(signature, "hex");
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) places.push(at);
  const [at, field] = [places.length > 0 ? chance.pick(places) : -1, chance.pick(fields)];
  if (at < 0 || at + field[0] + field[1] > bytes.length) return mutateBytes(bytes, chance, other);
  const edited = Buffer.from(bytes);
  const before = edited.readUIntLE(at + field[0], field[1]);
  const limit = 2 ** (8 * field[1]);
  const value = chance.pick([
    0,
    1,
    8,
    before + 1,
    before - 1,
    before ^ 0x800,
    limit - 1,
    limit / 2,
    chance.below(limit),
  ]);
  edited.writeUIntLE((value + limit) % limit, at + field[0], field[1]);
  return edited;
};
