// DER: one spelling for each value, and no other.
import fc from "fast-check";
import t from "tap";
import { algorithmOf } from "../../../lib/time/algorithms.js";
import {
  bitsOf,
  booleanOf,
  context,
  DerError,
  derOne,
  derValues,
  Fields,
  members,
  numberOf,
  oidOf,
  TAG,
  timeMsOf,
} from "../../../lib/time/der.js";
import { generalizedTime, integer, octets, oid, sequence, tlv } from "../../support/der-writer.js";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

const refused = (read: () => unknown): boolean => {
  try {
    read();
    return false;
  } catch (error) {
    return error instanceof DerError;
  }
};

t.test("what is written is read", async () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
      const read = members(derOne(sequence(...parts.map(octets)), TAG.sequence));
      return read.length === parts.length && read.every(({ content }, index) => content.equals(parts[index]!));
    }),
  );
  fc.assert(fc.property(fc.nat(2 ** 31 - 1), (n) => numberOf(derOne(integer(n), TAG.integer)) === n));
  const arcs = fc.tuple(fc.constantFrom("1", "0"), fc.nat(39), fc.array(fc.nat(2 ** 30), { maxLength: 6 }));
  fc.assert(
    fc.property(arcs, ([top, second, rest]) => {
      const text = [top, second, ...rest].join(".");
      return oidOf(derOne(oid(text), TAG.oid)) === text;
    }),
  );
});

t.test("object identifiers of the standards", async (t) => {
  // RFC 5280, RFC 3161, and the examples of X.690 section 8.19.
  for (const [text, bytes] of [
    ["2.5.29.37", "06 03 55 1d 25"],
    ["1.3.6.1.5.5.7.3.8", "06 08 2b 06 01 05 05 07 03 08"],
    ["1.2.840.113549.1.9.16.1.4", "06 0b 2a 86 48 86 f7 0d 01 09 10 01 04"],
    ["2.999.3", "06 03 88 37 03"],
  ] as const) {
    t.equal(oidOf(derOne(hex(bytes), TAG.oid)), text);
  }
});

t.test("what is no DER", async (t) => {
  for (const [why, bytes] of [
    ["nothing", ""],
    ["no length", "30"],
    ["an indefinite length", "30 80 00 00"],
    ["a length of five bytes", "30 85 00 00 00 00 01 00"],
    ["a long form of a short length", "30 81 01 00"],
    ["a long form with a leading zero", `30 82 00 80 ${"00".repeat(128)}`],
    ["content cut off", "30 02 00"],
    ["a tag of two bytes", "1f 81 00 00"],
    ["bytes after it", "30 00 00"],
    ["another tag", "31 00"],
  ] as const) {
    t.ok(
      refused(() => derOne(hex(bytes), TAG.sequence)),
      why,
    );
  }
  for (const [why, read] of [
    ["an arc with a leading zero", () => oidOf(derOne(hex("06 03 55 80 01"), TAG.oid))],
    ["an arc cut off", () => oidOf(derOne(hex("06 02 55 81"), TAG.oid))],
    ["no arcs", () => oidOf(derOne(hex("06 00"), TAG.oid))],
    ["a truth of its own", () => booleanOf(derOne(hex("01 01 01"), TAG.boolean))],
    ["a negative number", () => numberOf(derOne(hex("02 01 80"), TAG.integer))],
    ["a number with a leading zero", () => numberOf(derOne(hex("02 02 00 01"), TAG.integer))],
    ["a huge number", () => numberOf(derOne(hex("02 07 01 00 00 00 00 00 00"), TAG.integer))],
    ["an empty number", () => numberOf(derOne(hex("02 00"), TAG.integer))],
    ["eight unused bits", () => bitsOf(derOne(hex("03 02 08 00"), TAG.bitString))],
    ["no bits at all", () => bitsOf(derOne(hex("03 00"), TAG.bitString))],
    ["unused bits of nothing", () => bitsOf(derOne(hex("03 01 01"), TAG.bitString))],
    ["a member too many", () => new Fields(derValues(hex("0500"))).end()],
    ["a member too few", () => new Fields([]).any()],
  ] as const) {
    t.ok(refused(read), why);
  }
  t.strictSame(bitsOf(derOne(hex("03 02 05 a0"), TAG.bitString)), [true, false, true]);
  t.strictSame([context(0), context(3), context(0, "primitive")], [0xa0, 0xa3, 0x80]);
});

t.test("times", async (t) => {
  const utc = (text: string): number => timeMsOf(derOne(tlv(TAG.utcTime, Buffer.from(text)), TAG.utcTime));
  const general = (text: string): number =>
    timeMsOf(derOne(tlv(TAG.generalizedTime, Buffer.from(text)), TAG.generalizedTime));
  t.equal(utc("491231235959Z"), Date.UTC(2049, 11, 31, 23, 59, 59));
  t.equal(utc("500101000000Z"), Date.UTC(1950, 0, 1));
  t.equal(general("20240229120000Z"), Date.UTC(2024, 1, 29, 12));
  t.equal(general("20260102030405.678Z"), Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  t.equal(general("20260102030405.6781Z"), Date.UTC(2026, 0, 2, 3, 4, 5, 679), "a part of a millisecond, rounded up");
  for (const text of [
    "20260229120000Z",
    "20260431120000Z",
    "20261301120000Z",
    "20260100120000Z",
    "20260101240000Z",
    "20260101126000Z",
    "20260101120060Z",
    "20260101120000",
    "20260101120000+0100",
    "20260101120000.Z",
    "20260101120000.10Z",
    "2026010112Z",
    "",
  ]) {
    t.ok(
      refused(() => general(text)),
      text,
    );
  }
  t.ok(
    refused(() => utc("20260101120000Z")),
    "four digits where two belong",
  );
  t.ok(refused(() => timeMsOf(derOne(tlv(TAG.octetString, Buffer.from("20260101120000Z")), TAG.octetString))));
  t.ok(refused(() => timeMsOf(undefined)));
  fc.assert(
    fc.property(
      fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
      (date) => {
        return timeMsOf(derOne(generalizedTime(date.toISOString()), TAG.generalizedTime)) === date.getTime();
      },
    ),
  );
});

t.test("an algorithm's parameters are absent or NULL, whatever no signature is over", async (t) => {
  const named = (...parameters: Buffer[]) =>
    derOne(sequence(oid("2.16.840.1.101.3.4.2.1"), ...parameters), TAG.sequence);
  t.equal(algorithmOf(named()), "2.16.840.1.101.3.4.2.1");
  t.equal(algorithmOf(named(hex("05 00"))), "2.16.840.1.101.3.4.2.1");
  for (const parameters of ["01 00", "05 01 00", "30 00", "04 00", "05 00 05 00"]) {
    t.ok(
      refused(() => algorithmOf(named(hex(parameters)))),
      parameters,
    );
  }
});
