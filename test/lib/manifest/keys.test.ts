import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { signatureProblem } from "../../../lib/bytes/ed25519.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { admitPublicKey, keyIdOf, newKeyPair, readPublicKey, readSigningKey } from "../../../lib/manifest/keys.js";
import { testKey, testKeyPem } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

// RFC 8032 section 7.1, TEST 1, as PKCS#8 (RFC 8410).
const SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const RFC_PEM = `-----BEGIN PRIVATE KEY-----
${Buffer.from(`302e020100300506032b657004220420${SECRET}`, "hex").toString("base64")}
-----END PRIVATE KEY-----
`;

/** The PEM file (RFC 8410 section 4) of public key bytes, whatever they are. */
function publicPem(bytes: Uint8Array): string {
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
}

t.test("key id", async (t) => {
  const bytes = Buffer.from(PUBLIC, "hex");
  const text = `{"keytype":"ed25519","keyval":{"public":"${PUBLIC}"},"scheme":"ed25519"}`;
  t.equal(keyIdOf(bytes), sha256Hex(text), "of the text that TUF hashes");
  const object = { scheme: "ed25519", keyval: { public: PUBLIC }, keytype: "ed25519" };
  t.equal(keyIdOf(bytes), sha256Hex(canonicalJson(object)));
  t.equal(
    keyIdOf(bytes),
    "74c181c7ad8a0855d4b55e44d2ba87aabdddb196832571f15f92fece332e4916",
    "as sha256sum printed it",
  );
  t.equal(keyIdOf(new Uint8Array(bytes)), keyIdOf(bytes));
  t.not(keyIdOf(testKey("a").bytes), keyIdOf(testKey("b").bytes));
});

t.test("PEM files come back", async (t) => {
  const known = readSigningKey(RFC_PEM, "author.pem");
  t.equal(Buffer.from(known.bytes).toString("hex"), PUBLIC);
  t.equal(
    Buffer.from(known.sign(Buffer.alloc(0)))
      .toString("hex")
      .slice(0, 32),
    "e5564300c360ac729086e2cc806e828a",
    "signs as RFC 8032 says",
  );

  const made = newKeyPair();
  t.not(made.privatePem, newKeyPair().privatePem, "never twice the same");
  for (const [name, privatePem, itsPublicPem] of [
    ["fresh", made.privatePem, made.publicPem],
    ["fixed", testKeyPem("a"), publicPem(testKey("a").bytes)],
  ] as const) {
    const signing = readSigningKey(privatePem, "author.pem");
    const verifying = readPublicKey(itsPublicPem, "author.pub.pem");
    t.equal(signing.bytes.length, 32, name);
    t.same(Buffer.from(verifying.bytes), Buffer.from(signing.bytes));
    t.equal(verifying.keyId, signing.keyId);
    t.equal(publicPem(verifying.bytes), itsPublicPem, "SPKI");
    t.equal(readPublicKey(privatePem, "author.pem").keyId, signing.keyId, "the public half of a private key file");
    t.equal(readPublicKey(itsPublicPem.replaceAll("\n", "\r\n"), "author.pub.pem").keyId, signing.keyId, "CRLF");
    const message = Buffer.from("message");
    const signature = signing.sign(message);
    t.equal(signature.length, 64);
    t.equal(signatureProblem(message, signature, verifying.bytes), undefined);
    t.same(signing.sign(message), signature, "signatures are deterministic");
    t.equal(signatureProblem(Buffer.from("massage"), signature, verifying.bytes), "false");
  }
});

function versionOfOpenssl(): string {
  const { stdout } = spawnSync("openssl", ["version"], { encoding: "utf8" });
  return stdout ?? "";
}

const openssl = /^OpenSSL [3-9]\./.test(versionOfOpenssl()) ? false : "no OpenSSL 3 on PATH";

