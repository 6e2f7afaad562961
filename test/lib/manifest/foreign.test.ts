import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { signatureProblem } from "../../../lib/bytes/ed25519.js";
import {
  detachedSignature,
  PUBLIC_KEY_FORMATS,
  publicKeyText,
  SIGNATURE_FORMATS,
} from "../../../lib/manifest/foreign.js";
import { admitPublicKey, readPublicKey } from "../../../lib/manifest/keys.js";
import { tool } from "../../support/foreign.js";
import { shared } from "../../support/shared.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

// RFC 8032 section 7.1, TEST 1.
const PUBLIC = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex");
const KEY = admitPublicKey(PUBLIC, "k");
const NUMBER = Buffer.from("74c181c7ad8a0855", "hex");

t.test("public keys: known bytes", async (t) => {
  t.strictSame(Object.keys(PUBLIC_KEY_FORMATS), ["pem", "minisign", "signify", "ssh", "vkey"]);
  t.equal(
    publicKeyText("pem", KEY),
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
  );
  t.equal(readPublicKey(publicKeyText("pem", KEY), "k").keyId, KEY.keyId);
  // As the cryptography library of Python writes the key.
  t.equal(
    publicKeyText("ssh", KEY, "ada@example.com"),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea ada@example.com\n",
  );
  t.equal(publicKeyText("ssh", KEY).trim().split(" ")[2], `sealane-${KEY.keyId}`);
  const blob = Buffer.concat([Buffer.from("Ed"), NUMBER, PUBLIC]).toString("base64");
  t.equal(publicKeyText("signify", KEY, "ada"), `untrusted comment: ada public key\n${blob}\n`);
  t.equal(publicKeyText("minisign", KEY), `untrusted comment: minisign public key 55088AADC781C174\n${blob}\n`);
  t.equal(
    codeOf(() => publicKeyText("toString", KEY)),
    "E_UNKNOWN",
  );
  t.equal(
    codeOf(() => publicKeyText("gpg", KEY)),
    "E_UNKNOWN",
  );
});

t.test("names", async (t) => {
  for (const name of ["", "a\nb", "a\u0000b", "a\u2028b", "\u001b[31m", "x".repeat(257)]) {
    for (const format of Object.keys(PUBLIC_KEY_FORMATS)) {
      t.equal(
        codeOf(() => publicKeyText(format, KEY, name)),
        "E_USAGE",
        `${format} ${encodeURIComponent(name)}`,
      );
    }
  }
  for (const name of ["a b", "a+b", "a\u00a0b", undefined]) {
    t.equal(
      codeOf(() => publicKeyText("vkey", KEY, name)),
      "E_USAGE",
      `vkey ${encodeURIComponent(name ?? "none")}`,
    );
  }
});

const note = shared("vectors/c2sp-specs/signed-note.md");

t.test("vkey: the example of the specification", { skip: note.skip }, async (t) => {
  const vkey = /^ {4}(\S+\+[0-9a-f]{8}\+\S+)$/m.exec(readFileSync(note.path, "utf8"))?.[1] ?? "";
  const [name, , base64] = [...vkey.matchAll(/^([^+]+)\+([0-9a-f]{8})\+(.*)$/g)][0]!.slice(1);
  const key = admitPublicKey(Buffer.from(base64!, "base64").subarray(1), "k");
  t.equal(publicKeyText("vkey", key, name), `${vkey}\n`);
});

const MESSAGE = Buffer.from('{"a":1}');
const signer = testKey("author");
const number = Buffer.from(signer.keyId, "hex").subarray(0, 8).toString("hex");

