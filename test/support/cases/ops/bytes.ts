// Edits of a file's bytes, whatever they mean.
import { BYTES, INTEGER, op, optional, PATH, PLACE } from "../op.js";
import { bytesOf, offsetOf } from "../values.js";

export const BYTE_OPS = {
  /** Puts bytes over those that stand at a place. */
  "bytes.write": op({ file: PATH, at: PLACE, bytes: BYTES }, (bench, { file, at, bytes }) => {
    const before = Buffer.from(bench.bytes(file));
    const put = bytesOf(bytes, bench);
    const offset = offsetOf(at, before, bench);
    bench.files.set(file, Buffer.concat([before.subarray(0, offset), put, before.subarray(offset + put.length)]));
  }),
  /** Puts other bytes in every place where some are found. */
  "bytes.replace-all": op({ file: PATH, find: BYTES, bytes: BYTES }, (bench, { file, find, bytes }) => {
    const before = bench.bytes(file).toString("latin1");
    const wanted = bytesOf(find, bench).toString("latin1");
    if (!before.includes(wanted)) throw new Error(`nowhere in the file stands ${JSON.stringify(find)}`);
    const after = before.replaceAll(wanted, () => bytesOf(bytes, bench).toString("latin1"));
    bench.files.set(file, Buffer.from(after, "latin1"));
  }),
  /** Puts other bytes in the place of the first ones found. */
  "bytes.replace": op({ file: PATH, find: BYTES, bytes: BYTES }, (bench, { file, find, bytes }) => {
    const before = bench.bytes(file);
    const wanted = bytesOf(find, bench);
    const at = offsetOf({ find }, before, bench);
    const after = before.subarray(at + wanted.length);
    bench.files.set(file, Buffer.concat([before.subarray(0, at), bytesOf(bytes, bench), after]));
  }),
  "bytes.insert": op({ file: PATH, at: PLACE, bytes: BYTES }, (bench, { file, at, bytes }) => {
    const before = bench.bytes(file);
    const offset = offsetOf(at, before, bench);
    const put = bytesOf(bytes, bench);
    bench.files.set(file, Buffer.concat([before.subarray(0, offset), put, before.subarray(offset)]));
  }),
  "bytes.delete": op({ file: PATH, at: PLACE, count: INTEGER }, (bench, { file, at, count }) => {
    const before = bench.bytes(file);
    const offset = offsetOf(at, before, bench);
    bench.files.set(file, Buffer.concat([before.subarray(0, offset), before.subarray(offset + count)]));
  }),
  "bytes.append": op({ file: PATH, bytes: BYTES }, (bench, { file, bytes }) => {
    bench.files.set(file, Buffer.concat([bench.bytes(file), bytesOf(bytes, bench)]));
  }),
  "bytes.prepend": op({ file: PATH, bytes: BYTES }, (bench, { file, bytes }) => {
    bench.files.set(file, Buffer.concat([bytesOf(bytes, bench), bench.bytes(file)]));
  }),
  /** Cuts a file at a place; from the end when negative. */
  "bytes.truncate": op({ file: PATH, at: PLACE }, (bench, { file, at }) => {
    const before = bench.bytes(file);
    bench.files.set(file, before.subarray(0, offsetOf(at, before, bench)));
  }),
  /** Turns one bit, 0 (least) unless said. */
  "bytes.flip": op({ file: PATH, at: PLACE, bit: optional(INTEGER) }, (bench, { file, at, bit = 0 }) => {
    const bytes = Buffer.from(bench.bytes(file));
    bytes[offsetOf(at, bytes, bench)]! ^= 1 << bit;
    bench.files.set(file, bytes);
  }),
} as const;