t.test("openssl reads and checks our files, and we its", { skip: openssl }, async (t) => {
  const dir = t.testdir();
  const file = (name: string) => join(dir, name);
  const run = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });
  const made = newKeyPair();
  const key = readSigningKey(made.privatePem, "ours.pem");
  writeFileSync(file("ours.pem"), made.privatePem);
  writeFileSync(file("ours.pub.pem"), made.publicPem);
  t.match(run("pkey", "-in", file("ours.pem"), "-noout", "-text").toString(), /ED25519 Private-Key/);
  t.equal(run("pkey", "-in", file("ours.pem"), "-pubout").toString(), made.publicPem, "the same public file");
  t.equal(run("pkey", "-in", file("ours.pem")).toString(), made.privatePem, "the same private file");
  const der = run("pkey", "-pubin", "-in", file("ours.pub.pem"), "-outform", "DER");
  t.same(der.subarray(-32), Buffer.from(key.bytes));

  writeFileSync(file("message"), "signed by us");
  writeFileSync(file("signature"), key.sign(Buffer.from("signed by us")));
  const verify = ["pkeyutl", "-verify", "-pubin", "-inkey", file("ours.pub.pem"), "-rawin", "-in", file("message")];
  t.match(run(...verify, "-sigfile", file("signature")).toString(), /Verified Successfully/);

  run("genpkey", "-algorithm", "ed25519", "-out", file("theirs.pem"));
  run("pkey", "-in", file("theirs.pem"), "-pubout", "-out", file("theirs.pub.pem"));
  run("pkeyutl", "-sign", "-inkey", file("theirs.pem"), "-rawin", "-in", file("message"), "-out", file("theirs.sig"));
  const theirs = readPublicKey(readFileSync(file("theirs.pub.pem"), "utf8"), "theirs.pub.pem");
  t.equal(readSigningKey(readFileSync(file("theirs.pem"), "utf8"), "theirs.pem").keyId, theirs.keyId);
  t.equal(signatureProblem(Buffer.from("signed by us"), readFileSync(file("theirs.sig")), theirs.bytes), undefined);
});

t.test("keys of other kinds", async (t) => {
  const pairs = {
    RSA: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
    X25519: generateKeyPairSync("x25519"),
    X448: generateKeyPairSync("x448"),
    Ed448: generateKeyPairSync("ed448"),
  };
  for (const [name, { privateKey, publicKey }] of Object.entries(pairs)) {
    const privatePem = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
    const itsPublicPem = publicKey.export({ format: "pem", type: "spki" }) as string;
    for (const read of [
      () => readSigningKey(privatePem, "k"),
      () => readPublicKey(privatePem, "k"),
      () => readPublicKey(itsPublicPem, "k"),
    ]) {
      t.equal(codeOf(read), "E_KEY", name);
    }
  }
});

t.test("files that hold no key", async (t) => {
  const good = publicPem(testKey("a").bytes);
  const body = good.split("\n")[1]!;
  for (const [name, text] of [
    ["nothing", ""],
    ["white space", "\n\n"],
    ["a word", "author"],
    ["a number of bytes in hexadecimal", PUBLIC],
    ["base64 without its frame", body],
    ["an empty frame", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"],
    ["another frame", good.replaceAll("PUBLIC KEY", "GARBAGE")],
    ["a frame without its end", good.slice(0, good.indexOf("-----END"))],
    ["a body cut short", good.replace(body, body.slice(0, 40))],
    ["a body of zeros", good.replace(body, "A".repeat(60))],
    ["a key of 31 bytes", publicPem(Buffer.alloc(31, 1))],
    [
      "a minisign key",
      "untrusted comment: minisign public key\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n",
    ],
    ["an SSH key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b\n"],
    ["bytes of any kind", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1")],
  ] as const) {
    t.equal(
      codeOf(() => readPublicKey(text, "k")),
      "E_KEY",
      `${name}, as a public key`,
    );
    t.equal(
      codeOf(() => readSigningKey(text, "k")),
      "E_KEY",
      `${name}, as a signing key`,
    );
  }
  t.equal(
    codeOf(() => readSigningKey(good, "k")),
    "E_KEY",
    "a public key signs nothing",
  );
  t.throws(() => readPublicKey("", "author.pub.pem"), { code: "E_KEY", at: "author.pub.pem" });
});

t.test("weak keys", async (t) => {
  const honest = ed25519.Point.fromBytes(testKey("a").bytes);
  const torsion = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  for (const [name, bytes] of [
    ["the neutral point", ed25519.Point.ZERO.toBytes()],
    ["a point of order 8", torsion.toBytes()],
    ["zeros, a point of order 4", Buffer.alloc(32)],
    ["mixed order", honest.add(torsion).toBytes()],
    ["not canonical", Buffer.from(`${"f".repeat(62)}7f`, "hex")],
    ["no point", Buffer.alloc(32, 2).fill(0, 1)],
  ] as const) {
    t.equal(
      codeOf(() => admitPublicKey(bytes, "trust.json#/keys/0")),
      name === "mixed order" ? "E_KEY_TORSION" : "E_KEY_WEAK",
      name,
    );
    t.equal(
      codeOf(() => readPublicKey(publicPem(bytes), "k")),
      name === "mixed order" ? "E_KEY_TORSION" : "E_KEY_WEAK",
      `${name}, as a file`,
    );
  }
  for (const length of [0, 31, 33]) {
    t.equal(
      codeOf(() => admitPublicKey(Buffer.alloc(length, 1), "k")),
      "E_KEY_WEAK",
      `${length} bytes`,
    );
  }
  const { keyId, bytes } = admitPublicKey(honest.toBytes(), "k");
  t.equal(keyId, keyIdOf(bytes));
});
