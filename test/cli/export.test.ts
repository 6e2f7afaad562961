// `sealane export` through the built command line: what it writes, and what it refuses.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import t from "tap";
import { EXPORTS } from "../../lib/export/index.js";
import { oneDocument, reasonOf, type Surroundings, sealane } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { tool } from "../support/foreign.js";

t.setTimeout(180_000);

const dir = t.testdir();
await finishedRun(dir);
const file = (name: string): string => join(dir, name);
const inDir: Surroundings = { cwd: dir };
const run = (...args: string[]) => sealane(args, inDir);
const TIME = "2026-01-02T15:04:05Z";

const verified = await run("verify", "lane", "--trust", "trust.json", "--json");
writeFileSync(file("report.json"), verified.stdout);
await run("keys", "new", "--out", "verifier.pem");
await run("pack", "lane", "ours.tar.gz");

const GIVEN: Readonly<Record<string, readonly string[]>> = {
  key: ["--key", "verifier.pem"],
  report: ["--report", "report.json"],
  time: ["--time", TIME],
};

t.test("every format", async (t) => {
  for (const { id, needs } of EXPORTS) {
    const more = needs.flatMap((name) => GIVEN[name] ?? []);
    const ended = await run("export", "lane", "--as", id, ...more, "-o", `${id}.out`, "--json");
    t.equal(ended.code, 0, `${id} ${ended.stdout}`);
    const { written, ...rest } = oneDocument(ended) as { written: string[] };
    t.strictSame(rest, { schema: "sealane-exported/1", lane: "lane", format: id, out: `${id}.out` });
    for (const path of written) t.ok(existsSync(join(dir, `${id}.out`, path)), `${id} ${path}`);
    const said = await run("export", "ours.tar.gz", "--as", id, ...more, "-o", `${id}.packed`);
    t.match(said, { code: 0, stderr: "", stdout: new RegExp(`^${id}\\.packed: ${id}`) }, `${id} of an archive`);
    t.equal(reasonOf(await run("export", "lane", "--as", id, ...more, "-o", `${id}.out`, "--json")), "E_EXISTS", id);
    t.equal(reasonOf(await run("export", "lane", "--as", id, ...more, "-o", "lane/x", "--json")), "E_USAGE", id);
  }
  for (const id of ["sha256sum", "vsa", "svr"]) {
    t.same(readFileSync(file(`${id}.packed`)), readFileSync(file(`${id}.out`)), `${id}: folder and archive alike`);
  }
  t.strictSame(
    readdirSync(file("sigstore-bundle.packed")),
    readdirSync(file("sigstore-bundle.out")).map((name) => basename(name)),
  );
  const nameIn = (path: string): unknown => {
    const { dsseEnvelope } = JSON.parse(readFileSync(file(path), "utf8")) as { dsseEnvelope: { payload: string } };
    const { subject } = JSON.parse(Buffer.from(dsseEnvelope.payload, "base64").toString()) as {
      subject: [{ name: string }];
    };
    return subject[0].name;
  };
  t.equal(nameIn("oms.out"), "lane");
  t.equal(nameIn("oms.packed"), "ours", "an archive without its ending");
  t.equal((await run("verify", "bagit.out/data", "--trust", "trust.json")).code, 0);
  t.equal((await run("verify", "ro-crate.out/lane", "--trust", "trust.json")).code, 0);
  t.equal((await run("verify", "lane", "--trust", "trust.json")).code, 0, "the lane is as it was");
});

const openssl = tool("openssl", ["version"], /OpenSSL [3-9]\.[\d.]+/);

t.test("a model signature by an encrypted P-256 key of openssl", { skip: openssl.skip }, async (t) => {
  writeFileSync(file("pass"), "a passphrase\n");
  const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  const made = openssl.run(["genpkey", ...curve, "-aes256", "-pass", `file:${file("pass")}`, "-out", file("p256.pem")]);
  t.ok(made.ok, made.said);
  const args = ["export", "lane", "--as", "oms", "--key", "p256.pem", "-o", "p256.sig", "--json"];
  const within = ["bash", "-c", 'exec "$@" 3<"$0"', file("pass")];
  t.equal(reasonOf(await run(...args)), "E_PASSPHRASE");
  const ended = await sealane([...args, "--passphrase-fd", "3"], { ...inDir, within });
  t.equal(ended.code, 0, ended.stdout);
});

t.test("refusals", async (t) => {
  const reason = async (...args: string[]) => reasonOf(await run("export", ...args, "--json"));
  t.equal(await reason("lane", "-o", "x"), "E_USAGE", "as what?");
  t.equal(await reason("lane", "--as", "sha256sum"), "E_USAGE", "where to?");
  t.equal(await reason("lane", "--as", "sarif", "-o", "x"), "E_USAGE");
  t.equal(await reason("absent", "--as", "sha256sum", "-o", "x"), "E_MISSING");
  t.equal(await reason("lane", "--as", "oms", "-o", "x"), "E_USAGE", "no key");
  t.equal(await reason("lane", "--as", "sha256sum", "--key", "verifier.pem", "-o", "x"), "E_USAGE", "an idle key");
  t.equal(await reason("lane", "--as", "oms", "--key", "absent.pem", "-o", "x"), "E_MISSING");
  t.equal(await reason("lane", "--as", "oms", "--key", "verifier.pub.pem", "-o", "x"), "E_KEY");
  const vsa = ["lane", "--as", "vsa", "--key", "verifier.pem", "-o", "x"];
  t.equal(await reason(...vsa, "--report", "report.json"), "E_USAGE", "when?");
  t.equal(await reason(...vsa, "--report", "report.json", "--time", "today"), "E_USAGE");
  t.equal(await reason(...vsa, "--report", "absent.json", "--time", TIME), "E_MISSING");
  t.equal(await reason(...vsa, "--report", "trust.json", "--time", TIME), "E_SCHEMA");
  writeFileSync(file("lane/extra"), "");
  t.equal(await reason("lane", "--as", "sha256sum", "-o", "x"), "E_FILE_EXTRA");
  t.notOk(existsSync(file("x")));
});
