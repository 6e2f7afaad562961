// Mutations of texts that are lines: record files, notes, proofs.
import type { Chance } from "../../../../lib/synthetic/chance.js";
import { mutateBytes } from "./bytes.js";
import { mutateJson, spansOf } from "./json.js";
import { type Mutator, oneOf, spliced } from "./mutator.js";

function linesOf(bytes: Buffer): string[] {
  return bytes.toString("latin1").split(/(?<=\n)/);
}

const onLines =
  (edit: (lines: string[], at: number, chance: Chance, other: readonly string[]) => string[]): Mutator =>
  (bytes, chance, other) => {
    const lines = linesOf(bytes);
    if (bytes.length === 0) return mutateBytes(bytes, chance, other);
    return Buffer.from(edit(lines, chance.below(lines.length), chance, linesOf(other)).join(""), "latin1");
  };

const swap = onLines((lines, at, chance) => {
  const to = chance.below(lines.length);
  return lines.with(at, lines[to]!).with(to, lines[at]!);
});
const double = onLines((lines, at) => lines.toSpliced(at, 0, lines[at]!));
const drop = onLines((lines, at) => lines.toSpliced(at, 1));
const move = onLines((lines, at, chance) =>
  lines.toSpliced(at, 1).toSpliced(chance.below(lines.length), 0, lines[at]!),
);
const unended = onLines((lines, at) => lines.with(at, lines[at]!.replace(/\n$/, "")));
const returned = onLines((lines, at) => lines.with(at, lines[at]!.replace(/\n$/, "\r\n")));
const blank = onLines((lines, at, chance) => lines.toSpliced(at, 0, chance.pick(["\n", " \n", "\n\n", "\0\n"])));
const foreign = onLines((lines, at, chance, other) => lines.toSpliced(at, chance.below(2), chance.pick(other)));

/** The value of a member goes from one record to another. */
const moveField = onLines((lines, at, chance) => {
  const to = chance.below(lines.length);
  const [from, into] = [spansOf(lines[at]!), spansOf(lines[to]!)];
  const value = from.length > 0 ? chance.pick(from) : undefined;
  const place = value && (into.find(({ key }) => key === value.key) ?? into[0]);
  if (!value || !place) return lines;
  const put = lines[at]!.slice(value.start, value.end);
  return lines.with(to, lines[to]!.slice(0, place.start) + put + lines[to]!.slice(place.end));
});

/** One line, changed as JSON. */
const oneRecord: Mutator = (bytes, chance, other) => {
  const lines = linesOf(bytes);
  const at = chance.below(lines.length);
  const given = chance.pick(linesOf(other));
  const edited = mutateJson(Buffer.from(lines[at]!, "latin1"), chance, Buffer.from(given, "latin1"));
  return Buffer.from(lines.with(at, edited.toString("latin1")).join(""), "latin1");
};

/** A number spelt otherwise, or another one. */
const number: Mutator = (bytes, chance, other) => {
  const found = [...bytes.toString("latin1").matchAll(/(?<![A-Za-z0-9+/=.])[0-9]+(?![A-Za-z0-9+/=])/g)];
  const place = chance.pick(found);
  if (!place) return mutateBytes(bytes, chance, other);
  const { 0: digits, index } = place;
  const spelling = chance.pick([
    `0${digits}`,
    `+${digits}`,
    `-${digits}`,
    `${digits}.0`,
    `${digits}e0`,
    ` ${digits}`,
    `${digits} `,
    `0x${digits}`,
    String(BigInt(digits) + 1n),
    "0",
    "9223372036854775808",
    "99999999999999999999",
    "",
  ]);
  return spliced(bytes, index, index + digits.length, Buffer.from(spelling));
};

/** Order and number of lines, and the numbers in them. */
export const mutateLines: Mutator = oneOf(swap, double, drop, move, unended, returned, blank, foreign, number, number);

/** Lines that hold a JSON value each. */
export const mutateRecords: Mutator = oneOf(mutateLines, moveField, oneRecord, oneRecord);
