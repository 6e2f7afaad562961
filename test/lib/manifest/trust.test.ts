import t from "tap";
import { keyIdOf } from "../../../lib/manifest/keys.js";
import { parseTrust, signersOf, trustOf } from "../../../lib/manifest/trust.js";
import type { Trust } from "../../../schemas/index.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

const NAMES = ["ada", "bob", "cyd"] as const;
const KEYS = NAMES.map(testKey);
const [ADA, BOB, CYD] = KEYS.map(({ keyId }) => keyId) as [string, string, string];

const entry = (bytes: Uint8Array, owner: string, keyid = keyIdOf(bytes)): Trust["keys"][0] => ({
  keyid,
  keytype: "ed25519",
  scheme: "ed25519",
  public: Buffer.from(bytes).toString("hex"),
  owner,
});

const ENTRIES = KEYS.map(({ bytes }, index) => entry(bytes, NAMES[index]!));

const trust = (rules: Trust["rules"], keys: Trust["keys"] = ENTRIES): Trust => ({
  schema: "sealane-trust/1",
  keys,
  rules,
});
const rule = (lanes: string, threshold: number, ...keyids: string[]): Trust["rules"][0] => ({
  lanes,
  threshold,
  keyids,
});

const parse = (value: unknown) => parseTrust(Buffer.from(JSON.stringify(value, null, 2)), "trust.json");

t.test("trust files", async (t) => {
  const full = trust([rule("example.lane", 2, ADA, BOB), rule("example.*", 1, BOB), rule("*", 3, ADA, BOB, CYD)]);
  t.same(parse(full), full);
  t.same(parse(trust([], [])), trust([], []), "no one may be trusted");
  const single = trustOf(KEYS[0]!, "Ada", "example.*");
  t.same(parse(single), single, "what trustOf makes");
  t.same(
    signersOf(single, "example.lane")?.keys.map(({ keyId }) => keyId),
    [ADA],
  );
  t.equal(signersOf(single, "another.lane"), undefined);
});

t.test("trust files that are refused", async (t) => {
  const one = rule("*", 1, ADA);
  const neutral = Buffer.from("01".padEnd(64, "0"), "hex");
  const [first, ...others] = ENTRIES as [Trust["keys"][0], ...Trust["keys"]];
  for (const [name, value, code] of [
    ["a key twice", trust([one], [...ENTRIES, first]), "E_DUPLICATE"],
    ["a key twice under two owners", trust([one], [first, { ...first, owner: "eve" }]), "E_DUPLICATE"],
    ["two rules for the same lanes", trust([one, rule("*", 2, ADA, BOB)]), "E_DUPLICATE"],
    ["two rules for the same lane", trust([rule("a", 2, ADA, BOB), one, rule("a", 1, CYD)]), "E_DUPLICATE"],
    ["the key id of another key", trust([one], [{ ...first, keyid: BOB }, ...others]), "E_KEY"],
    ["the key of another key id", trust([one], [{ ...first, public: others[0]!.public }, ...others]), "E_KEY"],
    ["a rule with an unknown key", trust([one], others), "E_KEY"],
    ["a rule with one unknown key of two", trust([rule("*", 1, BOB, ADA)], others), "E_KEY"],
    ["a point of small order", trust([], [entry(neutral, "eve")]), "E_KEY_WEAK"],
    ["no point", trust([], [entry(Buffer.from("02".padEnd(64, "0"), "hex"), "eve")]), "E_KEY_WEAK"],
    ["a threshold of 0", trust([rule("*", 0, ADA)]), "E_SCHEMA"],
    ["a negative threshold", trust([rule("*", -1, ADA)]), "E_SCHEMA"],
    ["half a threshold", trust([rule("*", 1.5, ADA, BOB)]), "E_SCHEMA"],
    ["a threshold above the keys", trust([rule("*", 2, ADA)]), "E_SCHEMA"],
    ["a threshold met by one key named twice", trust([rule("*", 2, ADA, ADA)]), "E_SCHEMA"],
    ["no keys in a rule", trust([rule("*", 1)]), "E_SCHEMA"],
    ["a pattern inside a name", trust([rule("a*b", 1, ADA)]), "E_SCHEMA"],
    ["capitals in a name", trust([rule("Example", 1, ADA)]), "E_SCHEMA"],
    ["capitals in a key", trust([], [{ ...first, public: first.public.toUpperCase() }]), "E_SCHEMA"],
    ["a short key", trust([], [{ ...first, public: first.public.slice(2) }]), "E_SCHEMA"],
    ["another kind of key", trust([], [{ ...first, keytype: "rsa" as "ed25519" }]), "E_SCHEMA"],
    ["something more in a key", trust([], [{ ...first, expires: "never" } as Trust["keys"][0]]), "E_SCHEMA"],
    ["something more", { ...trust([one]), expires: "never" }, "E_SCHEMA"],
    ["something missing", { schema: "sealane-trust/1", keys: [] }, "E_SCHEMA"],
    ["no object", [], "E_SCHEMA"],
    ["nothing", null, "E_SCHEMA"],
    ["a newer version", { ...trust([one]), schema: "sealane-trust/2" }, "E_VERSION"],
    ["a newer version of any shape", { schema: "sealane-trust/10", roots: [] }, "E_VERSION"],
    ["another document", { ...trust([one]), schema: "sealane-manifest/1" }, "E_SCHEMA"],
    ["no schema", { ...trust([one]), schema: undefined }, "E_SCHEMA"],
  ] as const) {
    t.equal(
      codeOf(() => parse(value)),
      code,
      name,
    );
  }
  const text = JSON.stringify(trust([one]));
  for (const [name, bytes, code] of [
    ["a key of an object twice", text.replace('"rules":', '"rules":[],"rules":'), "E_JSON"],
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
      name,
    );
  }
  t.throws(() => parse(trust([one], [...ENTRIES, first])), { code: "E_DUPLICATE", at: "trust.json#/keys/3" });
  t.throws(() => parse(trust([one, rule("a", 2, BOB)])), { code: "E_SCHEMA", at: "trust.json#/rules/1" });
});

t.test("a key named twice in a rule is one key", async (t) => {
  const parsed = parse(trust([rule("*", 1, ADA, ADA, BOB)]));
  t.same(
    signersOf(parsed, "any")?.keys.map(({ keyId }) => keyId),
    [ADA, BOB],
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
      const signers = signersOf(parse(trust([...ordered])), laneId);
      t.equal(signers?.threshold, threshold, `${laneId}, rules ${name}`);
      t.same(
        signers?.keys.map(({ keyId }) => keyId),
        keys,
      );
    }
  }
  const named = parse(trust([rule("example", 1, ADA), rule("lanes.*", 1, BOB)]));
  for (const laneId of ["examples", "exampl", "", "lanes", "other", "my.lanes.one", "*"]) {
    t.equal(signersOf(named, laneId), undefined, `no rule for ${JSON.stringify(laneId)}`);
  }
  for (const { bytes, keyId } of signersOf(parse(trust([rules[4]!])), "example")!.keys) {
    t.equal(keyIdOf(bytes), keyId, "keys come with their bytes");
  }
});
