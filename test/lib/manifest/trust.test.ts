import { generateKeyPairSync } from "node:crypto";
import { Metadata, MetadataKind } from "@tufjs/models";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { olpcJson } from "../../../lib/bytes/olpc-json.js";
import { keyIdOf } from "../../../lib/manifest/keys.js";
import { readRoot } from "../../../lib/manifest/root-chain.js";
import { parseTrust, signersOf, type Trust, trustOf } from "../../../lib/manifest/trust.js";
import {
  addSigner,
  endRule,
  initTrust,
  removeSigner,
  revokeKey,
  rotateRoot,
  signRoot,
  trustFile,
} from "../../../lib/manifest/trust-change.js";
import type { LaneRule, RootSigned, TrustFile, TrustRoot } from "../../../schemas/index.js";
import { testKey } from "../../support/test-key.js";
import { bytesOf, chainOf, FAR, owned, trustFileOf } from "../../support/trust-files.js";
import { codeOf } from "../bytes/codes.js";

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in ways that no type allows
type Loose = any;

const ID = (word: string): string => testKey(word).keyId;
const [ADA, BOB, CYD] = ["ada", "bob", "cyd"].map(ID) as [string, string, string];
const rule = (lanes: string, threshold: number, ...keyids: string[]): LaneRule => ({ lanes, threshold, keyids });

/** Kept by "keeper" alone; ada may sign every lane. */
const FIRST = initTrust({ root: [owned("keeper")], signers: [owned("ada")], lanes: "*", expires: FAR });

const parse = (roots: TrustRoot[]): Trust => parseTrust(bytesOf(roots), "trust.json");

/** Version 1, edited, with all of ada, bob and cyd in it, and signed by its keeper over the edit. */
function signedAs(edit: (signed: Loose) => void, ...words: string[]): TrustRoot[] {
  const signers = ["ada", "bob", "cyd"].map(owned);
  const signed = structuredClone(initTrust({ root: [owned("keeper")], signers, lanes: "*", expires: FAR }));
  edit(signed);
  return [signRoot(signed, (words.length === 0 ? ["keeper"] : words).map(testKey))];
}
const withRules = (...rules: LaneRule[]): TrustRoot[] =>
  signedAs((signed) => {
    signed["x-sealane-lanes"] = rules;
  });

t.test("a trust file", async (t) => {
  const trust = parse([signRoot(FIRST, [testKey("keeper")])]);
  t.match(trust, {
    version: 1,
    expires: FAR,
    root: { threshold: 1, keyIds: [ID("keeper")] },
    rules: [{ lanes: "*", threshold: 1, keyIds: [ADA] }],
    revoked: [],
  });
  t.strictSame(
    new Map(trust.keys.map(({ keyId, owner }) => [keyId, owner])),
    new Map([ID("keeper"), ADA].sort().map((id) => [id, id === ADA ? "ada" : "keeper"])),
  );
  t.equal(trust.firstRootSha256, readRoot({ signed: FIRST, signatures: [] }, "x").sha256);
  t.equal(olpcJson(FIRST), canonicalJson(FIRST), "no string of ours is written differently by the two canonical forms");
  t.strictSame(
    parse(JSON.parse(trustFileOf(testKey("ada"), "Ada", "example.*")).roots),
    trustOf(testKey("ada"), "Ada", "example.*"),
    "what trustOf says without a file",
  );
});

t.test("trust without a file", async (t) => {
  const trust = trustOf(testKey("ada"), "Ada", "example.*");
  t.strictSame(
    signersOf(trust, "example.lane")?.keys.map(({ keyId, owner }) => [keyId, owner]),
    [[ADA, "Ada"]],
  );
  t.equal(signersOf(trust, "another.lane"), undefined);
  t.equal(
    codeOf(() => trustOf(testKey("ada"), "Ada", "Example*")),
    "E_SCHEMA",
  );
});

