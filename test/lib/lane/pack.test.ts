import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import JSZip from "jszip";
import t from "tap";
import { list } from "tar";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { FolderSource } from "../../../lib/io/folder-source.js";
import { MemorySource } from "../../../lib/io/memory-source.js";
import { readWhole } from "../../../lib/io/source.js";
import { openArchive } from "../../../lib/lane/archive-source.js";
import { packLane, unpackLane } from "../../../lib/lane/pack.js";
import { digestsBelow, digestsOf, LONG_PATH, laneOf, noise, smallLane, tinyLane, writeFolder } from "./small-lane.js";

const NAMES = ["lane.tar", "lane.tar.gz", "lane.tgz", "lane.zip"];

for (const name of NAMES) {
  t.test(`${name}: a lane comes back as it was`, async (t) => {
    const folder = t.testdir();
    const lane = smallLane();
    const archive = join(folder, name);
    const steps: [number, number][] = [];
    const packed = await packLane(new MemorySource(lane), archive, { onProgress: (...step) => steps.push(step) });
    t.equal(packed.format, name.endsWith("gz") ? "tar.gz" : name.slice(5));
    t.equal(packed.bytes, statSync(archive).size);
    t.equal(packed.sha256, sha256Hex(readFileSync(archive)));
    t.ok(steps.every(([done, total], index) => done <= total && done > (steps[index - 1]?.[0] ?? 0)));
    t.equal(steps.at(-1)![0], steps.at(-1)![1]);

    const source = await openArchive(archive);
    t.equal(source.format, packed.format);
    t.same(source.entries(), new MemorySource(lane).entries(), "entries are those of the lane, in order of path");
    for (const [path, bytes] of lane) t.ok(readWhole(source, path, 2 ** 22).equals(bytes), path);
    const window = source.open("answers.jsonl");
    const into = Buffer.alloc(64, 0xee);
    t.equal(window.read(into, 990), 10, "a window ends where its file ends");
    t.ok(into.subarray(0, 10).equals(lane.get("answers.jsonl")!.subarray(990)));
    t.equal(into[10], 0xee);
    t.equal(window.read(into, 1000), 0);
    t.equal(window.read(into, 5000), 0);
    t.throws(() => source.open("nothing"), { code: "E_FILE_MISSING" });
    source.close();

    const out = join(folder, "out");
    t.same(await unpackLane(archive, out), {
      files: lane.size,
      bytes: [...lane.values()].reduce((sum, bytes) => sum + bytes.length, 0),
    });
    t.same(digestsBelow(out), digestsOf(lane));
    t.equal(statSync(out).mode & 0o777, 0o700);
    t.same(readdirSync(folder).sort(), [name, "out"], "and nothing else is left");
  });
}

t.test("the archive is a function of the lane", async (t) => {
  const folder = t.testdir();
  const lane = smallLane();
  const one = writeFolder(join(folder, "one"), lane);
  const umask = process.umask(0o077);
  const two = writeFolder(join(folder, "two"), new Map([...lane].reverse()));
  for (const name of NAMES) await packLane(new FolderSource(two), join(folder, `two-${name}`));
  process.umask(umask);
  for (const path of lane.keys()) {
    chmodSync(join(one, path), 0o755);
    utimesSync(join(one, path), 1_000_000_000, 1_000_000_000);
  }
  for (const name of NAMES) {
    await packLane(new FolderSource(one), join(folder, name));
    t.ok(readFileSync(join(folder, name)).equals(readFileSync(join(folder, `two-${name}`))), name);
  }
  const digest = (name: string) => sha256Hex(readFileSync(join(folder, name)));
  t.equal(digest("lane.tar"), "e7339602d0091435d7c4288fa0355f61dbef6d0c07604a9082d21ede1d32b2c2");
  t.equal(digest("lane.zip"), "4af115749829d7e904bf2c26bd6b7c9531626bd19fdd3400120100750a183c96");
  t.equal(sha256Hex(gunzipSync(readFileSync(join(folder, "lane.tgz")))), digest("lane.tar"), "gzip is transport");
  t.equal(readFileSync(join(folder, "lane.tgz")).toString("hex", 0, 10), "1f8b08000000000000ff");
});

