// Whose signature counts: rows B and D of the threat list, each with its reason code.
import t from "tap";
import { parseTrust } from "../../lib/manifest/trust.js";
import { initTrust, rotateRoot, signRoot } from "../../lib/manifest/trust-change.js";
import type { TrustRoot } from "../../schemas/index.js";
import { codeOf } from "../lib/bytes/codes.js";
import { codesOf, goodLane, verifyFiles } from "../support/lane.js";
import { testKey } from "../support/test-key.js";
import { bytesOf, FAR, owned } from "../support/trust-files.js";
import { SIGNER_CASES } from "./trust-cases.js";

t.setTimeout(120_000);

for (const { id, why, fault, policy, codes, exit, named = [] } of SIGNER_CASES) {
  t.test(`${id}: ${why}`, async (t) => {
    const files = await goodLane();
    fault?.(files);
    const { trust, state } = policy(files);
    const report = verifyFiles(files, trust, undefined, state ?? undefined);
    t.strictSame(codesOf(report), codes);
    t.equal(report.exit_code, exit);
    for (const name of named)
      t.ok(
        report.verdict.limits.some((limit) => limit.includes(name)),
        `the limits name ${name}`,
      );
  });
}

// Trust files are refused before any lane is looked at.
t.test("rows B11, B14 and B20: trust files that nobody may rest on", async (t) => {
  const first = initTrust({ root: [owned("keeper")], signers: [owned("author")], lanes: "*", expires: FAR });
  const next = rotateRoot(first, { add: [owned("new")], remove: [testKey("keeper").keyId] });
  const by = (signed: TrustRoot["signed"], ...words: string[]): TrustRoot => signRoot(signed, words.map(testKey));
  const authorIs = (keytype: string): TrustRoot["signed"] => {
    const keyId = testKey("author").keyId;
    return { ...first, keys: { ...first.keys, [keyId]: { ...first.keys[keyId]!, keytype } } };
  };
  const threshold = (value: unknown): TrustRoot["signed"] => ({
    ...first,
    "x-sealane-lanes": first["x-sealane-lanes"].map((rule) => ({ ...rule, threshold: value as number })),
  });
  const one = by(first, "keeper");
  for (const [why, roots, code] of [
    ["B11: a threshold of 0", [by(threshold(0), "keeper")], "E_THRESHOLD_CFG"],
    ["B11: a negative threshold", [by(threshold(-1), "keeper")], "E_THRESHOLD_CFG"],
    ["B11: a threshold above the keys", [by(threshold(2), "keeper")], "E_THRESHOLD_CFG"],
    ["B11: a threshold that is none", [by(threshold("1"), "keeper")], "E_THRESHOLD_CFG"],
    ["B11: no threshold", [{ ...one, signed: threshold(undefined) }], "E_THRESHOLD_CFG"],
    ["B14: an X25519 key", [by(authorIs("x25519"), "keeper")], "E_KEYTYPE"],
    ["B14: an Ed448 key", [by(authorIs("ed448"), "keeper")], "E_KEYTYPE"],
    ["B14: an RSA key", [by(authorIs("rsa"), "keeper")], "E_KEYTYPE"],
    ["B14: an EC key", [by(authorIs("ecdsa"), "keeper")], "E_KEYTYPE"],
    ["B20: signed by both", [one, by(next, "keeper", "new")], "accepted"],
    ["B20: signed by the new key only", [one, by(next, "new")], "E_ROOT_CHAIN"],
    ["B20: signed by the old key only", [one, by(next, "keeper")], "E_ROOT_CHAIN"],
    ["B20: a version skipped", [one, by({ ...next, version: 3 }, "keeper", "new")], "E_ROOT_CHAIN"],
    ["B20: a version equal", [one, by({ ...next, version: 1 }, "keeper", "new")], "E_ROOT_CHAIN"],
  ] as const) {
    t.equal(
      codeOf(() => parseTrust(bytesOf([...roots]), "trust.json")),
      code,
      why,
    );
  }
});