t.test("trust files that are refused", async (t) => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "pem", type: "spki" });
  const hex = (word: string): string => Buffer.from(testKey(word).bytes).toString("hex");
  const key = (text: string, keytype = "ed25519", scheme = keytype): object => ({
    keytype,
    scheme,
    keyval: { public: text },
  });
  /** One more key in the file, owned by eve. */
  const eve = (keyid: string, object: object): TrustRoot[] =>
    signedAs((signed) => {
      signed.keys[keyid] = object;
      signed["x-sealane-owners"][keyid] = "eve";
    });
  const rulesOf = (edit: (rules: Loose) => void): TrustRoot[] => signedAs((signed) => edit(signed["x-sealane-lanes"]));
  const revoked = (...entries: object[]): TrustRoot[] =>
    signedAs((signed) => {
      signed["x-sealane-revoked"] = entries;
    });
  const since = "2026-01-31T12:00:00.000Z";
  const neutral = "01".padEnd(64, "0");
  const noPoint = "02".padEnd(64, "0");
  const cases: readonly (readonly [why: string, roots: TrustRoot[], code: string])[] = [
    ["two rules for the same lanes", withRules(rule("*", 1, ADA), rule("*", 2, ADA, BOB)), "E_DUPLICATE"],
    [
      "two rules for the same lane",
      withRules(rule("a", 2, ADA, BOB), rule("*", 1, ADA), rule("a", 1, CYD)),
      "E_DUPLICATE",
    ],
    ["a rule with an unknown key", withRules(rule("*", 1, ID("eve"))), "E_KEY"],
    ["a rule with one unknown key of two", withRules(rule("*", 1, BOB, ID("eve"))), "E_KEY"],
    ["a threshold of 0", withRules(rule("*", 0, ADA)), "E_THRESHOLD_CFG"],
    ["a negative threshold", withRules(rule("*", -1, ADA)), "E_THRESHOLD_CFG"],
    [
      "half a threshold",
      rulesOf(([first]) => {
        first.threshold = "1";
      }),
      "E_THRESHOLD_CFG",
    ],
    [
      "no threshold",
      rulesOf(([first]) => {
        delete first.threshold;
      }),
      "E_THRESHOLD_CFG",
    ],
    ["a threshold above the keys", withRules(rule("*", 2, ADA)), "E_THRESHOLD_CFG"],
    ["a threshold met by one key named twice", withRules(rule("*", 2, ADA, ADA)), "E_THRESHOLD_CFG"],
    ["no keys in a rule", withRules(rule("*", 1)), "E_THRESHOLD_CFG"],
    [
      "a root threshold of 0",
      signedAs(({ roles }) => {
        roles.root.threshold = 0;
      }),
      "E_THRESHOLD_CFG",
    ],
    [
      "a root threshold above the keys",
      signedAs(({ roles }) => {
        roles.root.threshold = 2;
      }),
      "E_THRESHOLD_CFG",
    ],
    [
      "no root key",
      signedAs(({ roles }) => {
        roles.root.keyids = [];
      }),
      "E_THRESHOLD_CFG",
    ],
    ["a pattern inside a name", withRules(rule("a*b", 1, ADA)), "E_SCHEMA"],
    ["capitals in a name", withRules(rule("Example", 1, ADA)), "E_SCHEMA"],
    ["an empty name", withRules(rule("", 1, ADA)), "E_SCHEMA"],
    ["a key under the id of another", eve("0".repeat(64), key(hex("ada"))), "E_KEY"],
    ["a key id in capitals", eve(ID("eve").toUpperCase(), key(hex("eve"))), "E_SCHEMA"],
    [
      "a key without an owner",
      signedAs((signed) => {
        delete signed["x-sealane-owners"][ADA];
      }),
      "E_KEY",
    ],
    [
      "an owner without a key",
      signedAs((signed) => {
        signed["x-sealane-owners"][ID("eve")] = "eve";
      }),
      "E_KEY",
    ],
    ["a point of small order", eve(keyIdOf(Buffer.from(neutral, "hex")), key(neutral)), "E_KEY_WEAK"],
    ["no point", eve(keyIdOf(Buffer.from(noPoint, "hex")), key(noPoint)), "E_KEY_WEAK"],
    ["a key in capitals", eve(ID("eve"), key(hex("eve").toUpperCase())), "E_SCHEMA"],
    ["a short key", eve(ID("eve"), key(hex("eve").slice(2))), "E_SCHEMA"],
    ["an RSA key", eve(ID("eve"), key(rsa as string, "rsa", "rsassa-pss-sha256")), "E_KEYTYPE"],
    ["an X25519 key", eve(ID("eve"), key(hex("eve"), "x25519")), "E_KEYTYPE"],
    ["an Ed448 key", eve(ID("eve"), key("0".repeat(114), "ed448")), "E_KEYTYPE"],
    ["an ECDSA key", eve(ID("eve"), key(hex("eve"), "ecdsa", "ecdsa-sha2-nistp256")), "E_KEYTYPE"],
    ["Ed25519ph", eve(ID("eve"), key(hex("eve"), "ed25519", "ed25519ph")), "E_KEYTYPE"],
    ["an unknown key that is revoked", revoked({ keyid: ID("eve"), since, reason: "x" }), "E_KEY"],
    [
      "a key revoked twice",
      revoked({ keyid: ADA, since, reason: "x" }, { keyid: ADA, since, reason: "y" }),
      "E_DUPLICATE",
    ],
    ["a root key that is revoked", revoked({ keyid: ID("keeper"), since, reason: "x" }), "E_ROLE_OVERLAP"],
    [
      "a revocation without milliseconds",
      revoked({ keyid: ADA, since: "2026-01-31T12:00:00Z", reason: "x" }),
      "E_SCHEMA",
    ],
    ["a revocation in month 13", revoked({ keyid: ADA, since: "2026-13-01T12:00:00.000Z", reason: "x" }), "E_SCHEMA"],
    [
      "a revocation in another zone",
      revoked({ keyid: ADA, since: "2026-01-31T12:00:00.000+01:00", reason: "x" }),
      "E_SCHEMA",
    ],
    ["a revocation without a reason", revoked({ keyid: ADA, since, reason: "" }), "E_SCHEMA"],
    ["a line feed in a reason", revoked({ keyid: ADA, since, reason: "a\nb" }), "E_SCHEMA"],
    [
      "an escape in an owner",
      signedAs((signed) => {
        signed["x-sealane-owners"][ADA] = "\u001b[2J";
      }),
      "E_SCHEMA",
    ],
    [
      "a long owner",
      signedAs((signed) => {
        signed["x-sealane-owners"][ADA] = "a".repeat(201);
      }),
      "E_SCHEMA",
    ],
    [
      "an expiry with fractions",
      signedAs((signed) => {
        signed.expires = "2030-01-01T00:00:00.000Z";
      }),
      "E_SCHEMA",
    ],
    [
      "something more in a version",
      signedAs((signed) => {
        signed.note = "";
      }),
      "E_SCHEMA",
    ],
    ["something more in a key", eve(ID("eve"), { ...key(hex("eve")), expires: "never" }), "E_SCHEMA"],
    [
      "a role of TUF that is missing",
      signedAs(({ roles }) => {
        delete roles.timestamp;
      }),
      "E_SCHEMA",
    ],
    ["not signed", signedAs(() => {}, "ada"), "E_ROOT_CHAIN"],
    [
      "version 2 first",
      signedAs((signed) => {
        signed.version = 2;
      }),
      "E_ROOT_CHAIN",
    ],
    ["signed twice by one key", signedAs(() => {}, "keeper", "keeper"), "E_DUPLICATE"],
    [
      "two root keys needed, of which one signs lanes",
      signedAs(
        ({ roles }) => {
          roles.root = { keyids: [ID("keeper"), ADA], threshold: 2 };
        },
        "keeper",
        "ada",
      ),
      "E_ROLE_OVERLAP",
    ],
    [
      "one of two root keys needed, of which one signs lanes",
      signedAs(({ roles }) => {
        roles.root = { keyids: [ID("keeper"), ADA], threshold: 1 };
      }),
      "accepted",
    ],
  ];
  for (const [why, roots, code] of cases) {
    t.equal(
      codeOf(() => parse(roots)),
      code,
      why,
    );
  }
  t.throws(() => parse(withRules(rule("*", 1, ADA), rule("a", 2, BOB))), {
    code: "E_THRESHOLD_CFG",
    at: "trust.json#/roots/0/signed/x-sealane-lanes/1",
  });
});

