// `sealane sign`, and every other command that signs with an encrypted key, through the built command line.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Envelope } from "../../schemas/index.js";
import { oneDocument, reasonOf, type Surroundings, sealane } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { noTerminal, onTerminal } from "../support/terminal.js";

t.setTimeout(180_000);

const dir = t.testdir();
await finishedRun(dir);
const file = (name: string): string => join(dir, name);
writeFileSync(file("pass"), "a passphrase\nanother line\n");
writeFileSync(file("wrong"), "a password\n");
const inDir: Surroundings = { cwd: dir };
const reading = (name: string): Surroundings => ({
  ...inDir,
  within: ["bash", "-c", 'exec "$@" 3<"$0"', file(name)],
});

async function json(args: readonly string[], surroundings = inDir): Promise<Record<string, unknown>> {
  const ended = await sealane([...args, "--json"], surroundings);
  if (ended.code !== 0) throw new Error(`${args.join(" ")}: exit ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  return oneDocument(ended);
}

const author = String((await json(["keys", "show", "author.pub.pem"])).keyid);
const second = String((await json(["keys", "new", "--out", "second.pem"])).keyid);
const NEW = ["keys", "new", "--out", "locked.pem", "--encrypt", "--passphrase-fd", "3"];
const locked = String((await json(NEW, reading("pass"))).keyid);
const ENVELOPE = file("lane/manifest.dsse.json");
const keyids = (): string[] =>
  (JSON.parse(readFileSync(ENVELOPE, "utf8")) as Envelope).signatures.map(({ keyid }) => keyid);

t.test("signatures beside the lane", async (t) => {
  const before = readFileSync(ENVELOPE);
  for (const format of ["minisign", "signify", "ssh", "raw"]) {
    const args = ["sign", "lane", "--key", "author.pem", "--format", format];
    t.match(await json([...args, "-o", `m.${format}`]), {
      schema: "sealane-signature/1",
      format,
      file: `m.${format}`,
      keyid: author,
    });
    t.equal(reasonOf(await sealane([...args, "-o", `m.${format}`, "--json"], inDir)), "E_EXISTS", format);
    for (const inside of ["lane/x", "./lane/protocols/../x", join(dir, "lane", "x"), "lane"]) {
      t.equal(reasonOf(await sealane([...args, "-o", inside, "--json"], inDir)), "E_USAGE", inside);
    }
  }
  t.equal(readFileSync(file("m.raw")).length, 64);
  t.match(readFileSync(file("m.minisign"), "utf8"), /^trusted comment: sealane lane harbour-test, version 1, /m);
  const said = "timestamp:1767366245\tfile:manifest.json";
  await json(["sign", "lane", "--key", "author.pem", "--format", "minisign", "-o", "said", "--comment", said]);
  t.match(readFileSync(file("said"), "utf8"), `\ntrusted comment: ${said}\n`);
  await json(["pack", "lane", "lane.tar"]);
  await json(["sign", "lane.tar", "--key", "author.pem", "--format", "raw", "-o", "archive.raw"]);
  t.same(readFileSync(file("archive.raw")), readFileSync(file("m.raw")), "of an archive, the same");
  t.same(readFileSync(ENVELOPE), before, "the lane is as it was");
});

t.test("more signatures in the envelope", async (t) => {
  t.strictSame(keyids(), [author]);
  t.match(await json(["sign", "lane", "--key", "second.pem"]), {
    schema: "sealane-signed/1",
    keyid: second,
    keyids: [author, second],
  });
  const sign = ["sign", "lane", "--key", "locked.pem"];
  t.equal(reasonOf(await sealane([...sign, "--json"], inDir)), "E_PASSPHRASE", "nobody to ask");
  t.equal(reasonOf(await sealane([...sign, "--passphrase-fd", "3", "--json"], reading("wrong"))), "E_PASSPHRASE");
  t.strictSame(keyids(), [author, second]);
  await json([...sign, "--passphrase-fd", "3"], reading("pass"));
  t.strictSame(keyids(), [author, second, locked]);
  t.equal(reasonOf(await sealane(["sign", "lane", "--key", "second.pem", "--json"], inDir)), "E_EXISTS");
  const verified = await sealane(["verify", "lane", "--trust", "trust.json", "--json"], inDir);
  t.equal(verified.code, 0, "and it still verifies");
});

t.test("refusals", async (t) => {
  const sign = (...args: string[]) => sealane(["sign", ...args, "--json"], inDir);
  t.equal(reasonOf(await sign("lane.tar", "--key", "second.pem")), "E_USAGE", "an archive takes no signature");
  t.equal(reasonOf(await sign("absent", "--key", "second.pem")), "E_MISSING");
  t.equal(reasonOf(await sign("lane")), "E_USAGE", "no key");
  t.equal(reasonOf(await sign("lane", "--key", "absent.pem")), "E_MISSING");
  t.equal(reasonOf(await sign("lane", "--key", "second.pub.pem")), "E_KEY", "a public key signs nothing");
  t.equal(reasonOf(await sign("lane", "--key", "second.pem", "--format", "raw")), "E_USAGE", "no place for it");
  t.equal(reasonOf(await sign("lane", "--key", "second.pem", "-o", "x")), "E_USAGE", "no form for it");
  t.equal(reasonOf(await sign("lane", "--key", "second.pem", "--comment", "x")), "E_USAGE");
  t.equal(
    reasonOf(await sign("lane", "--key", "second.pem", "--format", "minisign", "-o", "x", "--comment", "a\nb")),
    "E_USAGE",
  );
  renameSync(file("lane/answers.jsonl"), file("answers"));
  writeFileSync(file("lane/answers.jsonl"), readFileSync(file("answers"), "utf8").replace("a", "b"));
  const before = readFileSync(ENVELOPE);
  await json(["keys", "new", "--out", "third.pem"]);
  t.equal(reasonOf(await sign("lane", "--key", "third.pem")), "E_DIGEST", "a tampered lane");
  t.equal(reasonOf(await sign("lane", "--key", "third.pem", "--format", "raw", "-o", "x")), "E_DIGEST");
  t.same(readFileSync(ENVELOPE), before);
  t.notOk(existsSync(file("x")));
  renameSync(file("answers"), file("lane/answers.jsonl"));
});

t.test("seal with an encrypted key", async (t) => {
  const seal = ["seal", "run", "--id", "harbour-locked", "--key", "locked.pem", "--out", "sealed"];
  t.equal(reasonOf(await sealane([...seal, "--json"], inDir)), "E_PASSPHRASE");
  t.notOk(existsSync(file("sealed")));
  t.match(await json([...seal, "--passphrase-fd", "3"], reading("pass")), { keyid: locked });
});

t.test("sign with a passphrase that is typed", { skip: noTerminal }, async (t) => {
  const args = ["sign", "sealed", "--key", "locked.pem"];
  const ended = await onTerminal(args, [[/Passphrase of locked\.pem: /, "a passphrase\r"]], dir);
  t.match(ended.screen, "E_EXISTS", "the key opened, and had signed already");
  t.equal(ended.code, 64);
});
