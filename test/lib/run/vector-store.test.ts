import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { FrozenIndex } from "../../../lib/embedding/frozen.js";
import { semanticIndex } from "../../../lib/embedding/index.js";
import { headerBytes, keyOf, rowBytes } from "../../../lib/embedding/vector-file.js";
import { VectorStore } from "../../../lib/run/vector-store.js";
import type { Vectors } from "../../../schemas/index.js";
import { vectorFor } from "../../support/embedding-server.js";
import { codeOf } from "../../support/runs.js";
import { type Entry, fileOf, IDENTITY, partsOf, written } from "../embedding/vectors.js";

const ENTRIES: readonly Entry[] = [
  { kind: "document", text: "Zoë\nThe boat 🛶" },
  { kind: "document", text: "" },
  { kind: "query", text: "" },
  { kind: "query", text: "Whose boat?" },
  { kind: "document", text: "Whose boat?" },
];
const PARTS = partsOf(ENTRIES);
const GOOD = fileOf(PARTS);

t.test("every vector comes back by its text and kind, to the bit", async (t) => {
  const store = new VectorStore(written(t.testdir(), GOOD));
  t.teardown(() => store.close());
  t.strictSame(store.identity, { ...IDENTITY, vectors_sha256: sha256Hex(GOOD) });
  for (const { kind, text } of ENTRIES) {
    const prefix = kind === "document" ? "search_document: " : "search_query: ";
    t.strictSame([...store.vector(kind, text)], vectorFor(prefix + text, 5));
  }
  t.throws(() => store.vector("query", "Zoë\nThe boat 🛶"), { code: "E_VECTOR" }, "stored, but not asked");
  t.throws(() => store.vector("document", "The boat"), { code: "E_VECTOR" });
});

t.test("files of any size, larger than a block too", async (t) => {
  const folder = t.testdir();
  await fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 60 }), (texts) => {
      const entries = texts.map((text): Entry => ({ kind: "document", text }));
      const store = new VectorStore(written(folder, fileOf(partsOf(entries))));
      for (const text of texts) store.vector("document", text);
      store.close();
      return store.header.count === texts.length;
    }),
    { seed: 20260906, numRuns: 30 },
  );
  const many = Array.from({ length: 20_000 }, (_, n): Entry => ({ kind: "query", text: String(n) }));
  const store = new VectorStore(written(folder, fileOf(partsOf(many))));
  for (const n of [0, 1, 9_999, 19_999]) {
    t.strictSame([...store.vector("query", String(n))], vectorFor(`search_query: ${n}`, 5));
  }
  store.close();
});