t.test("documents that are no trust file", async (t) => {
  const good = trustFile([signRoot(FIRST, [testKey("keeper")])]) as TrustFile;
  for (const [why, value, code] of [
    ["no version", { ...good, roots: [] }, "E_SCHEMA"],
    ["no roots", { schema: good.schema }, "E_SCHEMA"],
    ["something more", { ...good, expires: "never" }, "E_SCHEMA"],
    [
      "something more in a signature",
      {
        ...good,
        roots: good.roots.map((root) => ({
          ...root,
          signatures: root.signatures.map((one) => ({ ...one, method: "none" })),
        })),
      },
      "E_SCHEMA",
    ],
    [
      "a signature that is short",
      { ...good, roots: good.roots.map((root) => ({ ...root, signatures: [{ keyid: ADA, sig: "00" }] })) },
      "E_SCHEMA",
    ],
    ["the form before chains", { schema: good.schema, keys: [], rules: [] }, "E_SCHEMA"],
    ["no object", [], "E_SCHEMA"],
    ["nothing", null, "E_SCHEMA"],
    ["a newer version", { ...good, schema: "sealane-trust/2" }, "E_VERSION"],
    ["a newer version of any shape", { schema: "sealane-trust/10", keys: [] }, "E_VERSION"],
    ["another document", { ...good, schema: "sealane-manifest/1" }, "E_SCHEMA"],
    ["no schema", { roots: good.roots }, "E_SCHEMA"],
  ] as const) {
    t.equal(
      codeOf(() => parseTrust(Buffer.from(JSON.stringify(value)), "trust.json")),
      code,
      why,
    );
  }
  const text = JSON.stringify(good);
  for (const [why, bytes, code] of [
    ["a key of an object twice", text.replace('"roots":', '"roots":[],"roots":'), "E_JSON"],
    ["a threshold twice", text.replace('"threshold":1', '"threshold":2,"threshold":1'), "E_JSON"],
    ["a byte order mark", `\ufeff${text}`, "E_JSON"],
    ["a comment", `// mine\n${text}`, "E_JSON"],
    ["cut short", text.slice(0, -1), "E_JSON"],
    ["nothing", "", "E_JSON"],
    ["depth", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "E_LIMIT"],
    ["not UTF-8", Buffer.from(text.replace("ada", "\xff"), "latin1"), "E_UTF8"],
  ] as const) {
    t.equal(
      codeOf(() => parseTrust(Buffer.from(bytes as string), "trust.json")),
      code,
      why,
    );
  }
});