t.test("independent tools read the same files and write the same bytes", async (t) => {
  const folder = t.testdir();
  const lane = smallLane();
  t.equal(LONG_PATH.length, 100);
  for (const name of NAMES) await packLane(new MemorySource(lane), join(folder, name));

  for (const name of ["lane.tar", "lane.tgz"]) {
    t.test(`node-tar, ${name}`, async (t) => {
      const found = new Map<string, Buffer>();
      const order: string[] = [];
      await list({
        file: join(folder, name),
        strict: true,
        onReadEntry: (entry) => {
          const chunks: Buffer[] = [];
          order.push(entry.path);
          t.equal(entry.type, "File");
          t.match(entry, { mode: 0o644, uid: 0, gid: 0, uname: "", gname: "", mtime: new Date(0) });
          entry.on("data", (chunk: Buffer) => chunks.push(chunk));
          entry.on("end", () => found.set(entry.path, Buffer.concat(chunks)));
        },
      });
      t.same(order, [...lane.keys()]);
      t.same(digestsOf(found), digestsOf(lane));
    });
  }

  t.test("jszip", async (t) => {
    const zip = await JSZip.loadAsync(readFileSync(join(folder, "lane.zip")), { checkCRC32: true });
    const found = new Map<string, Buffer>();
    for (const path of Object.keys(zip.files)) found.set(path, await zip.file(path)!.async("nodebuffer"));
    t.same([...found.keys()], [...lane.keys()]);
    t.same(digestsOf(found), digestsOf(lane));
  });

  const says = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: "utf8" }).stdout ?? "";
  const absent = (is: boolean, what: string) => (is ? {} : { skip: `${what} is not on this machine` });

  t.test("GNU tar", absent(says("tar", "--version").includes("GNU tar"), "GNU tar"), async (t) => {
    for (const name of ["lane.tar", "lane.tgz"]) {
      const out = join(folder, `gnu-${name}`);
      mkdirSync(out);
      t.equal(execFileSync("tar", ["-xf", join(folder, name), "-C", out], { encoding: "utf8" }), "");
      t.same(digestsBelow(out), digestsOf(lane));
    }
    const written = execFileSync(
      "tar",
      [
        ..."--format=ustar --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=0644 --blocking-factor=1".split(" "),
        ...["-cf", "-", "-C", join(folder, "gnu-lane.tar"), ...lane.keys()],
      ],
      { maxBuffer: 2 ** 24 },
    );
    t.ok(written.equals(readFileSync(join(folder, "lane.tar"))));
  });

  t.test("Info-ZIP unzip", absent(says("unzip", "-v").includes("Info-ZIP"), "unzip"), async (t) => {
    const out = join(folder, "info-zip");
    t.match(execFileSync("unzip", ["-t", join(folder, "lane.zip")], { encoding: "utf8" }), /No errors detected/);
    execFileSync("unzip", ["-q", join(folder, "lane.zip"), "-d", out]);
    t.same(digestsBelow(out), digestsOf(lane));
  });

  t.test("Python zipfile and tarfile", absent(says("python3", "--version") !== "", "python3"), async (t) => {
    const script = `
import hashlib, io, json, sys, tarfile, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
tars = [tarfile.open(name) for name in sys.argv[2:]]
sha = lambda b: hashlib.sha256(b).hexdigest()
copy = io.BytesIO()
with zipfile.ZipFile(copy, "w") as c:
    for n in z.namelist():
        info = zipfile.ZipInfo(n)
        info.create_system = 0
        c.writestr(info, z.read(n))
        info.external_attr = 0
assert copy.getvalue() == open(sys.argv[1], "rb").read()
print(json.dumps([[[n, sha(z.read(n))] for n in z.namelist()]]
    + [[[m.name, sha(t.extractfile(m).read())] for m in t.getmembers()] for t in tars]))`;
    const files = ["lane.zip", "lane.tar", "lane.tgz"].map((name) => join(folder, name));
    const inOrder = [...lane].map(([path, bytes]) => [path, sha256Hex(bytes)]);
    t.same(JSON.parse(execFileSync("python3", ["-c", script, ...files], { encoding: "utf8" })), [
      inOrder,
      inOrder,
      inOrder,
    ]);
  });
});

