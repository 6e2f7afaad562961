// Witnesses and authorities in a trust file; row B13 of the threat list: who says when a lane was signed does not sign it.
import { generateKeyPairSync } from "node:crypto";
import { Metadata, MetadataKind } from "@tufjs/models";
import t from "tap";
import { readSigningKey } from "../../../lib/manifest/keys.js";
import { parseTrust, type Trust } from "../../../lib/manifest/trust.js";
import { addSigner, initTrust, revokeKey, rotateRoot, signRoot } from "../../../lib/manifest/trust-change.js";
import {
  addAuthority,
  addWitness,
  removeAuthority,
  removeWitness,
  requireTime,
} from "../../../lib/manifest/trust-time.js";
import { readCertificate } from "../../../lib/time/certificate.js";
import type { RootSigned } from "../../../schemas/index.js";
import { certificate, isAuthority, world } from "../../support/authorities.js";
import { testKey } from "../../support/test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../../support/trust-files.js";
import { codeOf } from "../bytes/codes.js";

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in ways that no type allows
type Loose = any;

const ID = (word: string): string => testKey(word).keyId;
const FIRST = initTrust({ root: [owned("keeper")], signers: [owned("ada")], lanes: "*", expires: FAR });
const { root, authority } = world();
const ROOT = readCertificate(root.der);
const CLOCK = readCertificate(authority.der);
const SINCE = "2026-03-01T12:00:00.000Z";

const witness = (before: RootSigned, word: string, threshold?: number): RootSigned =>
  addWitness(before, { witness: owned(word), ...(threshold === undefined ? {} : { threshold }) });
const WITNESSED = witness(witness(FIRST, "bob"), "carol", 2);

/** What an edited version is refused for, signed as it should be; or "accepted". */
function edited(edit: (signed: Loose) => void, from: RootSigned = WITNESSED): string {
  const signed = structuredClone({ ...from, version: 1 });
  edit(signed);
  return codeOf(() => parseTrust(bytesOf([signRoot(signed, [testKey("keeper")])]), "trust.json"));
}

t.test("a trust file that knows the time", async (t) => {
  const changes: readonly ((before: RootSigned) => RootSigned)[] = [
    (before) => witness(before, "bob"),
    (before) => witness(before, "carol", 2),
    (before) => addAuthority(before, ROOT),
    (before) => addAuthority(before, CLOCK),
    (before) => requireTime(before, true),
    (before) => removeAuthority(before, ROOT),
    (before) => removeWitness(before, { keyId: ID("bob"), threshold: 1 }),
    (before) => requireTime(before, false),
    (before) => removeAuthority(before, CLOCK),
    (before) => removeWitness(before, { keyId: ID("carol") }),
  ];
  const roots = chainOf([FIRST, "keeper"], ...changes.map((change) => [change, "keeper"] as const));
  const at = (version: number): Trust => parseTrust(bytesOf(roots.slice(0, version)), "trust.json");
  const said = (version: number) => {
    const { witnesses, authorities, timeRequired, keys } = at(version);
    return [witnesses, authorities.map(({ sha256 }) => sha256), timeRequired, keys.length];
  };
  const both = { threshold: 2, keyIds: [ID("bob"), ID("carol")] };
  t.strictSame(said(1), [undefined, [], false, 2]);
  t.strictSame(said(2), [{ threshold: 1, keyIds: [ID("bob")] }, [], false, 3]);
  t.strictSame(said(3), [both, [], false, 4]);
  t.strictSame(said(6), [both, [ROOT.sha256, CLOCK.sha256], true, 4]);
  t.strictSame(said(7), [both, [CLOCK.sha256], true, 4]);
  t.strictSame(said(8), [{ threshold: 1, keyIds: [ID("carol")] }, [CLOCK.sha256], true, 3], "the key is gone too");
  t.strictSame(said(11), [undefined, [], false, 2]);
  t.equal(at(11).firstRootSha256, at(1).firstRootSha256, "one identity all along");
  for (const [index, version] of roots.entries()) {
    const read = Metadata.fromJSON(MetadataKind.Root, structuredClone(version) as Loose);
    t.equal(read.signed.version, index + 1);
    t.strictSame(read.toJSON().signed, version.signed, "tuf-js keeps the members that are ours");
  }
});

