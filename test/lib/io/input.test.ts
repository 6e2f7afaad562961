import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { bytesInput, chunksOf, type Input, openInput } from "../../../lib/io/input.js";
import { readWhole } from "../../../lib/io/source.js";
import { codeOf } from "../bytes/codes.js";

const dir = t.testdir({ "a.txt": "one two", folder: { "b.txt": "b", deep: { "c.txt": "c" } } });
const at = (path: string): string => join(dir, path);

const contents = ({ source }: Input): [string, string][] =>
  source.entries().map(({ path }) => [path, readWhole(source, path, 100).toString()]);

t.test("a file, a folder, bytes", async (t) => {
  const file = openInput(at("a.txt"));
  t.strictSame([file.kind, file.at, contents(file)], ["file", at("a.txt"), [[at("a.txt"), "one two"]]]);
  t.strictSame(contents(file), [[at("a.txt"), "one two"]], "as often as it is asked for");
  const folder = openInput(at("folder"));
  t.strictSame(
    [folder.kind, contents(folder)],
    [
      "folder",
      [
        ["b.txt", "b"],
        ["deep/c.txt", "c"],
      ],
    ],
  );
  t.strictSame(contents(bytesInput(Buffer.from("x"), "name")), [["name", "x"]]);
});

t.test("links that the user names are followed, special files are not read", async (t) => {
  symlinkSync(at("a.txt"), at("link"));
  symlinkSync(at("folder"), at("link-to-folder"));
  t.strictSame(contents(openInput(at("link"))), [[at("link"), "one two"]]);
  t.equal(openInput(at("link-to-folder")).kind, "folder");
  t.equal(
    codeOf(() => openInput("/dev/null")),
    "E_IO",
  );
  t.equal(
    codeOf(() => openInput(at("nowhere"))),
    "E_MISSING",
  );
  t.equal(
    codeOf(() => openInput(at("a.txt/b"))),
    "E_IO",
  );
});

t.test("chunksOf gives all bytes once, in order, however short the pieces", async (t) => {
  mkdirSync(at("chunks"));
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
  writeFileSync(at("chunks/x"), bytes);
  for (const length of [1, 7, 999, 1000, 1001, 2 ** 20]) {
    const file = openInput(at("chunks")).source.open("x");
    const copies = [...chunksOf(file, length)].length;
    const read = Buffer.concat([
      ...(function* () {
        for (const chunk of chunksOf(file, length)) yield Buffer.from(chunk);
      })(),
    ]);
    file.close();
    t.equal(copies, Math.ceil(1000 / length));
    t.ok(read.equals(bytes), `${length} bytes at a time`);
  }
});