t.test("a folder that is not what its manifest says is not packed", async (t) => {
  const dir = t.testdir();
  const change = (edit: (lane: Map<string, Buffer>) => unknown) => {
    const lane = tinyLane();
    edit(lane);
    return new MemorySource(lane);
  };
  const cases: [string, MemorySource, string][] = [
    ["a changed byte", change((lane) => lane.set("a.jsonl", noise("z", 33))), "E_DIGEST"],
    ["a file too long", change((lane) => lane.set("a.jsonl", noise("a", 34))), "E_SIZE"],
    ["a file too short", change((lane) => lane.set("a.jsonl", noise("a", 32))), "E_SIZE"],
    ["a missing file", change((lane) => lane.delete("b/c.jsonl")), "E_FILE_MISSING"],
    ["a file too many", change((lane) => lane.set("b/d.jsonl", Buffer.alloc(0))), "E_FILE_EXTRA"],
    ["no manifest", change((lane) => lane.delete("manifest.json")), "E_MANIFEST_MISSING"],
    ["no envelope", change((lane) => lane.delete("manifest.dsse.json")), "E_SIGNATURE_MISSING"],
    ["another version", new MemorySource(laneOf(new Map(), { schema: "sealane-manifest/2" })), "E_VERSION"],
  ];
  for (const [title, source, code] of cases) {
    for (const name of NAMES) await t.rejects(packLane(source, join(dir, name)), { code }, `${title}: ${name}`);
  }
  const folder = writeFolder(join(t.testdirName, "linked"), tinyLane());
  symlinkSync("a.jsonl", join(folder, "link"));
  await t.rejects(packLane(new FolderSource(folder), join(dir, "lane.tar")), { code: "E_NOT_REGULAR" });
  t.same(readdirSync(dir), ["linked"], "nothing is left behind");
});

t.test("a file that changes while it is packed", async (t) => {
  const dir = t.testdir();
  for (const name of NAMES) {
    const lane = tinyLane();
    const source = new MemorySource(lane);
    const late = (done: number) => {
      if (done > 512) lane.set("b/c.jsonl", noise("other", 700));
    };
    await t.rejects(packLane(source, join(dir, name), { onProgress: late }), { code: "E_DIGEST" }, name);
  }
  t.same(readdirSync(dir), []);
});

t.test("nothing is overwritten", async (t) => {
  const dir = t.testdir({ "lane.tar": "mine", folder: {}, linked: t.fixture("symlink", "nowhere") });
  const source = new MemorySource(tinyLane());
  await t.rejects(packLane(source, join(dir, "lane.tar")), { code: "E_EXISTS" });
  await t.rejects(packLane(source, join(dir, "lane.rar")), { code: "E_FORMAT" });
  await t.resolves(packLane(source, join(dir, "made", "lane.tar")), "folders above are made");
  await t.rejects(packLane(source, join(dir, "lane.tar", "lane.tar")), { code: "E_IO" });
  t.equal(readFileSync(join(dir, "lane.tar"), "utf8"), "mine");

  const late = () => existsSync(join(dir, "late.zip")) || writeFileSync(join(dir, "late.zip"), "mine");
  await t.rejects(packLane(source, join(dir, "late.zip"), { onProgress: late }), { code: "E_EXISTS" });
  t.equal(readFileSync(join(dir, "late.zip"), "utf8"), "mine");

  await packLane(source, join(dir, "good.tar"));
  for (const out of ["folder", "linked", "lane.tar"]) {
    await t.rejects(unpackLane(join(dir, "good.tar"), join(dir, out)), { code: "E_EXISTS" }, out);
  }
  const filled = () => writeFolder(join(dir, "filled"), new Map([["x", Buffer.alloc(1)]]));
  await t.rejects(unpackLane(join(dir, "good.tar"), join(dir, "filled"), { onProgress: filled }), { code: "E_EXISTS" });
  await t.resolves(unpackLane(join(dir, "good.tar"), join(dir, "made", "out")), "folders above are made");
  t.same(readdirSync(dir).sort(), ["filled", "folder", "good.tar", "lane.tar", "late.zip", "linked", "made"]);
});

t.test("limits", async (t) => {
  const dir = t.testdir();
  const zeros = new MemorySource(laneOf(new Map([["a", Buffer.alloc(2 ** 26)]])));
  await t.rejects(packLane(zeros, join(dir, "a.tgz")), { code: "E_LIMIT" }, "gzip that would not be read again");
  const many = new Map(Array.from({ length: 10_001 }, (_, i) => [`f${10_000 + i}`, Buffer.alloc(0)] as const));
  await t.rejects(packLane(new MemorySource(laneOf(many)), join(dir, "a.tar")), { code: "E_LIMIT" });
  t.same(readdirSync(dir), []);
});
