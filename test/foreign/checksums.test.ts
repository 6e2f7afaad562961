// Lists of digests: GNU sha256sum reads ours, and a BagIt checker that knows nothing of sealane reads our bags.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { exportLane } from "../../lib/export/index.js";
import { FolderSource } from "../../lib/io/folder-source.js";
import { laneOnDisk, tool } from "../support/foreign.js";

const { lane, file } = await laneOnDisk(t.testdir());
const source = () => new FolderSource(lane);

const sha256sum = tool("sha256sum", ["--version"], /sha256sum \(GNU coreutils\) [\d.]+/);

t.test("sha256sum -c", { skip: sha256sum.skip }, async (t) => {
  t.comment(sha256sum.version);
  const out = file("lane.sha256");
  await exportLane(source(), { format: "sha256sum", inputs: {}, name: "lane", out });
  const check = (folder: string) => sha256sum.run(["-c", "--strict", out], { cwd: folder });
  const good = check(lane);
  t.ok(good.ok, good.said);
  t.equal(good.said.match(/: OK$/gm)?.length, source().entries().length, "every file of the lane");
  const twin = file("twin");
  cpSync(lane, twin, { recursive: true });
  writeFileSync(join(twin, "answers.jsonl"), "{}\n");
  t.notOk(check(twin).ok, "a file changed");
  rmSync(join(twin, "answers.jsonl"));
  t.notOk(check(twin).ok, "a file gone");
});

/**
 * A checker of bags after RFC 8493, in another language: declaration, payload and tag manifests in both directions, the
 * Payload-Oxum. Ends with 0 and "valid", or with 1 and what is wrong.
 */
const CHECKER = String.raw`
import hashlib, os, re, sys
bag = sys.argv[1]
def fail(why):
    print("invalid: " + why)
    sys.exit(1)
def read(name):
    with open(os.path.join(bag, name), "rb") as f:
        return f.read()
def digest(name):
    path = os.path.join(bag, name)
    if not os.path.isfile(path) or os.path.islink(path):
        fail("no file " + name)
    return hashlib.sha256(read(name)).hexdigest()
def lines(name):
    text = read(name).decode("utf-8", "strict")
    if text.startswith("\ufeff") or not text.endswith("\n"):
        fail(name + " is no tag file")
    return text[:-1].split("\n")
if lines("bagit.txt") != ["BagIt-Version: 1.0", "Tag-File-Character-Encoding: UTF-8"]:
    fail("bagit.txt")
def manifest(name):
    listed = {}
    for line in lines(name):
        match = re.fullmatch(r"([0-9a-f]{64}) +(\S+)", line)
        if not match:
            fail(name + ": " + line)
        sha, path = match.groups()
        if path in listed or path.startswith("/") or ".." in path.split("/"):
            fail(name + ": " + path)
        listed[path] = sha
        if digest(path) != sha:
            fail(path)
    return listed
payload = manifest("manifest-sha256.txt")
tags = manifest("tagmanifest-sha256.txt")
there = set()
octets = 0
for folder, _, names in os.walk(bag):
    for name in names:
        path = os.path.relpath(os.path.join(folder, name), bag).replace(os.sep, "/")
        there.add(path)
        if path.startswith("data/"):
            octets += os.path.getsize(os.path.join(bag, path))
if {path for path in there if path.startswith("data/")} != set(payload):
    fail("payload files")
if {path for path in there if not path.startswith("data/")} - {"tagmanifest-sha256.txt"} != set(tags):
    fail("tag files")
info = [line.partition(": ")[::2] for line in lines("bag-info.txt")]
if dict(info).get("Payload-Oxum") != "%d.%d" % (octets, len(payload)):
    fail("Payload-Oxum")
print("valid", dict(info).get("Bagging-Date"))
`;

const python = tool("python3", ["--version"], /Python 3[\d.]+/);

t.test("a BagIt checker", { skip: python.skip }, async (t) => {
  t.comment(python.version);
  writeFileSync(file("check.py"), CHECKER);
  const check = (bag: string) => python.run([file("check.py"), bag]);
  const bag = file("bag");
  await exportLane(source(), { format: "bagit", inputs: {}, name: "lane", out: bag });
  t.match(check(bag), { ok: true, said: "valid None" });
  const dated = file("dated");
  await exportLane(source(), {
    format: "bagit",
    inputs: { time: "2026-01-02T15:04:05Z" },
    name: "lane",
    out: dated,
  });
  t.match(check(dated), { ok: true, said: "valid 2026-01-02" });

  const twin = file("twin-bag");
  for (const [name, harm] of [
    ["a payload file changed", () => writeFileSync(join(twin, "data/answers.jsonl"), "{}\n")],
    ["a payload file gone", () => rmSync(join(twin, "data/answers.jsonl"))],
    ["a payload file more", () => writeFileSync(join(twin, "data/more"), "")],
    ["a tag file changed", () => writeFileSync(join(twin, "bag-info.txt"), "Payload-Oxum: 1.1\n")],
    [
      "a payload file changed, and its line",
      () => {
        writeFileSync(join(twin, "data/answers.jsonl"), "");
        const list = readFileSync(join(twin, "manifest-sha256.txt"), "utf8");
        const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        writeFileSync(join(twin, "manifest-sha256.txt"), list.replace(/[0-9a-f]{64}(?= {2}data\/answers)/, empty));
      },
    ],
  ] as const) {
    rmSync(twin, { recursive: true, force: true });
    cpSync(bag, twin, { recursive: true });
    harm();
    t.match(check(twin), { ok: false, said: "invalid" }, name);
  }
});
