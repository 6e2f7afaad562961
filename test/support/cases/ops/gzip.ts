// Edits of the gzip wrapper around a tar, beside those of its bytes.
import { gunzipSync, gzipSync } from "node:zlib";
import { BESIDE } from "../bench.js";
import { EDITS, INTEGER, op, optional } from "../op.js";

export const GZIP_OPS = {
  /** Edits the tar inside, and wraps it again; at a level of deflate, 9 unless said. */
  "gzip.inside": op({ edits: optional(EDITS), level: optional(INTEGER) }, (bench, { edits, level = 9 }) => {
    bench.files.set(BESIDE.archive, gunzipSync(bench.bytes(BESIDE.archive)));
    bench.run(edits);
    bench.files.set(BESIDE.archive, gzipSync(bench.bytes(BESIDE.archive), { level }));
  }),
  /** Wraps the archive, whatever it is, in one more gzip member. */
  "gzip.wrap": op({}, (bench) => {
    bench.files.set(BESIDE.archive, gzipSync(bench.bytes(BESIDE.archive), { level: 9 }));
  }),
} as const;