t.test("a file that is not what it says is refused", async (t) => {
  const folder = t.testdir();
  const rowsAt = GOOD.length - 5 * rowBytes(5);
  const changed = (edit: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(GOOD);
    edit(bytes);
    return bytes;
  };
  const row = (number: number, at: number): number => rowsAt + number * rowBytes(5) + at;
  const headed = (changes: Partial<Vectors>): Buffer => fileOf({ ...PARTS, header: { ...PARTS.header, ...changes } });
  const embedded = (changes: Partial<typeof IDENTITY>): Buffer => headed({ embedding: { ...IDENTITY, ...changes } });
  const [first, second] = PARTS.rows;
  const cases: [string, Buffer, string][] = [
    ["empty", Buffer.alloc(0), "E_VECTOR"],
    ["another magic", changed((bytes) => bytes.write("sealvec2")), "E_VECTOR"],
    ["a header longer than the file", changed((bytes) => bytes.writeUInt32LE(GOOD.length, 8)), "E_VECTOR"],
    ["a header longer than any", changed((bytes) => bytes.writeUInt32LE(0xffffffff, 8)), "E_LIMIT"],
    ["cut off in the header", GOOD.subarray(0, 40), "E_VECTOR"],
    ["cut off by a byte", GOOD.subarray(0, -1), "E_VECTOR"],
    ["cut off by a row", GOOD.subarray(0, -rowBytes(5)), "E_VECTOR"],
    ["a byte too many", Buffer.concat([GOOD, Buffer.alloc(1)]), "E_VECTOR"],
    ["header not canonical", changed((bytes) => bytes.write(" ", 12 + 1)), "E_JSON"],
    ["another version", headed({ schema: "sealane-vectors/2" as never }), "E_VERSION"],
    ["another shape", headed({ rows: 5 } as never), "E_SCHEMA"],
    ["names a file of its own", embedded({ vectors_sha256: "0".repeat(64) }), "E_VECTOR"],
    ["no dimensions", embedded({ dimensions: 0 }), "E_VECTOR"],
    ["other dimensions", embedded({ dimensions: 6 }), "E_VECTOR"],
    ["another count", headed({ count: 4 }), "E_VECTOR"],
    ["compute's counts change places", headed({ compute: PARTS.header.compute.toReversed() }), "E_VECTOR"],
    ["rows change places", fileOf({ ...PARTS, rows: [second!, first!, ...PARTS.rows.slice(2)] }), "E_VECTOR"],
    ["a row stands twice", fileOf({ ...PARTS, rows: [first!, first!, ...PARTS.rows.slice(2)] }), "E_VECTOR"],
    ["an unknown kind", changed((bytes) => bytes.writeUInt8(2, row(4, 32))), "E_VECTOR"],
    ["a byte that must be zero", changed((bytes) => bytes.writeUInt8(1, row(1, 33))), "E_VECTOR"],
    ["a compute entry that is not there", changed((bytes) => bytes.writeUInt16LE(2, row(1, 34))), "E_VECTOR"],
    ["infinity", changed((bytes) => bytes.writeFloatLE(Number.POSITIVE_INFINITY, row(4, 36))), "E_VECTOR"],
    ["not a number", changed((bytes) => bytes.writeUInt32LE(0x7fc00000, row(0, 52))), "E_VECTOR"],
    ["all zeros", changed((bytes) => bytes.fill(0, row(2, 36), row(3, 0))), "E_VECTOR"],
  ];
  for (const [why, bytes, code] of cases) {
    t.equal(await codeOf(() => new VectorStore(written(folder, bytes))), code, why);
  }
  const padded = ["a", "ab", "abc", "abcd"]
    .map((model) => embedded({ model }))
    .find((bytes) => bytes.readUInt32LE(8) % 4 === 1)!;
  t.equal(await codeOf(() => new VectorStore(written(folder, padded))), "no error");
  for (let at = 1; at <= 3; at += 1) {
    const bytes = Buffer.from(padded);
    bytes.writeUInt8(1, bytes.length - 5 * rowBytes(5) - at);
    t.equal(await codeOf(() => new VectorStore(written(folder, bytes))), "E_VECTOR", `padding, ${at} from its end`);
  }
  t.equal(await codeOf(() => new VectorStore(join(folder, "none"))), "E_MISSING");
  t.equal(await codeOf(() => new VectorStore(folder)), "E_NOT_REGULAR");
});

t.test("a text is stored or asked, also where a model wants nothing said before it", async (t) => {
  const plain = { ...IDENTITY, document_prefix: "", query_prefix: "" };
  const digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
  t.equal(keyOf(plain, "document", "x").toString("hex"), `${digest}00`);
  t.equal(keyOf(plain, "query", "x").toString("hex"), `${digest}01`);
});

t.test("headers of every length are padded to four bytes", async (t) => {
  for (const name of ["", "a", "ab", "abc", "abcd"]) {
    t.equal(headerBytes({ ...PARTS.header, embedding: { ...IDENTITY, model: name } }).length % 4, 0);
  }
});

t.test("a file may be named by a link, and one that changes in use is noticed", async (t) => {
  const folder = t.testdir();
  const path = written(folder, GOOD);
  symlinkSync(path, join(folder, "link"));
  const store = new VectorStore(join(folder, "link"));
  t.teardown(() => store.close());
  writeFileSync(path, Buffer.alloc(GOOD.length));
  t.throws(() => store.vector("query", "Whose boat?"), { code: "E_RUN_CHANGED" });
});

t.test("frozen vectors as an index", async (t) => {
  const store = new VectorStore(written(t.testdir(), GOOD));
  t.teardown(() => store.close());
  const passages = ["Whose boat?", "", "Whose boat?"].map((text) => ({ session: 1, text }));
  const cosines = new FrozenIndex(passages, store).cosines("Whose boat?");
  const [a, b] = [store.vector("document", "Whose boat?"), store.vector("query", "Whose boat?")];
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  t.equal(cosines.length, 3);
  t.ok(Math.abs(cosines[0]! - product(a, b) / Math.sqrt(product(a, a) * product(b, b))) < 1e-12);
  t.equal(cosines[2], cosines[0]);
  t.throws(() => new FrozenIndex(passages, store).cosines("another question"), { code: "E_VECTOR" });
  t.throws(() => new FrozenIndex([{ session: 1, text: "not stored" }], store), { code: "E_VECTOR" });
  t.equal(
    semanticIndex(store.identity, passages, store).cosines("")[0],
    new FrozenIndex(passages, store).cosines("")[0],
  );
  t.throws(() => semanticIndex(store.identity, passages, null), { code: "E_VECTOR" });
  const other = { ...store.identity, vectors_sha256: "0".repeat(64) };
  t.throws(() => semanticIndex(other, passages, store), { code: "E_VECTOR" });
});
