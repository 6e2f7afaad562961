// The records of a file as they are, of whatever shape; for edits that touch many.
import { type Bench, textOf } from "./bench.js";

// biome-ignore lint/suspicious/noExplicitAny: records here may be of any shape, also of none that a schema allows
export type Rows = any[];

/** The records of a file, none when it is not there. */
export const rowsOf = (bench: Bench, path: string): Rows =>
  bench.files.has(path) ? bench.lines(path).map((line) => JSON.parse(line.toString("utf8"))) : [];

export const putRows = (bench: Bench, path: string, rows: Rows): void =>
  bench.putLines(
    path,
    rows.map((row) => Buffer.from(textOf(row))),
  );
