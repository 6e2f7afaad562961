import { spawnSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { encryptPrivateKey, isEncryptedPem, isWholeFrame } from "../../../lib/manifest/encrypted-key.js";
import { newKeyPair, readPublicKey, readSigningKey } from "../../../lib/manifest/keys.js";
import { tool } from "../../support/foreign.js";
import { testKey, testKeyPem } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const PASSPHRASE = Buffer.from("correct horse, naïve 🔑");
const der = createPrivateKey(testKeyPem("a")).export({ format: "der", type: "pkcs8" });
const fixed = { salt: Buffer.alloc(16, 1), iv: Buffer.alloc(16, 2) };

t.test("known bytes", async (t) => {
  const pem = encryptPrivateKey(der, PASSPHRASE, fixed);
  t.ok(isEncryptedPem(pem));
  t.ok(isWholeFrame(pem));
  const bytes = Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ""), "base64");
  // RFC 8018 appendices A.2 to A.4: PBES2 { PBKDF2 { salt, 600000, HMAC-SHA256 }, AES-256-CBC { iv } }, then 64 bytes.
  const frame =
    "3081a43060" +
    "06092a864886f70d01050d" +
    "3053" +
    "3032" +
    "06092a864886f70d01050c" +
    `30250410${"01".repeat(16)}02030927c0300c06082a864886f70d02090500` +
    `301d060960864801650304012a0410${"02".repeat(16)}` +
    "0440";
  t.equal(bytes.subarray(0, -64).toString("hex"), frame);
  for (const line of pem.split("\n")) t.ok(line.length <= 64, line);
  t.equal(encryptPrivateKey(der, PASSPHRASE, fixed), pem, "the same for the same salt");
});

t.test("round trips", async (t) => {
  const { privatePem, publicPem } = newKeyPair(PASSPHRASE);
  t.ok(isEncryptedPem(privatePem));
  const key = readSigningKey(privatePem, "k", PASSPHRASE);
  t.equal(key.keyId, readPublicKey(publicPem, "k").keyId);
  t.equal(readPublicKey(privatePem, "k", PASSPHRASE).keyId, key.keyId);
  t.equal(readSigningKey(privatePem.replaceAll("\n", "\r\n"), "k", PASSPHRASE).keyId, key.keyId, "CRLF");
  const again = newKeyPair(PASSPHRASE).privatePem.split("\n");
  t.not(again[2], privatePem.split("\n")[2], "salt and IV are fresh");
  t.equal(
    readSigningKey(encryptPrivateKey(der, PASSPHRASE, fixed), "k", PASSPHRASE).keyId,
    testKey("a").keyId,
    "of a fixed key",
  );
  t.equal(readSigningKey(testKeyPem("a"), "k", PASSPHRASE).keyId, testKey("a").keyId, "a plain key needs none");
  const long = Buffer.alloc(1024, "x");
  t.equal(
    codeOf(() => readSigningKey(newKeyPair(long).privatePem, "k", long)),
    "accepted",
    "the longest",
  );
});

t.test("wrong, missing and unusable passphrases", async (t) => {
  const { privatePem } = newKeyPair(PASSPHRASE);
  for (const [name, passphrase] of [
    ["none", undefined],
    ["empty", Buffer.alloc(0)],
    ["another", Buffer.from("correct horse")],
    ["another normal form", Buffer.from(PASSPHRASE.toString("utf8").normalize("NFD"))],
    ["too long", Buffer.alloc(1025, "x")],
  ] as const) {
    t.equal(
      codeOf(() => readSigningKey(privatePem, "k", passphrase)),
      "E_PASSPHRASE",
      `${name}, to sign`,
    );
    t.equal(
      codeOf(() => readPublicKey(privatePem, "k", passphrase)),
      "E_PASSPHRASE",
      `${name}, to show`,
    );
  }
  for (const [name, passphrase] of [
    ["empty", Buffer.alloc(0)],
    ["too long", Buffer.alloc(1025, "x")],
  ] as const) {
    t.equal(
      codeOf(() => newKeyPair(passphrase)),
      "E_PASSPHRASE",
      `${name}, for a new key`,
    );
  }
  // One wrong passphrase in 256 decrypts to something with right padding: none of many may get through as anything else.
  // A key as node itself encrypts it, because that one derives quickly.
  const quick = createPrivateKey(testKeyPem("a")).export({
    format: "pem",
    type: "pkcs8",
    cipher: "aes-256-cbc",
    passphrase: PASSPHRASE,
  }) as string;
  const codes = Array.from({ length: 800 }, (_, number) =>
    codeOf(() => readSigningKey(quick, "k", Buffer.from(`wrong ${number}`))),
  );
  t.strictSame([...new Set(codes)], ["E_PASSPHRASE"]);
  t.equal(readSigningKey(quick, "k", PASSPHRASE).keyId, testKey("a").keyId);
});

t.test("frames that are broken are no matter of passphrases", async (t) => {
  const { privatePem } = newKeyPair(PASSPHRASE);
  const lines = privatePem.split("\n");
  for (const [name, text] of [
    ["cut", lines.filter((_, index) => index !== 2).join("\n")],
    ["empty", [lines[0], lines.at(-2), ""].join("\n")],
    ["without its end", lines.slice(0, 3).join("\n")],
    ["of a word", `${lines[0]}\nauthor\n${lines.at(-2)}\n`],
  ] as const) {
    t.equal(
      codeOf(() => readSigningKey(text, "k", PASSPHRASE)),
      "E_KEY",
      name,
    );
  }
  const other = generateKeyPairSync("ed448").privateKey.export({ format: "der", type: "pkcs8" });
  const pem = encryptPrivateKey(other, PASSPHRASE, fixed);
  t.equal(
    codeOf(() => readSigningKey(pem, "k", PASSPHRASE)),
    "E_KEY",
    "a key of another kind",
  );
});

const openssl = tool("openssl", ["version"], /OpenSSL [3-9]\.[\d.]+/);

t.test("openssl opens ours, and we its", { skip: openssl.skip }, async (t) => {
  t.comment(openssl.version);
  const dir = t.testdir();
  const file = (name: string) => join(dir, name);
  const { privatePem, publicPem } = newKeyPair(PASSPHRASE);
  writeFileSync(file("ours.pem"), privatePem);
  writeFileSync(file("pass"), PASSPHRASE);
  writeFileSync(file("wrong"), "something else\n");
  const opened = openssl.run(["pkey", "-in", file("ours.pem"), "-passin", `file:${file("pass")}`, "-pubout"]);
  t.ok(opened.ok, opened.said);
  t.equal(opened.said, publicPem);
  t.notOk(openssl.run(["pkey", "-in", file("ours.pem"), "-passin", `file:${file("wrong")}`, "-pubout"]).ok);

  writeFileSync(file("plain.pem"), testKeyPem("a"));
  for (const cipher of [["-v2", "aes-256-cbc"], ["-v2", "aes-128-cbc", "-iter", "10000"], ["-scrypt"]]) {
    const { stdout } = spawnSync(
      "openssl",
      ["pkcs8", "-topk8", "-in", file("plain.pem"), "-passout", `file:${file("pass")}`, ...cipher],
      { encoding: "utf8" },
    );
    t.equal(readSigningKey(stdout, "k", PASSPHRASE).keyId, testKey("a").keyId, cipher.join(" "));
    t.equal(
      codeOf(() => readSigningKey(stdout, "k", Buffer.from("no"))),
      "E_PASSPHRASE",
      cipher.join(" "),
    );
  }
});
