// Keys at rest, as the built command line writes and reads them.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readSigningKey } from "../../lib/manifest/keys.js";
import { oneDocument, reasonOf, type Surroundings, sealane } from "../support/cli.js";
import { tool } from "../support/foreign.js";
import { noTerminal, onTerminal } from "../support/terminal.js";

t.setTimeout(180_000);

const PASSPHRASE = "correct horse ü";

/** Descriptor 3 reads a file. */
const fromFile = (file: string): string[] => ["bash", "-c", 'exec "$@" 3<"$0"', file];
const underUmask = (mask: string): string[] => ["bash", "-c", `umask ${mask}; exec "$@"`, "bash"];

function folder(t: { testdir(): string }): {
  dir: string;
  file: (name: string) => string;
  within: (...args: string[]) => Surroundings;
} {
  const dir = t.testdir();
  writeFileSync(join(dir, "pass"), `${PASSPHRASE}\nsecond line\n`);
  writeFileSync(join(dir, "wrong"), "something else");
  return { dir, file: (name) => join(dir, name), within: (...within) => ({ cwd: dir, within }) };
}

t.test("the private file is its owner's alone, whatever the umask", async (t) => {
  const { file, within } = folder(t);
  for (const mask of ["0000", "0022", "0077", "0177", "0277", "0777"]) {
    const name = `${mask}.pem`;
    const ended = await sealane(["keys", "new", "--out", name, "--json"], within(...underUmask(mask)));
    t.equal(ended.code, 0, `${mask} ${ended.stderr}`);
    t.equal(statSync(file(name)).mode & 0o777, 0o600, mask);
    t.match(oneDocument(ended), { private_file: name, public_file: `${mask}.pub.pem`, encrypted: false });
  }
});

t.test("an encrypted key: a passphrase from a descriptor", async (t) => {
  const { dir, file, within } = folder(t);
  const made = await sealane(
    ["keys", "new", "--out", "k.pem", "--encrypt", "--passphrase-fd", "3", "--json"],
    within(...fromFile(file("pass"))),
  );
  t.equal(made.code, 0, made.stderr);
  t.equal(made.stderr, "");
  const { keyid, encrypted } = oneDocument(made);
  t.equal(encrypted, true);
  t.equal(statSync(file("k.pem")).mode & 0o777, 0o600);
  const pem = readFileSync(file("k.pem"), "utf8");
  t.match(pem, /^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
  t.equal(readSigningKey(pem, "k.pem", Buffer.from(PASSPHRASE)).keyId, keyid, "the first line, without its end");

  const show = ["keys", "show", "k.pem", "--json"];
  const shown = await sealane([...show, "--passphrase-fd", "3"], within(...fromFile(file("pass"))));
  t.equal(oneDocument(shown).keyid, keyid);
  t.equal(oneDocument(await sealane(["keys", "show", "k.pub.pem", "--json"], { cwd: dir })).keyid, keyid);
  for (const [name, ended] of [
    ["wrong", await sealane([...show, "--passphrase-fd", "3"], within(...fromFile(file("wrong"))))],
    ["none, and nobody to ask", await sealane(show, { cwd: dir })],
    ["a closed descriptor", await sealane([...show, "--passphrase-fd", "9"], { cwd: dir })],
    ["an empty one", await sealane([...show, "--passphrase-fd", "3"], within(...fromFile("/dev/null")))],
    [
      "for a new key, nobody to ask",
      await sealane(["keys", "new", "--out", "n.pem", "--encrypt", "--json"], { cwd: dir }),
    ],
  ] as const) {
    t.equal(reasonOf(ended), "E_PASSPHRASE", name);
    t.equal(ended.code, 64, name);
    t.notMatch(ended.stdout + ended.stderr, /correct horse|something else/, `${name}: no passphrase is repeated`);
  }
  t.notOk(existsSync(file("n.pem")));
  for (const descriptor of ["1", "2", "-1", "1.5", "three"]) {
    const ended = await sealane([...show, `--passphrase-fd=${descriptor}`], { cwd: dir });
    t.equal(reasonOf(ended), "E_USAGE", descriptor);
  }

  const openssl = tool("openssl", ["version"], /OpenSSL [3-9]\.[\d.]+/);
  t.test("openssl pkey opens it", { skip: openssl.skip }, async (t) => {
    const opened = openssl.run(["pkey", "-in", file("k.pem"), "-passin", `file:${file("pass")}`, "-pubout"]);
    t.equal(opened.said, readFileSync(file("k.pub.pem"), "utf8"));
    t.notOk(openssl.run(["pkey", "-in", file("k.pem"), "-passin", `file:${file("wrong")}`, "-pubout"]).ok);
  });
});

t.test("nothing is overwritten, and no option is ignored", async (t) => {
  const { dir, file } = folder(t);
  const run = (...args: string[]) => sealane(["keys", ...args, "--json"], { cwd: dir });
  writeFileSync(file("taken.pem"), "mine");
  t.equal(reasonOf(await run("new", "--out", "taken.pem")), "E_EXISTS");
  t.notOk(existsSync(file("taken.pub.pem")));
  writeFileSync(file("half.pub.pem"), "mine");
  t.equal(reasonOf(await run("new", "--out", "half.pem")), "E_EXISTS");
  t.notOk(existsSync(file("half.pem")), "no key without its other half");
  t.equal(readFileSync(file("taken.pem"), "utf8"), "mine");
  for (const args of [
    ["new"],
    ["new", "k.pem"],
    ["new", "--out", "k.pem", "--passphrase-fd", "3"],
    ["new", "--out", "k.pem", "--format", "ssh"],
    ["new", "--out", "k.pem", "--passphrase", "secret"],
    ["show"],
    ["show", "taken.pem", "--encrypt"],
    ["show", "taken.pem", "--format", "pem"],
    ["export", "taken.pem"],
    ["export", "--format", "pem"],
    ["export", "taken.pem", "--format", "gpg"],
    ["export", "taken.pem", "--format", "pem", "--out", "x"],
  ]) {
    t.equal(reasonOf(await run(...args)), "E_USAGE", args.join(" "));
  }
  t.notOk(existsSync(file("k.pem")));
  t.equal(reasonOf(await run("show", "taken.pem")), "E_KEY");
  t.equal(reasonOf(await run("show", "absent.pem")), "E_MISSING");
});

t.test("keys export", async (t) => {
  const { dir, file } = folder(t);
  const run = (...args: string[]) => sealane(["keys", ...args], { cwd: dir });
  await run("new", "--out", "k.pem");
  const pub = readFileSync(file("k.pub.pem"), "utf8");
  t.equal((await run("export", "k.pub.pem", "--format", "pem")).stdout, pub);
  t.equal((await run("export", "k.pem", "--format", "pem")).stdout, pub, "the public half of a private file");
  t.match((await run("export", "k.pub.pem", "--format", "ssh", "--name", "ada@x")).stdout, /^ssh-ed25519 \S+ ada@x\n$/);
  t.match((await run("export", "k.pub.pem", "--format", "minisign")).stdout, /^untrusted comment: .+\nRW\S+\n$/);
  t.match((await run("export", "k.pub.pem", "--format", "signify")).stdout, /^untrusted comment: .+\nRW\S+\n$/);
  t.match(
    (await run("export", "k.pub.pem", "--format", "vkey", "--name", "x.com/a")).stdout,
    /^x\.com\/a\+[0-9a-f]{8}\+A\S+\n$/,
  );
  t.equal(reasonOf(await run("export", "k.pub.pem", "--format", "vkey")), "E_USAGE", "a vkey has a name");
  const json = await run("export", "k.pub.pem", "--format", "minisign", "--json");
  t.match(oneDocument(json), { schema: "sealane-key/1", format: "minisign", text: /^untrusted comment/ });
});

t.test("a private file that others may read", { skip: process.platform === "win32" }, async (t) => {
  const { dir, file } = folder(t);
  await sealane(["keys", "new", "--out", "k.pem"], { cwd: dir });
  for (const [mode, warned] of [
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o604, true],
    [0o644, true],
  ] as const) {
    chmodSync(file("k.pem"), mode);
    const ended = await sealane(["keys", "show", "k.pem", "--json"], { cwd: dir });
    t.equal(ended.code, 0);
    t.equal(/^warning: k\.pem .*chmod 600/m.test(ended.stderr), warned, mode.toString(8));
    oneDocument(ended);
  }
  t.equal((await sealane(["keys", "show", "k.pub.pem"], { cwd: dir })).stderr, "", "a public file is for everybody");
});

