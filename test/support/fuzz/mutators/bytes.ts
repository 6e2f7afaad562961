// Mutations of bytes that know nothing of what they mean.
import type { Mutator } from "./mutator.js";
import { oneOf, range, spliced } from "./mutator.js";

/** Bytes that parsers look for or stumble over. */
const TOKENS: readonly Buffer[] = [
  ...["\0", "\n", "\r\n", " ", "\t", '"', "\\", "{", "}", "[", "]", ",", ":", "-", "+", "=", "/", "_", "0", "1"],
  ...["\ufeff", "\u2028", "e\u0301", "\u0130", "\u{10ffff}", "\u2014 ", "\n\n", "null", "true", "1e400", "-0"],
].map((text) => Buffer.from(text));
const RAW: readonly Buffer[] = ["ff", "80", "c080", "eda080", "f4908080", "30", "3080", "a000", "0500", "504b0304"].map(
  (hex) => Buffer.from(hex, "hex"),
);

const flipBit: Mutator = (bytes, chance) => {
  const edited = Buffer.from(bytes);
  if (edited.length > 0) edited[chance.below(edited.length)]! ^= 1 << chance.below(8);
  return edited;
};

const setByte: Mutator = (bytes, chance) => {
  const edited = Buffer.from(bytes);
  if (edited.length > 0) {
    edited[chance.below(edited.length)] = chance.pick([0, 0x0a, 0x20, 0x7f, 0x80, 0xff, chance.below(256)]);
  }
  return edited;
};

const insert: Mutator = (bytes, chance) => {
  const at = chance.below(bytes.length + 1);
  return spliced(bytes, at, at, chance.pick([...TOKENS, ...RAW]));
};

const overwrite: Mutator = (bytes, chance) => {
  const at = chance.below(bytes.length + 1);
  const put = chance.pick([...TOKENS, ...RAW]);
  return spliced(bytes, at, Math.min(bytes.length, at + put.length), put);
};

const remove: Mutator = (bytes, chance) => spliced(bytes, ...range(bytes, chance), Buffer.alloc(0));

const truncate: Mutator = (bytes, chance) => bytes.subarray(0, chance.below(bytes.length + 1));

const repeat: Mutator = (bytes, chance) => {
  const [start, end] = range(bytes, chance);
  const piece = bytes.subarray(start, end);
  const times = chance.pick([1, 2, 3, 10, 1000]);
  return spliced(bytes, end, end, Buffer.concat(Array.from({ length: times }, () => piece)));
};

/** Bytes before the beginning or after the end, where nothing may stand. */
const extend: Mutator = (bytes, chance, other) => {
  const put = chance.pick([
    ...TOKENS,
    ...RAW,
    Buffer.alloc(512),
    Buffer.alloc(1024),
    other.subarray(0, chance.below(64)),
  ]);
  return chance.below(3) === 0 ? Buffer.concat([put, bytes]) : Buffer.concat([bytes, put]);
};

/** A piece of the other input in the place of a piece of this one, or the beginning of one and the end of the other. */
const splice: Mutator = (bytes, chance, other) => {
  if (chance.below(3) === 0) {
    return Buffer.concat([
      bytes.subarray(0, chance.below(bytes.length + 1)),
      other.subarray(chance.below(other.length + 1)),
    ]);
  }
  const [start, end] = range(other, chance);
  return spliced(bytes, ...range(bytes, chance), other.subarray(start, end));
};

/** Two pieces change places. */
const swap: Mutator = (bytes, chance) => {
  const [a, b] = [range(bytes, chance), range(bytes, chance)].sort(([x], [y]) => x - y);
  if (!a || !b || a[1] > b[0]) return bytes;
  return Buffer.concat([
    bytes.subarray(0, a[0]),
    bytes.subarray(...b),
    bytes.subarray(a[1], b[0]),
    bytes.subarray(...a),
    bytes.subarray(b[1]),
  ]);
};

/** The other input, whole. */
const replace: Mutator = (_bytes, _chance, other) => Buffer.from(other);

export const mutateBytes: Mutator = oneOf(
  flipBit,
  flipBit,
  setByte,
  insert,
  extend,
  overwrite,
  remove,
  truncate,
  repeat,
  splice,
  swap,
  replace,
);
