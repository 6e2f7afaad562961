// Signatures over manifest.json that minisign, signify, ssh-keygen and openssl take, and that they refuse over other bytes.
import { readFileSync, writeFileSync } from "node:fs";
import { dsse } from "@sigstore/core";
import t from "tap";
import { preAuthEncoding } from "../../lib/manifest/envelope.js";
import { detachedSignature, publicKeyText } from "../../lib/manifest/foreign.js";
import { SSH_NAMESPACE } from "../../lib/manifest/ssh.js";
import { laneOnDisk, tool } from "../support/foreign.js";
import { testKey } from "../support/test-key.js";

const { dir, lane, file, open } = await laneOnDisk(t.testdir());
const manifest = `${lane}/manifest.json`;
const key = testKey("author");
const other = testKey("other");
const inDir = { cwd: dir };

const bytes = readFileSync(manifest);
const tampered = file("tampered.json");
const changed = Buffer.from(bytes);
changed[bytes.indexOf('"lane_version":1') + 15] = "2".charCodeAt(0);
writeFileSync(tampered, changed);

for (const format of ["minisign", "signify", "ssh", "raw"]) {
  writeFileSync(
    file(`manifest.${format}`),
    detachedSignature(format, bytes, key, "lane of the tests, file manifest.json"),
  );
}
for (const [name, owner] of [
  ["author", key],
  ["other", other],
] as const) {
  for (const format of ["minisign", "signify", "ssh", "pem"]) {
    writeFileSync(file(`${name}.${format}.pub`), publicKeyText(format, owner));
  }
}

const minisign = tool("minisign", ["-v"], /minisign [\d.]+/);

t.test("minisign -V", { skip: minisign.skip }, async (t) => {
  t.comment(minisign.version);
  const verify = (message: string, signature = "manifest.minisign", pub = "author.minisign.pub") =>
    minisign.run(["-V", "-p", pub, "-x", signature, "-m", message], inDir);
  const good = verify(manifest);
  t.ok(good.ok, good.said);
  t.match(good.said, "lane of the tests, file manifest.json", "it shows the trusted comment");
  const line = publicKeyText("minisign", key).split("\n")[1]!;
  t.ok(
    minisign.run(["-V", "-P", line, "-x", "manifest.minisign", "-m", manifest], inDir).ok,
    "the key on the command line",
  );
  t.ok(
    minisign.run(["-V", "-H", "-p", "author.minisign.pub", "-x", "manifest.minisign", "-m", manifest], inDir).ok,
    "prehashed",
  );
  t.notOk(verify(tampered).ok, "another manifest");
  t.notOk(verify(manifest, "manifest.minisign", "other.minisign.pub").ok, "another key");
  const text = readFileSync(file("manifest.minisign"), "utf8");
  writeFileSync(file("comment.minisign"), text.replace("lane of the tests", "lane of tests"));
  t.notOk(verify(manifest, "comment.minisign").ok, "another trusted comment");
});

const signify = tool("signify-openbsd", [], /usage:\s+signify/);

t.test("signify-openbsd -V", { skip: signify.skip }, async (t) => {
  const verify = (message: string, pub = "author.signify.pub") =>
    signify.run(["-V", "-p", pub, "-x", "manifest.signify", "-m", message], inDir);
  const good = verify(manifest);
  t.ok(good.ok, good.said);
  t.notOk(verify(tampered).ok, "another manifest");
  t.notOk(verify(manifest, "other.signify.pub").ok, "another key");
});

const sshKeygen = tool("ssh-keygen", ["-?"], /ssh-keygen/);

t.test("ssh-keygen -Y verify", { skip: sshKeygen.skip }, async (t) => {
  t.comment(tool("ssh", ["-V"], /OpenSSH_\S+/).version);
  const allowed = (name: string) =>
    `author@example.com namespaces="${SSH_NAMESPACE}" ${readFileSync(file(`${name}.ssh.pub`), "utf8")}`;
  writeFileSync(file("allowed_signers"), allowed("author"));
  writeFileSync(file("allowed_others"), allowed("other"));
  writeFileSync(file("allowed_for_all"), `author@example.com ${readFileSync(file("author.ssh.pub"), "utf8")}`);
  const verify = (message: string, namespace = SSH_NAMESPACE, signers = "allowed_signers") =>
    sshKeygen.run(["-Y", "verify", "-f", signers, "-I", "author@example.com", "-n", namespace, "-s", "manifest.ssh"], {
      ...inDir,
      input: readFileSync(message),
    });
  const good = verify(manifest);
  t.ok(good.ok, good.said);
  t.match(good.said, `Good "${SSH_NAMESPACE}" signature`);
  t.notOk(verify(tampered).ok, "another manifest");
  t.notOk(verify(manifest, "file").ok, "another namespace");
  t.notOk(verify(manifest, "file", "allowed_for_all").ok, "another namespace, under a key allowed for all");
  t.ok(verify(manifest, SSH_NAMESPACE, "allowed_for_all").ok);
  t.notOk(verify(manifest, SSH_NAMESPACE, "allowed_others").ok, "another key");
});

const openssl = tool("openssl", ["version"], /OpenSSL [3-9]\.[\d.]+/);

t.test("openssl pkeyutl -verify", { skip: openssl.skip }, async (t) => {
  t.comment(openssl.version);
  const verify = (message: string, signature: string, pub = "author.pem.pub") =>
    openssl.run(
      ["pkeyutl", "-verify", "-pubin", "-inkey", pub, "-rawin", "-in", message, "-sigfile", signature],
      inDir,
    );
  const good = verify(manifest, "manifest.raw");
  t.ok(good.ok, good.said);
  t.notOk(verify(tampered, "manifest.raw").ok, "another manifest");
  t.notOk(verify(manifest, "manifest.raw", "other.pem.pub").ok, "another key");

  const { payload, envelope, signatures } = open();
  const encoding = dsse.preAuthEncoding(envelope.payloadType, payload);
  t.same(encoding, preAuthEncoding(envelope.payloadType, payload), "as Sigstore's own library encodes it");
  writeFileSync(file("pae"), encoding);
  writeFileSync(file("payload"), payload);
  writeFileSync(file("dsse.sig"), signatures[0]!);
  t.ok(verify("pae", "dsse.sig").ok, "the envelope's signature over the pre-authentication encoding");
  t.notOk(verify("payload", "dsse.sig").ok, "not over the payload alone");
  t.notOk(verify(manifest, "dsse.sig").ok, "not over the manifest");
  writeFileSync(file("pae"), Buffer.from(encoding.toString().replace("harbour-test", "harbour-tost")));
  t.notOk(verify("pae", "dsse.sig").ok, "another payload");
});