t.test("a key named twice in a rule is one key", async (t) => {
  const trust = parse(withRules(rule("*", 1, ADA, ADA, BOB)));
  t.strictSame(
    signersOf(trust, "any")
      ?.keys.map(({ keyId }) => keyId)
      .sort(),
    [ADA, BOB].sort(),
  );
});

t.test("the most specific rule decides", async (t) => {
  const rules = [
    rule("*", 1, ADA),
    rule("example.*", 1, BOB),
    rule("example.lanes.*", 2, ADA, BOB),
    rule("example.lanes.one", 1, CYD),
    rule("example", 3, ADA, BOB, CYD),
    rule("example*", 1, ADA, CYD),
    rule("exa*", 2, BOB, CYD),
  ];
  for (const [laneId, threshold, ...keys] of [
    ["example.lanes.one", 1, CYD],
    ["example.lanes.one.more", 2, ADA, BOB],
    ["example.lanes.on", 2, ADA, BOB],
    ["example.lanes.", 2, ADA, BOB],
    ["example.lanes", 1, BOB],
    ["example.", 1, BOB],
    ["example", 3, ADA, BOB, CYD],
    ["examples", 1, ADA, CYD],
    ["exampl", 2, BOB, CYD],
    ["exa", 2, BOB, CYD],
    ["ex", 1, ADA],
    ["other", 1, ADA],
  ] as const) {
    for (const [name, ordered] of [
      ["as they stand", rules],
      ["from the end", rules.toReversed()],
      ["from the middle", [...rules.slice(3), ...rules.slice(0, 3)]],
    ] as const) {
      const signers = signersOf(parse(withRules(...ordered)), laneId);
      t.equal(signers?.threshold, threshold, `${laneId}, rules ${name}`);
      t.strictSame(signers?.keys.map(({ keyId }) => keyId).sort(), [...keys].sort());
    }
  }
  const named = parse(withRules(rule("example", 1, ADA), rule("lanes.*", 1, BOB)));
  for (const laneId of ["examples", "exampl", "", "lanes", "other", "my.lanes.one", "*"]) {
    t.equal(signersOf(named, laneId), undefined, `no rule for ${JSON.stringify(laneId)}`);
  }
  for (const { bytes, keyId } of signersOf(named, "example")!.keys) {
    t.equal(keyIdOf(bytes), keyId, "keys come with their bytes");
  }
});

