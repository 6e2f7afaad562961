// DER for tests, written: the other way round than lib/time/der.ts reads it, and held against openssl by timestamps.test.ts.
const length = (count: number): Buffer => {
  if (count < 0x80) return Buffer.of(count);
  const hex = count.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

export function tlv(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), length(whole.length), whole]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => tlv(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => tlv(0x31, ...content);
export const octets = (content: Uint8Array): Buffer => tlv(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.of(unused), content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.of(value ? 0xff : 0));
export const explicit = (number: number, ...content: readonly Uint8Array[]): Buffer => tlv(0xa0 | number, ...content);

export function integer(value: bigint | number): Buffer {
  const hex = BigInt(value).toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return tlv(0x02, bytes[0]! >= 0x80 ? Buffer.of(0) : Buffer.alloc(0), bytes);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) + 128);
    return groups;
  });
  return tlv(0x06, Buffer.from(bytes));
}

/** GeneralizedTime of an RFC 3339 time in UTC, without a fraction that is zero. */
export function generalizedTime(text: string): Buffer {
  const [date = "", fraction = ""] = text.replace("Z", "").split(".");
  const cut = fraction.replace(/0+$/, "");
  return tlv(0x18, Buffer.from(`${date.replace(/[-:T]/g, "")}${cut === "" ? "" : `.${cut}`}Z`));
}
