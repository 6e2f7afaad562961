import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import t from "tap";
import type { SealaneError } from "../../../lib/finding.js";
import { packageRoot } from "../../../lib/io/package-root.js";
import { TAR, ZIP } from "../../../lib/lane/archive-layout.js";
import { openArchive } from "../../../lib/lane/archive-source.js";
import { unpackLane } from "../../../lib/lane/pack.js";
import { archiveOf, contents, refuse, refuseAll, temporary } from "./refusals.js";
import { noise, tinyLane } from "./small-lane.js";

const tar = archiveOf(TAR, tinyLane());
const zip = archiveOf(ZIP, tinyLane());

for (const [name, archive, code] of [
  ["tiny.tar", tar, "E_TAR_BYTES"],
  ["tiny.zip", zip, "E_ZIP_BYTES"],
] as const) {
  t.test(`${name}: every bit of every byte that is not content`, async (t) => {
    const file = join(t.testdir({ [name]: archive }), name);
    const [manifest, ...others] = contents(archive, tinyLane());
    const descriptor = openSync(file, "r+");
    const codesFor = async (position: number) => {
      const codes = new Set<string>();
      for (let bit = 0; bit < 8; bit += 1) {
        writeSync(descriptor, Buffer.of(archive[position]! ^ (1 << bit)), 0, 1, position);
        codes.add(
          await openArchive(file).then(
            () => "accepted",
            (error: SealaneError) => error.code,
          ),
        );
      }
      writeSync(descriptor, archive, position, 1, position);
      return codes;
    };
    let examined = 0;
    const wrong: [number, string[]][] = [];
    const inManifest = new Set<string>();
    for (let position = 0; position < archive.length; position += 1) {
      if (others.some(([start, end]) => position >= start && position < end)) continue;
      const codes = await codesFor(position);
      examined += 1;
      if (position >= manifest![0] && position < manifest![1]) for (const code of codes) inManifest.add(code);
      else if (codes.size !== 1 || !codes.has(code)) wrong.push([position, [...codes]]);
    }
    t.same(wrong, [], "each is refused as what it is");
    t.equal(examined, archive.length - others.reduce((sum, [start, end]) => sum + end - start, 0));
    const allowed = ["E_UTF8", "E_JSON", "E_JSON_CANON", "E_SCHEMA", "E_PATH", "E_VERSION", code];
    allowed.push("E_INT", "E_ID", "E_DIGEST_FORMAT", "E_ALG");
    // In a tar, nothing but the signature covers a changed word of the manifest: there it may well be accepted.
    if (code === "E_TAR_BYTES") allowed.push("accepted");
    t.same(
      [...inManifest].filter((found) => !allowed.includes(found)),
      [],
    );
    (await openArchive(file)).close();
    closeSync(descriptor);
  });
}

t.test("where an archive differs is told", async (t) => {
  const file = join(t.testdir(), "lane.tar");
  const position = tar.indexOf("a.jsonl", 512 + contents(tar, tinyLane())[1]![0]);
  const changed = Buffer.from(tar);
  changed.write("b", position);
  writeFileSync(file, changed);
  await t.rejects(openArchive(file), {
    code: "E_TAR_BYTES",
    at: `lane.tar@${position}`,
    expected: `${Buffer.from("a.jsonl").toString("hex")}${"00".repeat(9)}`,
    found: `${Buffer.from("b.jsonl").toString("hex")}${"00".repeat(9)}`,
  });
  writeFileSync(file, tar.subarray(0, tar.length - 5));
  await t.rejects(openArchive(file), {
    code: "E_TAR_BYTES",
    at: `lane.tar@${tar.length - 5}`,
    expected: "0000000000",
    found: "the end",
  });
  writeFileSync(file, Buffer.concat([tar, Buffer.from("PK")]));
  await t.rejects(openArchive(file), {
    code: "E_TAR_BYTES",
    at: `lane.tar@${tar.length}`,
    expected: "the end",
    found: "504b",
  });
});

t.test("changed content", async (t) => {
  const dir = t.testdir();
  const [, , a] = contents(tar, tinyLane());
  const changed = Buffer.from(tar);
  changed[a![0]]! ^= 1;
  writeFileSync(join(dir, "lane.tar"), changed);
  (await openArchive(join(dir, "lane.tar"))).close();
  await t.rejects(unpackLane(join(dir, "lane.tar"), join(dir, "out")), { code: "E_DIGEST", at: "a.jsonl" });
  writeFileSync(join(dir, "lane.tgz"), gzipSync(changed));
  await t.rejects(unpackLane(join(dir, "lane.tgz"), join(dir, "out")), { code: "E_DIGEST", at: "a.jsonl" });
  const lane = tinyLane().set("a.jsonl", noise("other", 33));
  writeFileSync(join(dir, "lane.zip"), archiveOf(ZIP, lane));
  await t.rejects(unpackLane(join(dir, "lane.zip"), join(dir, "out")), { code: "E_DIGEST", at: "a.jsonl" });
  t.same(readdirSync(dir).sort(), ["lane.tar", "lane.tgz", "lane.zip"]);
  t.same(readdirSync(temporary), []);
});

t.test("not an archive of a lane at all", async (t) => {
  await refuseAll(t, "lane.tar.gz", [
    ["nothing", Buffer.alloc(0), "E_FORMAT"],
    ["zeros", Buffer.alloc(4096), "E_FORMAT"],
    ["noise", noise("random", 4096), "E_FORMAT"],
    ["a text", Buffer.from("manifest.json"), "E_FORMAT"],
    ...["28b52ffd", "fd377a585a00", "425a6839", "377abcaf271c", "04224d18", "526172211a07"].map(
      (magic) => [`magic ${magic}`, Buffer.concat([Buffer.from(magic, "hex"), tar]), "E_FORMAT"] as const,
    ),
  ]);
  const dir = t.testdir({ folder: {} });
  writeFileSync(join(dir, "lane.tar"), tar);
  symlinkSync("lane.tar", join(dir, "link.tar"));
  await refuse(t, join(dir, "absent.tar"), "E_MISSING", "no file");
  await refuse(t, join(dir, "folder"), "E_NOT_REGULAR", "a folder");
  await refuse(t, join(dir, "link.tar"), "E_IO", "a link");
  execFileSync("mkfifo", [join(dir, "pipe.tar")]);
  await refuse(t, join(dir, "pipe.tar"), "E_NOT_REGULAR", "a pipe, without waiting");
});

for (const collection of ["yauzl-zips", "traversal-archives"]) {
  const folder = join(packageRoot(), "..", "shared", "vectors", collection);
  const skip = existsSync(folder) ? {} : { skip: `${folder} is not there` };
  t.test(`third-party files: ${collection}`, skip, async (t) => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const list = () => readdirSync(folder, { recursive: true }).length;
    const before = list();
    t.ok(entries.length > 0);
    t.testdir();
    for (const entry of entries) await refuse(t, join(entry.parentPath, entry.name), undefined, entry.name);
    t.same(readdirSync(t.testdirName), []);
    t.equal(list(), before);
    const zips = entries
      .filter((entry) => /\.zip$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of zips.filter((file) => readFileSync(file).toString("latin1", 0, 4) === "PK\x03\x04")) {
      await t.rejects(openArchive(file), { code: "E_ZIP_BYTES" }, basename(file));
    }
  });
}
