// DER (ITU-T X.690 section 10) as far as certificates and time-stamp tokens need it: definite lengths in their shortest form, so
// that what is hashed and verified are the very bytes that were received, and nothing is ever encoded again.
import { daysInMonth } from "../bytes/calendar.js";

/** The bytes are no DER, or not of the shape asked for; the caller says of what. */
export class DerError extends Error {}

export interface DerValue {
  readonly tag: number;
  /** Tag, length and content. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a context-specific value: constructed ("EXPLICIT", or IMPLICIT of something constructed), or primitive. */
export const context = (number: number, form: "constructed" | "primitive" = "constructed"): number =>
  (form === "constructed" ? 0xa0 : 0x80) | number;

function readOne(bytes: Buffer, start: number): DerValue {
  const need = (end: number): void => {
    if (end > bytes.length) throw new DerError("a value is cut off");
  };
  need(start + 2);
  const tag = bytes[start]!;
  if ((tag & 0x1f) === 0x1f) throw new DerError("a tag is of more than one byte");
  let length = bytes[start + 1]!;
  let at = start + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) throw new DerError("a length is indefinite or too long");
    need(at + count);
    length = bytes.readUIntBE(at, count);
    if (length < 0x80 || length < 2 ** (8 * (count - 1))) throw new DerError("a length is not in its shortest form");
    at += count;
  }
  need(at + length);
  return { tag, whole: bytes.subarray(start, at + length), content: bytes.subarray(at, at + length) };
}

/** All values that bytes hold, one after the other. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readOne(bytes, at);
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** The one value that bytes are. */
export function derOne(bytes: Buffer, tag: number): DerValue {
  const value = readOne(bytes, 0);
  if (value.whole.length !== bytes.length) throw new DerError("bytes follow the value");
  return expected(value, tag);
}

/** A value that must be there and of one kind. */
export function expected(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag === tag) return value;
  const found = value === undefined ? "nothing" : `tag 0x${value.tag.toString(16)}`;
  throw new DerError(`expected tag 0x${tag.toString(16)}, found ${found}`);
}

/** What stands in a constructed value, which must be there and of one kind. */
export const members = (value: DerValue | undefined, tag: number = TAG.sequence): DerValue[] =>
  derValues(expected(value, tag).content);

/** The members of a SEQUENCE whose optional ones are told by their tags. */
export class Fields {
  readonly #values: readonly DerValue[];
  #next = 0;

  constructor(values: readonly DerValue[]) {
    this.#values = values;
  }

  take(tag: number): DerValue {
    return expected(this.#values[this.#next++], tag);
  }

  /** The next value when it is of this kind. */
  maybe(tag: number): DerValue | undefined {
    return this.#values[this.#next]?.tag === tag ? this.#values[this.#next++] : undefined;
  }

  any(): DerValue {
    const value = this.#values[this.#next++];
    if (value === undefined) throw new DerError("a member is missing");
    return value;
  }

  end(): void {
    if (this.#next !== this.#values.length) throw new DerError("a member follows the last one");
  }
}

/** An OBJECT IDENTIFIER in dotted decimals. */
export function oidOf(value: DerValue | undefined): string {
  const { content } = expected(value, TAG.oid);
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const [index, byte] of content.entries()) {
    if (arc === 0n && byte === 0x80) throw new DerError("an arc is not in its shortest form");
    arc = arc * 128n + BigInt(byte & 0x7f);
    if ((byte & 0x80) !== 0) {
      if (index === content.length - 1) throw new DerError("an object identifier is cut off");
      continue;
    }
    arcs.push(arc);
    arc = 0n;
  }
  const [first, ...rest] = arcs;
  if (first === undefined) throw new DerError("an object identifier is empty");
  const top = first < 80n ? first / 40n : 2n;
  return [top, first - top * 40n, ...rest].join(".");
}

export function booleanOf({ content }: DerValue): boolean {
  if (content.length === 1 && (content[0] === 0 || content[0] === 0xff)) return content[0] === 0xff;
  throw new DerError("a BOOLEAN is neither true nor false");
}

/** A small non-negative INTEGER. */
export function numberOf({ content }: DerValue): number {
  if (content.length === 0 || content.length > 6 || content[0]! >= 0x80)
    throw new DerError("an INTEGER is out of range");
  if (content.length > 1 && content[0] === 0 && content[1]! < 0x80)
    throw new DerError("an INTEGER is not in its shortest form");
  return content.readUIntBE(0, content.length);
}

/** The bits of a named BIT STRING, the first one first. */
export function bitsOf({ content }: DerValue): boolean[] {
  const [unused = 8, ...bytes] = content;
  if (unused > 7 || (bytes.length === 0 && unused > 0)) throw new DerError("a BIT STRING is out of form");
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1) === 1));
  return bits.slice(0, bits.length - unused);
}

const UTC_TIME = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{0,8}[1-9]))?Z$/;

/**
 * A UTCTime or GeneralizedTime in UTC, as milliseconds since 1970; a part of a millisecond is rounded up. Of two digits for
 * the year, those from 50 on are of the last century (RFC 5280 section 4.1.2.5.1). Leap seconds are in no such time.
 */
export function timeMsOf(value: DerValue | undefined): number {
  const text = value?.content.toString("latin1") ?? "";
  const isUtc = value?.tag === TAG.utcTime;
  const parts = (isUtc ? UTC_TIME : GENERALIZED_TIME).exec(text);
  if (!parts || !(isUtc || value?.tag === TAG.generalizedTime)) throw new DerError("a time is not in its form");
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fullYear = isUtc ? year + (year >= 50 ? 1900 : 2000) : year;
  const pad = (number: number, digits: number): string => String(number).padStart(digits, "0");
  const date = `${pad(fullYear, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const ms = Date.parse(`${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}.000Z`);
  // Date.parse moves 30 February into March, and takes 24:00.
  if (Number.isNaN(ms) || hour > 23 || day > daysInMonth(fullYear, month)) throw new DerError("there is no such time");
  return ms + Math.ceil(Number(`0.${parts[7] ?? "0"}`) * 1000);
}
