// A sparse matrix by rows, and what subspace iteration asks of it. Dense blocks are row-major: `width` numbers a row.

/** One row: columns in order, and their values. */
export interface SparseRow {
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/** rows × block: a block of one row for each sparse row. */
export function times(rows: readonly SparseRow[], block: Float64Array, width: number): Float64Array {
  const product = new Float64Array(rows.length * width);
  for (const [row, { columns, values }] of rows.entries()) {
    const to = row * width;
    for (let entry = 0; entry < columns.length; entry += 1) {
      const from = columns[entry]! * width;
      const value = values[entry]!;
      for (let i = 0; i < width; i += 1) product[to + i]! += value * block[from + i]!;
    }
  }
  return product;
}

/** The transpose of rows × block: a block of one row for each of `size` columns. */
export function transposedTimes(
  rows: readonly SparseRow[],
  size: number,
  block: Float64Array,
  width: number,
): Float64Array {
  const product = new Float64Array(size * width);
  for (const [row, { columns, values }] of rows.entries()) {
    const from = row * width;
    for (let entry = 0; entry < columns.length; entry += 1) {
      const to = columns[entry]! * width;
      const value = values[entry]!;
      for (let i = 0; i < width; i += 1) product[to + i]! += value * block[from + i]!;
    }
  }
  return product;
}

/** A pivot of at most this share of its column's squared length means that the column follows from those before it. */
const DEPENDENT = 1e-10;

/**
 * Makes the columns of a row-major block orthonormal in place, by the Cholesky factor of its Gram matrix; a column that follows
 * from those before it becomes zero. One pass leaves an error that grows with the columns' likeness, a second one takes
 * it away (Yamamoto and others 2015, "Roundoff error analysis of the CholeskyQR2 algorithm").
 */
export function orthonormalise(block: Float64Array, width: number, passes: 1 | 2): void {
  for (let pass = 0; pass < passes; pass += 1) {
    const factor = choleskyOfGram(block, width);
    const pivots = Float64Array.from({ length: width }, (_, j) => factor[j * width + j]!);
    for (let at = 0; at < block.length; at += width) {
      // Solves x · factor = row, where factor is upper triangular.
      for (let j = 0; j < width; j += 1) {
        const x = pivots[j] === 0 ? 0 : block[at + j]! / pivots[j]!;
        block[at + j] = x;
        if (x !== 0) for (let k = j + 1; k < width; k += 1) block[at + k]! -= x * factor[j * width + k]!;
      }
    }
  }
}

/** Upper triangle of BlockᵀBlock. Rows are added four at a time, which halves the work of memory. */
function upperGram(block: Float64Array, width: number): Float64Array {
  const gram = new Float64Array(width * width);
  const four = 4 * width;
  const whole = block.length - (block.length % four);
  for (let at = 0; at < whole; at += four) {
    for (let j = 0; j < width; j += 1) {
      const a = block[at + j]!;
      const b = block[at + width + j]!;
      const c = block[at + 2 * width + j]!;
      const d = block[at + 3 * width + j]!;
      for (let k = j; k < width; k += 1) {
        const from = at + k;
        gram[j * width + k]! +=
          a * block[from]! + b * block[from + width]! + (c * block[from + 2 * width]! + d * block[from + 3 * width]!);
      }
    }
  }
  for (let at = whole; at < block.length; at += width) {
    for (let j = 0; j < width; j += 1) {
      const x = block[at + j]!;
      for (let k = j; k < width; k += 1) gram[j * width + k]! += x * block[at + k]!;
    }
  }
  return gram;
}

/** Upper triangular R with RᵀR = BlockᵀBlock; the row of a dependent column is zero. */
function choleskyOfGram(block: Float64Array, width: number): Float64Array {
  const gram = upperGram(block, width);
  const lengths = Float64Array.from({ length: width }, (_, j) => gram[j * width + j]!);
  for (let j = 0; j < width; j += 1) {
    const row = j * width;
    const pivot = gram[row + j]!;
    if (!(pivot > DEPENDENT * lengths[j]!)) {
      gram.fill(0, row + j, row + width);
      continue;
    }
    const root = Math.sqrt(pivot);
    for (let k = j; k < width; k += 1) gram[row + k]! /= root;
    for (let i = j + 1; i < width; i += 1) {
      const factor = gram[row + i]!;
      if (factor !== 0) for (let k = i; k < width; k += 1) gram[i * width + k]! -= factor * gram[row + k]!;
    }
  }
  return gram;
}
