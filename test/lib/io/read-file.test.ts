import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readFile } from "../../../lib/io/read-file.js";

const dir = t.testdir({});
const file = join(dir, "file");

t.test("a file up to the limit, also through a link", async (t) => {
  for (const length of [0, 1, 1000, 70_000, 200_000]) {
    const bytes = Buffer.alloc(length, "é");
    writeFileSync(file, bytes);
    t.strictSame(readFile(file, length), bytes);
    if (length > 0) t.throws(() => readFile(file, length - 1), { code: "E_LIMIT", at: file });
  }
  symlinkSync(file, join(dir, "link"));
  t.equal(readFile(join(dir, "link"), 200_000).length, 200_000);
});

t.test(
  "what has no length beforehand is read no further than the limit",
  { skip: !existsSync("/dev/zero") },
  async (t) => {
    t.throws(() => readFile("/dev/zero", 100_000), { code: "E_LIMIT", at: "/dev/zero" });
    t.equal(readFile("/dev/null", 10).length, 0);
  },
);

t.test("a pipe, as a shell's <(command) gives one", { skip: process.platform === "win32" }, async (t) => {
  const script = `
    import { readFile } from ${JSON.stringify(new URL("../../../lib/io/read-file.js", import.meta.url).href)};
    process.stdout.write(String(readFile("/dev/fd/3", 1000000).length));`;
  const child = spawn("bash", ["-c", `head -c 300000 /dev/zero | node --input-type=module -e '${script}' 3<&0`]);
  let out = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  await new Promise((resolve) => child.on("close", resolve));
  t.equal(out, "300000");
});

t.test("what is not there, or is a folder", async (t) => {
  mkdirSync(join(dir, "folder"));
  t.throws(() => readFile(join(dir, "nothing"), 10), { code: "E_MISSING" });
  t.throws(() => readFile(join(dir, "folder"), 1_000_000), { code: "E_IO" });
});
