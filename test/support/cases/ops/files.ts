// Edits of which files stand in a lane's folder, and of what kind they are.
import { BYTES, INTEGER, oneOf, op, optional, PATH, TEXT } from "../op.js";
import { bytesOf } from "../values.js";

export const FILE_OPS = {
  "file.add": op({ file: PATH, bytes: BYTES }, (bench, { file, bytes }) => {
    bench.files.set(file, bytesOf(bytes, bench));
  }),
  "file.delete": op({ file: PATH }, (bench, { file }) => {
    bench.bytes(file);
    bench.files.delete(file);
  }),
  "file.rename": op({ from: PATH, to: PATH }, (bench, { from, to }) => {
    bench.files.set(to, bench.bytes(from));
    bench.files.delete(from);
  }),
  "file.copy": op({ from: PATH, to: PATH }, (bench, { from, to }) => {
    bench.files.set(to, Buffer.from(bench.bytes(from)));
  }),
  "file.swap": op({ one: PATH, other: PATH }, (bench, { one, other }) => {
    const bytes = bench.bytes(one);
    bench.files.set(one, bench.bytes(other));
    bench.files.set(other, bytes);
  }),
  /** A link where a file stands or where none does; the target is as in ln(1), or a hard link's, in the lane or "outside". */
  "file.link": op(
    { file: PATH, target: TEXT, kind: optional(oneOf("link", "hard-link")) },
    (bench, { file, target, kind = "link" }) => {
      bench.objects.set(file, { kind, target });
    },
  ),
  /** A folder or a named pipe. */
  "file.object": op({ file: PATH, kind: oneOf("folder", "fifo") }, (bench, { file, kind }) => {
    bench.objects.set(file, { kind });
  }),
  /** Permission bits of a file, or of the folder "."; in octal digits. */
  "file.mode": op({ file: PATH, mode: TEXT }, (bench, { file, mode }) => {
    bench.objects.set(`${file}#mode`, { kind: "mode", mode: Number.parseInt(mode, 8) });
  }),
  /** A file of the same byte many times, for what is too large to write down. */
  "file.fill": op({ file: PATH, byte: INTEGER, count: INTEGER }, (bench, { file, byte, count }) => {
    bench.files.set(file, Buffer.alloc(count, byte));
  }),
} as const;
