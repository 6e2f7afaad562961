import fc from "fast-check";
import t from "tap";
import { dot, Rows } from "../../../lib/embedding/cosine.js";
import { fsum } from "../../../lib/statistics/fsum.js";

const SEED = 20260906;
const f32 = (): fc.Arbitrary<number> => fc.float({ noNaN: true, min: -1000, max: 1000 });

t.test("a dot product is the exact one, but for rounding", async (t) => {
  await fc.assert(
    fc.property(fc.array(fc.tuple(f32(), f32()), { maxLength: 40 }), fc.nat(3), (pairs, offset) => {
      const a = Float32Array.from([...Array(offset).fill(7), ...pairs.map(([x]) => x)]);
      const b = Float32Array.from(pairs, ([, y]) => y);
      const products = pairs.map(([x, y]) => x * y);
      const error = Math.abs(dot(a, offset, b, pairs.length) - fsum(products));
      return error <= 1e-13 * fsum(products.map(Math.abs));
    }),
    { seed: SEED },
  );
  t.pass();
});

t.test("the order of summation is the documented one", async (t) => {
  // Terms that lose or keep small ones by who is added to whom: number i goes to accumulator i mod 8.
  const numbers = Float32Array.from({ length: 19 }, (_, i) =>
    i % 3 === 0 ? 2 ** 20 : i % 3 === 1 ? 1 + 2 ** -20 : -(2 ** 18),
  );
  const query = Float32Array.from({ length: 19 }, (_, i) => (i % 2 === 0 ? 2 ** 30 : 2 ** -24 + i));
  const s = Array(8).fill(0) as number[];
  for (let i = 0; i < 16; i += 1) s[i % 8]! += numbers[i]! * query[i]!;
  for (let i = 16; i < 19; i += 1) s[0]! += numbers[i]! * query[i]!;
  t.equal(dot(numbers, 0, query, 19), s[0]! + s[1]! + (s[2]! + s[3]!) + (s[4]! + s[5]! + (s[6]! + s[7]!)));
});

t.test("what is left of the last eight goes to the first accumulator", async (t) => {
  const row = Float32Array.of(2 ** 53, 1, 0, 0, 0, 0, 0, 0, 1);
  // One is lost on 2^53, and so is another after it; both at once would not be.
  t.equal(dot(row, 0, new Float32Array(9).fill(1), 9), 2 ** 53);
});

t.test("cosines", async (t) => {
  const rows = new Rows(Float32Array.of(1, 0, 0, 2, -3, 0, 1, 1, 0, 0), 5, 2);
  const cosines = [...rows.cosines(Float32Array.of(5, 0))];
  t.strictSame(cosines.slice(0, 3), [1, 0, -1]);
  t.ok(Math.abs(cosines[3]! - Math.SQRT1_2) < 1e-15);
  t.equal(cosines[4], 0, "a row of zeros");
  t.strictSame([...rows.cosines(Float32Array.of(0, 0))], [0, 0, 0, 0, 0], "a query of zeros");
  t.strictSame([...new Rows(new Float32Array(0), 0, 2).cosines(Float32Array.of(1, 2))], []);
});

t.test(
  "a cosine stays within its bounds against rounding, and does not depend on the length of a vector",
  async (t) => {
    const vector = fc.array(f32(), { minLength: 9, maxLength: 9 });
    await fc.assert(
      fc.property(vector, vector, fc.constantFrom(0.25, 4, 1024), (row, query, scale) => {
        const one = new Rows(Float32Array.from(row), 1, 9).cosines(Float32Array.from(query))[0]!;
        const itself = new Rows(Float32Array.from(row), 1, 9).cosines(Float32Array.from(row))[0]!;
        const scaled = new Rows(Float32Array.from(row), 1, 9).cosines(Float32Array.from(query, (x) => x * scale))[0]!;
        return (
          Math.abs(one) <= 1 && itself <= 1 && (itself === 0 || itself > 1 - 1e-12) && Math.abs(scaled - one) < 1e-6
        );
      }),
      { seed: SEED },
    );
    t.pass();
  },
);
