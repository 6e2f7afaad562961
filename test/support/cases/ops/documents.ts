// Edits of canonical documents and of record files: what they say, written again in canonical form.
import { type Bench, type Json, textOf, valueAt, withValue } from "../bench.js";
import { FLAG, INTEGER, op, optional, PATH, POINTER, TEXT, VALUE, WHICH } from "../op.js";
import { resolved } from "../values.js";

const changeDocument = (bench: Bench, file: string, change: (document: Json) => Json): void =>
  bench.put(file, change(bench.document(file)));

/** Changes chosen lines; the others keep their bytes. */
function changeRecords(bench: Bench, file: string, which: number | string, change: (record: Json) => Json): void {
  const lines = bench.lines(file);
  for (const index of bench.places(file, which)) {
    lines[index] = Buffer.from(textOf(change(JSON.parse(lines[index]!.toString("utf8")) as Json)));
  }
  bench.putLines(file, lines);
}

const added = (document: Json, pointer: string, by: number): Json =>
  withValue(document, pointer, (valueAt(document, pointer) as number) + by);

function replaced(document: Json, pointer: string, find: string, text: string): Json {
  const before = valueAt(document, pointer) as string;
  if (!before.includes(find)) throw new Error(`${pointer} does not hold ${JSON.stringify(find)}`);
  return withValue(document, pointer, before.split(find).join(text));
}

function listAt(document: Json, pointer: string): Json[] {
  const list = valueAt(document, pointer);
  if (!Array.isArray(list)) throw new Error(`${pointer} is no list`);
  return list;
}

const at = (list: readonly unknown[], index: number): number => (index < 0 ? list.length + index : index);

export const DOCUMENT_OPS = {
  "document.set": op({ file: PATH, pointer: POINTER, value: VALUE }, (bench, { file, pointer, value }) =>
    changeDocument(bench, file, (document) => withValue(document, pointer, resolved(value, bench))),
  ),
  "document.remove": op({ file: PATH, pointer: POINTER }, (bench, { file, pointer }) =>
    changeDocument(bench, file, (document) => withValue(document, pointer, undefined)),
  ),
  "document.add": op({ file: PATH, pointer: POINTER, by: VALUE }, (bench, { file, pointer, by }) =>
    changeDocument(bench, file, (document) => added(document, pointer, by as number)),
  ),
  /** Text in a text. */
  "document.replace": op(
    { file: PATH, pointer: POINTER, find: TEXT, text: VALUE },
    (bench, { file, pointer, find, text }) =>
      changeDocument(bench, file, (document) => replaced(document, pointer, find, resolved(text, bench) as string)),
  ),
  /** One more item of a list, before the place named; at its end when negative. */
  "document.insert": op(
    { file: PATH, pointer: POINTER, index: INTEGER, value: VALUE },
    (bench, { file, pointer, index, value }) =>
      changeDocument(bench, file, (document) => {
        const list = listAt(document, pointer);
        list.splice(index < 0 ? list.length : index, 0, resolved(value, bench));
        return document;
      }),
  ),
  "document.swap": op(
    { file: PATH, pointer: POINTER, one: INTEGER, other: INTEGER },
    (bench, { file, pointer, one, other }) =>
      changeDocument(bench, file, (document) => {
        const list = listAt(document, pointer);
        const [first, second] = [at(list, one), at(list, other)];
        [list[first], list[second]] = [list[second]!, list[first]!];
        return document;
      }),
  ),
  "document.reverse": op({ file: PATH, pointer: POINTER }, (bench, { file, pointer }) =>
    changeDocument(bench, file, (document) => {
      listAt(document, pointer).reverse();
      return document;
    }),
  ),
  "record.set": op(
    { file: PATH, which: WHICH, pointer: POINTER, value: VALUE },
    (bench, { file, which, pointer, value }) =>
      changeRecords(bench, file, which, (record) => withValue(record, pointer, resolved(value, bench))),
  ),
  /** Takes a member away. */
  "record.remove": op({ file: PATH, which: WHICH, pointer: POINTER }, (bench, { file, which, pointer }) =>
    changeRecords(bench, file, which, (record) => withValue(record, pointer, undefined)),
  ),
  "record.add": op({ file: PATH, which: WHICH, pointer: POINTER, by: VALUE }, (bench, { file, which, pointer, by }) =>
    changeRecords(bench, file, which, (record) => added(record, pointer, by as number)),
  ),
  "record.replace": op(
    { file: PATH, which: WHICH, pointer: POINTER, find: TEXT, text: VALUE },
    (bench, { file, which, pointer, find, text }) =>
      changeRecords(bench, file, which, (record) => replaced(record, pointer, find, resolved(text, bench) as string)),
  ),
  /** Takes a whole record away. */
  "record.delete": op({ file: PATH, which: WHICH }, (bench, { file, which }) => {
    const gone = new Set(bench.places(file, which));
    bench.putLines(
      file,
      bench.lines(file).filter((_, index) => !gone.has(index)),
    );
  }),
  /** One more record, before the line named; at the end when negative. */
  "record.insert": op({ file: PATH, line: INTEGER, record: VALUE }, (bench, { file, line, record }) => {
    const lines = bench.lines(file);
    lines.splice(line < 0 ? lines.length : line - 1, 0, Buffer.from(textOf(resolved(record, bench))));
    bench.putLines(file, lines);
  }),
  /** A record once more, after itself or before the line named. */
  "record.duplicate": op({ file: PATH, which: WHICH, line: optional(INTEGER) }, (bench, { file, which, line }) => {
    const lines = bench.lines(file);
    const index = bench.place(file, which);
    lines.splice(line === undefined ? index + 1 : line < 0 ? lines.length : line - 1, 0, lines[index]!);
    bench.putLines(file, lines);
  }),
  /** Two records, with `keep_id` all but their question ids, in each other's place. */
  "record.swap": op(
    { file: PATH, one: WHICH, other: WHICH, keep_id: optional(FLAG) },
    (bench, { file, one, other, keep_id = false }) => {
      const lines = bench.lines(file);
      const [first, second] = [bench.place(file, one), bench.place(file, other)];
      [lines[first], lines[second]] = [lines[second]!, lines[first]!];
      if (keep_id) {
        const [here, there] = [lines[first]!, lines[second]!].map((line) => JSON.parse(line.toString("utf8")) as Json);
        const ids = [valueAt(here!, "/question_id"), valueAt(there!, "/question_id")];
        lines[first] = Buffer.from(textOf(withValue(here!, "/question_id", ids[1]!)));
        lines[second] = Buffer.from(textOf(withValue(there!, "/question_id", ids[0]!)));
      }
      bench.putLines(file, lines);
    },
  ),
  /** Moves a record before another line. */
  "record.move": op({ file: PATH, which: WHICH, line: INTEGER }, (bench, { file, which, line }) => {
    const lines = bench.lines(file);
    const [moved] = lines.splice(bench.place(file, which), 1);
    lines.splice(line < 0 ? lines.length : line - 1, 0, moved!);
    bench.putLines(file, lines);
  }),
} as const;