t.test("signatures: layout", async (t) => {
  t.strictSame(Object.keys(SIGNATURE_FORMATS), ["minisign", "signify", "ssh", "raw"]);
  const pure = Buffer.from(signer.sign(MESSAGE)).toString("hex");
  t.equal(Buffer.from(detachedSignature("raw", MESSAGE, signer, "") as Uint8Array).toString("hex"), pure);

  const [comment, line, end, ...none] = String(detachedSignature("signify", MESSAGE, signer, "")).split("\n");
  t.match(comment, /^untrusted comment: /);
  t.equal(Buffer.from(line!, "base64").toString("hex"), Buffer.from("Ed").toString("hex") + number + pure);
  t.strictSame([end, none], ["", []]);

  const lines = String(detachedSignature("minisign", MESSAGE, signer, "said é")).split("\n");
  t.equal(lines.length, 5);
  t.match(lines[0], /^untrusted comment: /);
  const blob = Buffer.from(lines[1]!, "base64");
  t.equal(blob.length, 74);
  t.equal(blob.subarray(0, 10).toString("hex"), Buffer.from("ED").toString("hex") + number);
  const signature = blob.subarray(10);
  const digest = createHash("blake2b512").update(MESSAGE).digest();
  t.equal(signatureProblem(digest, signature, signer.bytes), undefined, "over BLAKE2b-512");
  t.equal(lines[2], "trusted comment: said é");
  const global = Buffer.from(lines[3]!, "base64");
  t.equal(
    signatureProblem(Buffer.concat([signature, Buffer.from("said é")]), global, signer.bytes),
    undefined,
    "over signature and comment",
  );

  const armour = String(detachedSignature("ssh", MESSAGE, signer, ""));
  t.match(armour, /^-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/=]{1,76}\n)+-----END SSH SIGNATURE-----\n$/);
  const body = Buffer.from(armour.replace(/-----[A-Z ]+-----/g, ""), "base64");
  t.equal(body.subarray(0, 10).toString("latin1"), "SSHSIG\0\0\0\x01");
  t.ok(body.includes("lane-manifest@sealane.dev"));
  t.ok(body.includes("sha512"));
  for (const format of Object.keys(SIGNATURE_FORMATS)) {
    const again = detachedSignature(format, MESSAGE, signer, "c");
    t.same(detachedSignature(format, MESSAGE, signer, "c"), again, `${format} is deterministic`);
  }
});

t.test("comments", async (t) => {
  const sign = (comment: string) => detachedSignature("minisign", MESSAGE, signer, comment);
  t.equal(
    codeOf(() => sign("timestamp:1\tfile:manifest.json")),
    "accepted",
    "minisign's own, with a tab",
  );
  for (const comment of ["two\nlines", "a\rb", "nul\u0000", "x".repeat(8001)]) {
    t.equal(
      codeOf(() => sign(comment)),
      "E_USAGE",
      JSON.stringify(comment.slice(0, 20)),
    );
  }
  t.equal(
    codeOf(() => detachedSignature("pgp", MESSAGE, signer, "")),
    "E_UNKNOWN",
  );
});

const sshKeygen = tool("ssh-keygen", ["-?"], /ssh-keygen/);
const minisign = tool("minisign", ["-v"], /minisign [\d.]+/);
const signify = tool("signify-openbsd", [], /usage:\s+signify/);

t.test("as ssh-keygen writes its own keys", { skip: sshKeygen.skip }, async (t) => {
  const dir = t.testdir();
  t.ok(sshKeygen.run(["-t", "ed25519", "-N", "", "-C", "ada@example.com", "-q", "-f", join(dir, "k")]).ok);
  const line = readFileSync(join(dir, "k.pub"), "utf8");
  const bytes = Buffer.from(line.split(" ")[1]!, "base64").subarray(-32);
  t.equal(publicKeyText("ssh", admitPublicKey(bytes, "k"), "ada@example.com"), line);
});

t.test("as minisign writes its own keys, but for the number", { skip: minisign.skip }, async (t) => {
  const dir = t.testdir();
  t.ok(minisign.run(["-G", "-W", "-p", join(dir, "k.pub"), "-s", join(dir, "k")]).ok);
  const theirs = readFileSync(join(dir, "k.pub"), "utf8").split("\n");
  const blob = Buffer.from(theirs[1]!, "base64");
  const ours = publicKeyText("minisign", admitPublicKey(blob.subarray(10), "k")).split("\n");
  t.equal(ours.length, theirs.length);
  t.match(theirs[0], /^untrusted comment: minisign public key [0-9A-F]{1,16}$/);
  t.match(ours[0], /^untrusted comment: minisign public key [0-9A-F]{16}$/);
  const same = Buffer.from(ours[1]!, "base64");
  t.equal(same.length, blob.length);
  t.same(same.subarray(0, 2), blob.subarray(0, 2));
  t.same(same.subarray(10), blob.subarray(10));
});

t.test("as signify writes its own keys, but for the number", { skip: signify.skip }, async (t) => {
  const dir = t.testdir();
  t.ok(signify.run(["-G", "-n", "-c", "ada", "-p", join(dir, "k.pub"), "-s", join(dir, "k.sec")]).ok);
  const theirs = readFileSync(join(dir, "k.pub"), "utf8").split("\n");
  const blob = Buffer.from(theirs[1]!, "base64");
  const ours = publicKeyText("signify", admitPublicKey(blob.subarray(10), "k"), "ada").split("\n");
  t.equal(ours[0], theirs[0]);
  t.same(Buffer.from(ours[1]!, "base64").subarray(10), blob.subarray(10));
  t.equal(Buffer.from(ours[1]!, "base64").length, blob.length);
});