t.test("a trust file lives", async (t) => {
  const since = "2026-01-31T12:00:00.000Z";
  const roots = chainOf(
    [FIRST, "keeper"],
    [(before) => addSigner(before, { signer: owned("bob"), lanes: "*", threshold: 2 }), "keeper"],
    [(before) => addSigner(before, { signer: owned("cyd"), lanes: "cyd-*" }), "keeper"],
    [
      (before) =>
        rotateRoot(before, {
          add: ["k2", "k3"].map(owned),
          remove: [ID("keeper")],
          threshold: 2,
          expires: "2031-01-01T00:00:00Z",
        }),
      "keeper",
      "k2",
      "k3",
    ],
    [(before) => revokeKey(before, { keyId: BOB, since, reason: "laptop stolen" }), "k2", "k3"],
    [(before) => removeSigner(before, { keyId: BOB, threshold: 1 }), "k2", "k3"],
    [(before) => endRule(before, "cyd-*"), "k2", "k3"],
  );
  const at = (version: number): Trust => parse(roots.slice(0, version));
  const rulesAt = (version: number): unknown =>
    at(version).rules.map(({ lanes, threshold, keyIds }) => [lanes, threshold, ...keyIds]);
  t.strictSame(rulesAt(1), [["*", 1, ADA]]);
  t.strictSame(rulesAt(2), [["*", 2, ADA, BOB]]);
  t.strictSame(rulesAt(3), [
    ["*", 2, ADA, BOB],
    ["cyd-*", 1, CYD],
  ]);
  t.match(at(4), { expires: "2031-01-01T00:00:00Z", root: { threshold: 2, keyIds: [ID("k2"), ID("k3")] } });
  t.notOk(
    at(4).keys.some(({ keyId }) => keyId === ID("keeper")),
    "a key without any use leaves the file",
  );
  t.strictSame(at(5).revoked, [{ keyId: BOB, since, reason: "laptop stolen" }]);
  t.strictSame(rulesAt(5), rulesAt(3), "a revoked key stays in its rules: it may have signed in time");
  t.strictSame(rulesAt(6), [
    ["*", 1, ADA],
    ["cyd-*", 1, CYD],
  ]);
  t.ok(
    at(6).keys.some(({ keyId }) => keyId === BOB),
    "a revoked key stays known",
  );
  t.strictSame(rulesAt(7), [["*", 1, ADA]]);
  t.notOk(at(7).keys.some(({ keyId }) => keyId === CYD));
  t.equal(at(7).firstRootSha256, at(1).firstRootSha256, "one identity all along");
  for (const [index, root] of roots.entries()) {
    const read = Metadata.fromJSON(MetadataKind.Root, structuredClone(root) as Loose);
    t.equal(read.signed.version, index + 1);
    t.strictSame(read.toJSON().signed, root.signed, "tuf-js keeps the members that are ours");
  }
});

