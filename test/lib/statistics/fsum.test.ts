import fc from "fast-check";
import t from "tap";
import { fsum } from "../../../lib/statistics/fsum.js";

const range = (size: number) => Array.from({ length: size }, (_, index) => index);

t.test("hard cases of Python's math.fsum", async (t) => {
  const mixed = [...range(1023)].map((index) => {
    const n = -1074 + 2 * index;
    return 2 ** n - 2 ** (n + 50) + 2 ** (n + 52);
  });
  for (const [name, terms, expected] of [
    ["nothing", [], 0],
    ["zero", [0], 0],
    ["a large pair and a one", [1e100, 1, -1e100], 1],
    ["ten tenths", range(10).map(() => 0.1), 1],
    ["in and out", [1e100, 1, -1e100, 1e-100, 1e50, -1, -1e50], 1e-100],
    ["just below half", [2 ** 53, -0.5, -(2 ** -54)], 2 ** 53 - 1],
    ["just above a tie", [2 ** 53, 1, 2 ** -100], 2 ** 53 + 2],
    ["just above a tie", [2 ** 53 + 10, 1, 2 ** -100], 2 ** 53 + 12],
    ["just above half", [2 ** 53 - 4, 0.5, 2 ** -54], 2 ** 53 - 3],
    ["harmonic numbers", range(1000).map((n) => 1 / (n + 1)), 7.485470860550345],
    ["alternating", range(1000).map((n) => (-1) ** (n + 1) / (n + 1)), -0.6926474305598203],
    ["a small rest", [1e16, 1, 1e-16], 10000000000000002],
    ["all cancelled", [1e16 - 2, 1 - 2 ** -53, -(1e16 - 2), -(1 - 2 ** -53)], 0],
    ["many partial sums", [...mixed, -(2 ** 1022)], 1.3305602063564798e292],
  ] as [string, number[], number][]) {
    t.equal(fsum(terms), expected, name);
    t.equal(fsum([...terms].reverse()), expected, `${name}, from the end`);
    t.equal(fsum(terms.map((term) => -term)), expected === 0 ? 0 : -expected, `${name}, negated`);
  }
  t.equal(fsum(range(1000).map(() => 0.001)), 1);
  t.equal(fsum([0.1, 0.2, 0.3]), 0.6, "where adding up gives 0.6000000000000001");
});

t.test("ties go to the even neighbour", async (t) => {
  t.equal(fsum([2 ** 53, 1]), 2 ** 53);
  t.equal(fsum([2 ** 53 + 2, 1]), 2 ** 53 + 4);
  t.equal(fsum([1, 2 ** -53]), 1);
  t.equal(fsum([1, 2 ** -53, 2 ** -1074]), 1 + 2 ** -52, "unless anything is above");
  t.equal(fsum([1 + 2 ** -52, 2 ** -53, -(2 ** -1074)]), 1 + 2 ** -52, "or below");
});

t.test("edges", async (t) => {
  t.ok(Object.is(fsum([]), 0));
  t.ok(Object.is(fsum([-0]), 0), "a zero has no sign, as in Python");
  t.ok(Object.is(fsum([-0, -0]), 0));
  t.ok(Object.is(fsum([1, -1, -0]), 0));
  t.equal(fsum([Number.MIN_VALUE, Number.MIN_VALUE]), 1e-323);
  t.equal(fsum([Number.MAX_VALUE, -Number.MAX_VALUE, 1]), 1);
  t.equal(fsum([Number.MAX_VALUE, 2 ** 969]), Number.MAX_VALUE);
  t.equal(fsum(new Set([1, 2, 4]).values()), 7, "any iterable");
  const terms = [3, 2, 1];
  fsum(terms);
  t.same(terms, [3, 2, 1], "terms are left as they are");
  for (const beyond of [[1e308, 1e308, -1e308], [1e308, 1e308], [Number.POSITIVE_INFINITY], [Number.NaN, 1]]) {
    t.notOk(Number.isFinite(fsum(beyond)), `${beyond}: never a wrong number`);
  }
});

/** A double as a multiple of 2^-1074, exactly. */
function exact(value: number): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  const bits = bytes.readBigUInt64BE();
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & (2n ** 52n - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction | (2n ** 52n)) << (exponent - 1n);
  return bits >> 63n ? -magnitude : magnitude;
}

/** A multiple of 2^-1074 as the nearest double, ties to even. */
function rounded(multiple: bigint): number {
  const magnitude = multiple < 0n ? -multiple : multiple;
  const length = magnitude.toString(2).length;
  const drop = length > 64 ? length - 64 : 0;
  // 64 bits, the last of them set when anything below is: enough for Number() to round half-even.
  const kept = magnitude >> BigInt(drop);
  const sticky = kept << BigInt(drop) === magnitude ? kept : kept | 1n;
  const value = Number(sticky) * 2 ** (drop - 1074);
  return multiple < 0n ? -value : value;
}

const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
const score = fc.double({ noNaN: true, min: 0, max: 1 });
const nearby = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -60, max: 60 })).map(([a, b]) => a * 2 ** b);
/** Terms among which many cancel. */
const terms = fc
  .oneof(
    fc.array(anyDouble, { maxLength: 30 }),
    fc.array(score, { maxLength: 30 }),
    fc.array(nearby, { maxLength: 30 }),
    fc.array(fc.oneof(anyDouble, nearby), { maxLength: 30 }),
  )
  .chain((array) => fc.tuple(fc.constant(array), fc.subarray(array), fc.array(nearby, { maxLength: 3 })))
  .map(([array, cancelled, rest]) => [...array, ...cancelled.map((term) => -term), ...rest]);

t.test("the reference rounds right", async (t) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => rounded(exact(value)) === value),
    { seed: 53, numRuns: 2000 },
  );
  t.equal(rounded(exact(2 ** 53) + exact(1)), 2 ** 53);
  t.equal(rounded(exact(2 ** 53) + exact(1) + 1n), 2 ** 53 + 2);
  t.equal(rounded(-exact(2 ** 53 + 2) - exact(1)), -(2 ** 53 + 4));
});

t.test("equals the exact sum, rounded once", async (t) => {
  fc.assert(
    fc.property(terms, (array) => {
      const sum = array.reduce((total, term) => total + exact(term), 0n);
      return Object.is(fsum(array), rounded(sum));
    }),
    { seed: 1997, numRuns: 5000 },
  );
  t.pass("on random terms");
});

t.test("the order of the terms does not matter", async (t) => {
  fc.assert(
    fc.property(
      terms.chain((array) => {
        const shuffled = fc.shuffledSubarray(array, { minLength: array.length, maxLength: array.length });
        return fc.tuple(fc.constant(array), shuffled);
      }),
      ([array, shuffled]) => Object.is(fsum(array), fsum(shuffled)),
    ),
    { seed: 2003, numRuns: 3000 },
  );
  t.pass("on random terms");
});