t.test("row B13: roles that must be apart", async (t) => {
  const keeperToo = initTrust({ root: [owned("keeper")], signers: [owned("keeper")], lanes: "*", expires: FAR });
  for (const [why, change] of [
    ["a lane's signer as witness", () => witness(FIRST, "ada")],
    [
      "the signer of some lanes as witness",
      () => witness(addSigner(FIRST, { signer: owned("eve"), lanes: "eve-*" }), "eve"),
    ],
    ["a root key as witness", () => witness(FIRST, "keeper")],
    ["the one key of a one-key file as witness", () => witness(keeperToo, "keeper")],
    ["a witness as signer", () => addSigner(WITNESSED, { signer: owned("bob"), lanes: "*" })],
    ["a witness as root key", () => rotateRoot(WITNESSED, { add: [owned("bob")] })],
    ["a witness whose key is revoked", () => revokeKey(WITNESSED, { keyId: ID("bob"), since: SINCE, reason: "x" })],
    [
      "a revoked key as witness",
      () =>
        witness(
          revokeKey(addSigner(FIRST, { signer: owned("eve"), lanes: "*" }), {
            keyId: ID("eve"),
            since: SINCE,
            reason: "x",
          }),
          "eve",
        ),
    ],
  ] as const) {
    t.equal(codeOf(change), "E_ROLE_OVERLAP", why);
  }
  // An authority whose certificate is of a key that signs lanes: this key has to be known in the raw for that.
  const { privateKey } = generateKeyPairSync("ed25519");
  const signer = readSigningKey(privateKey.export({ format: "pem", type: "pkcs8" }) as string, "signer");
  const own = readCertificate(
    certificate({ name: "Own", key: privateKey, issuer: root, extensions: [isAuthority()] }).der,
  );
  const signing = addSigner(FIRST, { signer: { key: signer, owner: "eve" }, lanes: "*" });
  t.equal(
    codeOf(() => addAuthority(signing, own)),
    "E_ROLE_OVERLAP",
    "a lane's signer as authority",
  );
  t.equal(
    codeOf(() => addAuthority(FIRST, own)),
    "accepted",
    "and the same key where it signs nothing",
  );
  t.equal(
    codeOf(() => witness(addAuthority(FIRST, own), "bob")),
    "accepted",
  );
});

t.test("changes that are refused", async (t) => {
  for (const [why, change, code] of [
    ["a witness again", () => witness(WITNESSED, "bob"), "E_DUPLICATE"],
    ["a witness again with another threshold", () => witness(WITNESSED, "bob", 1), "accepted"],
    ["more witnesses than there are", () => witness(WITNESSED, "dave", 4), "E_THRESHOLD_CFG"],
    ["no witness needed", () => witness(WITNESSED, "dave", 0), "E_THRESHOLD_CFG"],
    ["too few witnesses left", () => removeWitness(WITNESSED, { keyId: ID("bob") }), "E_THRESHOLD_CFG"],
    ["nobody's removal", () => removeWitness(WITNESSED, { keyId: ID("dave") }), "E_UNKNOWN"],
    ["a signer's removal from the witnesses", () => removeWitness(WITNESSED, { keyId: ID("ada") }), "E_UNKNOWN"],
    ["a removal where there is none", () => removeWitness(FIRST, { keyId: ID("bob") }), "E_UNKNOWN"],
    ["an authority again", () => addAuthority(addAuthority(FIRST, ROOT), ROOT), "E_DUPLICATE"],
    ["an authority that is not there", () => removeAuthority(FIRST, ROOT), "E_UNKNOWN"],
    ["another authority than is there", () => removeAuthority(addAuthority(FIRST, ROOT), CLOCK), "E_UNKNOWN"],
    ["a time that is asked for already", () => requireTime(requireTime(FIRST, true), true), "E_DUPLICATE"],
    ["a time that is not asked for anyway", () => requireTime(FIRST, false), "E_DUPLICATE"],
  ] as const) {
    t.equal(codeOf(change), code, why);
  }
});

t.test("documents that are refused", async (t) => {
  const witnesses = (value: unknown) => (signed: Loose) => {
    signed["x-sealane-witnesses"] = value;
  };
  const authorities = (value: unknown) => (signed: Loose) => {
    signed["x-sealane-authorities"] = value;
  };
  const der = root.der.toString("base64");
  for (const [why, edit, code] of [
    ["as it is", () => {}, "accepted"],
    ["a witness twice", witnesses({ threshold: 1, keyids: [ID("bob"), ID("bob")] }), "accepted"],
    [
      "a witness twice where two are needed",
      witnesses({ threshold: 2, keyids: [ID("bob"), ID("bob")] }),
      "E_THRESHOLD_CFG",
    ],
    ["a threshold of 0", witnesses({ threshold: 0, keyids: [ID("bob")] }), "E_THRESHOLD_CFG"],
    ["no threshold", witnesses({ keyids: [ID("bob")] }), "E_THRESHOLD_CFG"],
    ["a witness without a key", witnesses({ threshold: 1, keyids: [ID("dave")] }), "E_KEY"],
    ["a witness that signs", witnesses({ threshold: 1, keyids: [ID("ada")] }), "E_ROLE_OVERLAP"],
    ["no witnesses at all", witnesses({ threshold: 1, keyids: [] }), "E_THRESHOLD_CFG"],
    ["a certificate", authorities([der]), "accepted"],
    ["a certificate twice", authorities([der, der]), "E_DUPLICATE"],
    ["a certificate in base64 that is not strict", authorities([`${der}\n`]), "E_KEY"],
    ["no certificate", authorities(["AAAA"]), "E_KEY"],
    ["no certificates", authorities([]), "E_SCHEMA"],
    [
      "a time that is not asked for, said so",
      (signed: Loose) => (signed["x-sealane-time-required"] = false),
      "E_SCHEMA",
    ],
  ] as const) {
    t.equal(edited(edit), code, why);
  }
});