t.test("changes that are refused", async (t) => {
  const two = initTrust({
    root: ["k1", "k2"].map(owned),
    rootThreshold: 2,
    signers: ["ada", "bob"].map(owned),
    lanes: "*",
    threshold: 2,
    expires: FAR,
  });
  const since = "2026-01-31T12:00:00.000Z";
  const revoked = revokeKey(two, { keyId: BOB, since, reason: "x" });
  const add =
    (root: RootSigned, word: string, lanes = "*", threshold?: number) =>
    () =>
      addSigner(root, { signer: owned(word), lanes, ...(threshold === undefined ? {} : { threshold }) });
  const cases: readonly (readonly [why: string, change: () => unknown, code: string])[] = [
    ["a signer that is there", add(two, "ada"), "E_DUPLICATE"],
    ["a signer that is there, with the threshold as it is", add(two, "ada", "*", 2), "E_DUPLICATE"],
    ["a signer that is there, with another threshold", add(two, "ada", "*", 1), "accepted"],
    ["a signer that is there, for other lanes", add(two, "ada", "ada-*"), "accepted"],
    ["a signer that was revoked", add(revoked, "bob", "bob-*"), "E_REVOKED"],
    ["a root key that is to sign lanes", add(two, "k1"), "E_ROLE_OVERLAP"],
    ["a root key that is to sign lanes, where one root key decides", add(FIRST, "keeper"), "accepted"],
    ["lanes of no form", add(two, "cyd", "*x"), "E_SCHEMA"],
    ["a threshold of 0", add(two, "cyd", "*", 0), "E_THRESHOLD_CFG"],
    ["a threshold above the keys", add(two, "cyd", "*", 4), "E_THRESHOLD_CFG"],
    ["no number for a threshold", add(two, "cyd", "*", Number.NaN), "E_THRESHOLD_CFG"],
    ["a signer too few", () => removeSigner(two, { keyId: BOB }), "E_THRESHOLD_CFG"],
    ["a signer less, and a threshold less", () => removeSigner(two, { keyId: BOB, threshold: 1 }), "accepted"],
    ["the last signer", () => removeSigner(FIRST, { keyId: ADA }), "E_THRESHOLD_CFG"],
    ["a signer that is none", () => removeSigner(two, { keyId: CYD }), "E_UNKNOWN"],
    ["a signer of other lanes", () => removeSigner(two, { keyId: BOB, lanes: "bob-*" }), "E_UNKNOWN"],
    ["a rule that is not there", () => endRule(two, "bob-*"), "E_UNKNOWN"],
    ["no rule left", () => endRule(two, "*"), "accepted"],
    ["a root key too few", () => rotateRoot(two, { remove: [ID("k1")] }), "E_THRESHOLD_CFG"],
    ["no root key left", () => rotateRoot(two, { remove: [ID("k1"), ID("k2")], threshold: 1 }), "E_THRESHOLD_CFG"],
    ["a root key that is none", () => rotateRoot(two, { remove: [ADA] }), "E_UNKNOWN"],
    ["a root key that is there", () => rotateRoot(two, { add: [owned("k1")] }), "E_DUPLICATE"],
    ["a root key twice", () => rotateRoot(two, { add: [owned("k3"), owned("k3")] }), "E_DUPLICATE"],
    ["a signer as a second root key", () => rotateRoot(two, { add: [owned("ada")] }), "E_ROLE_OVERLAP"],
    [
      "a second root key where the first signs lanes",
      () => rotateRoot(addSigner(FIRST, { signer: owned("keeper"), lanes: "x" }), { add: [owned("k2")], threshold: 2 }),
      "E_ROLE_OVERLAP",
    ],
    ["a revoked key as a root key", () => rotateRoot(revoked, { add: [owned("bob")], threshold: 1 }), "E_ROLE_OVERLAP"],
    ["an expiry that is none", () => rotateRoot(two, { expires: "soon" }), "E_SCHEMA"],
    ["another expiry and nothing else", () => rotateRoot(two, { expires: "2031-01-01T00:00:00Z" }), "accepted"],
    ["a revocation twice", () => revokeKey(revoked, { keyId: BOB, since, reason: "y" }), "E_DUPLICATE"],
    ["a revocation of a stranger", () => revokeKey(two, { keyId: CYD, since, reason: "x" }), "E_UNKNOWN"],
    [
      "a revocation of what every object has",
      () => revokeKey(two, { keyId: "constructor", since, reason: "x" }),
      "E_UNKNOWN",
    ],
    ["a revocation of a root key", () => revokeKey(two, { keyId: ID("k1"), since, reason: "x" }), "E_ROLE_OVERLAP"],
    ["a revocation at some time", () => revokeKey(two, { keyId: ADA, since: "2026", reason: "x" }), "E_SCHEMA"],
    [
      "an owner that would move the cursor",
      () => addSigner(two, { signer: { ...owned("cyd"), owner: "a\u001b[H" }, lanes: "*" }),
      "E_SCHEMA",
    ],
    [
      "a first version without signers",
      () => initTrust({ root: [owned("k1")], signers: [], lanes: "*", expires: FAR }),
      "E_THRESHOLD_CFG",
    ],
    [
      "a first version without root keys",
      () => initTrust({ root: [], signers: [owned("ada")], lanes: "*", expires: FAR }),
      "E_THRESHOLD_CFG",
    ],
  ];
  for (const [why, change, code] of cases) t.equal(codeOf(change), code, why);
  t.equal(two.version, 1, "what a change was made of is as it was");
  t.equal(revoked.version, 2);
});
