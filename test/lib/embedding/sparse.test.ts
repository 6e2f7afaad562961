import fc from "fast-check";
import t from "tap";
import { orthonormalise, type SparseRow, times, transposedTimes } from "../../../lib/embedding/sparse.js";

const SEED = 20260906;
const number = (): fc.Arbitrary<number> => fc.integer({ min: -8, max: 8 });

/** A sparse matrix with its dense form, and a block to multiply with. */
const matrices = fc
  .record({
    rows: fc.integer({ min: 1, max: 7 }),
    columns: fc.integer({ min: 1, max: 6 }),
    width: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ rows, columns, width }) =>
    fc.record({
      dense: fc.array(fc.array(number(), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
      right: fc.array(fc.array(number(), { minLength: width, maxLength: width }), {
        minLength: columns,
        maxLength: columns,
      }),
      left: fc.array(fc.array(number(), { minLength: width, maxLength: width }), { minLength: rows, maxLength: rows }),
    }),
  );

const sparse = (dense: number[][]): SparseRow[] =>
  dense.map((row) => {
    const columns = [...row.keys()].filter((column) => row[column] !== 0);
    return { columns: Uint32Array.from(columns), values: Float64Array.from(columns, (column) => row[column]!) };
  });
const product = (a: number[][], b: number[][]): number[] =>
  a.flatMap((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));
const transposed = (a: number[][]): number[][] => a[0]!.map((_, j) => a.map((row) => row[j]!));

t.test("products are those of the dense matrices", async (t) => {
  await fc.assert(
    fc.property(matrices, ({ dense, right, left }) => {
      const rows = sparse(dense);
      const width = right[0]!.length;
      const plus = (list: ArrayLike<number>): number[] => Array.from(list, (x) => x + 0);
      t.strictSame(plus(times(rows, Float64Array.from(right.flat()), width)), plus(product(dense, right)));
      t.strictSame(
        plus(transposedTimes(rows, dense[0]!.length, Float64Array.from(left.flat()), width)),
        plus(product(transposed(dense), left)),
      );
    }),
    { seed: SEED },
  );
});

/** Gram matrix of the columns of a row-major block. */
function gram(block: Float64Array, width: number): number[][] {
  return Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_, j) => {
      let sum = 0;
      for (let at = 0; at < block.length; at += width) sum += block[at + i]! * block[at + j]!;
      return sum;
    }),
  );
}

t.test("columns become orthonormal and span what they spanned; dependent ones become zero", async (t) => {
  const block = fc
    .record({ rows: fc.integer({ min: 1, max: 12 }), width: fc.integer({ min: 1, max: 6 }) })
    .chain(({ rows, width }) =>
      fc.record({
        width: fc.constant(width),
        values: fc.array(number(), { minLength: rows * width, maxLength: rows * width }),
      }),
    );
  await fc.assert(
    fc.property(block, ({ width, values }) => {
      const before = Float64Array.from(values);
      const after = before.slice();
      orthonormalise(after, width, 2);
      for (const [i, row] of gram(after, width).entries()) {
        for (const [j, entry] of row.entries()) {
          const expected = i === j ? Math.round(entry) : 0;
          if (Math.abs(entry - expected) > 1e-9 || expected > 1) return false;
        }
      }
      // Each old column is the sum of its projections on the new ones.
      for (let column = 0; column < width; column += 1) {
        for (let at = 0; at < before.length; at += width) {
          let projected = 0;
          for (let j = 0; j < width; j += 1) {
            let along = 0;
            for (let row = 0; row < before.length; row += width) along += before[row + column]! * after[row + j]!;
            projected += along * after[at + j]!;
          }
          if (Math.abs(projected - before[at + column]!) > 1e-6) return false;
        }
      }
      return true;
    }),
    { seed: SEED, numRuns: 300 },
  );
  t.pass();
});

t.test("a second pass takes away what the first leaves of columns that are much alike", async (t) => {
  const nearly = (): Float64Array =>
    Float64Array.from({ length: 40 * 3 }, (_, i) => 1 + 1e-4 * Math.sqrt(1 + ((i * 7919) % 101)) * (1 + (i % 3)));
  const off = (passes: 1 | 2): number => {
    const block = nearly();
    orthonormalise(block, 3, passes);
    return Math.max(...gram(block, 3).flatMap((row, i) => row.map((x, j) => Math.abs(x - (i === j ? 1 : 0)))));
  };
  t.ok(off(1) > 1e-11, `one pass: ${off(1)}`);
  t.ok(off(2) < 1e-13, `two passes: ${off(2)}`);
});