t.test("a passphrase that is typed", { skip: noTerminal }, async (t) => {
  const { dir, file } = folder(t);
  const make = ["keys", "new", "--out", "k.pem", "--encrypt"];
  const made = await onTerminal(
    make,
    [
      [/Passphrase for k\.pem: /, `${PASSPHRASE}\r`],
      [/The same again: /, `${PASSPHRASE}\r`],
    ],
    dir,
  );
  t.equal(made.code, 0, made.screen);
  t.notMatch(made.screen, /correct|horse/, "it is not shown");
  const { keyId } = readSigningKey(readFileSync(file("k.pem"), "utf8"), "k.pem", Buffer.from(PASSPHRASE));
  t.match(made.screen, keyId);

  const show = ["keys", "show", "k.pem"];
  const ask = /Passphrase of k\.pem: /;
  const shown = await onTerminal(show, [[ask, "correkt\u007f\u007fct horse ü\r"]], dir);
  t.equal(shown.code, 0, shown.screen);
  t.match(shown.screen, keyId, "with the backspace");
  t.notMatch(shown.screen, /corre|horse/, "it is not shown");
  const wrong = await onTerminal(show, [[ask, "wrong\r"]], dir);
  t.equal(wrong.code, 64);
  t.match(wrong.screen, "E_PASSPHRASE");
  for (const [name, key] of [
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ] as const) {
    const stopped = await onTerminal(show, [[ask, key]], dir);
    t.equal(stopped.code, 130, `${name} ${stopped.screen}`);
    t.match(stopped.screen, "E_CANCELLED", name);
  }

  const other = ["keys", "new", "--out", "other.pem", "--encrypt"];
  for (const [name, first, second] of [
    ["typed in two ways", "one", "two"],
    ["empty", "", ""],
  ] as const) {
    const ended = await onTerminal(
      other,
      [
        [/Passphrase for other\.pem: /, `${first}\r`],
        [/The same again: /, `${second}\r`],
      ],
      dir,
    );
    t.equal(ended.code, 64, `${name} ${ended.screen}`);
    t.match(ended.screen, "E_PASSPHRASE", name);
    t.notOk(existsSync(file("other.pem")), name);
  }
});
