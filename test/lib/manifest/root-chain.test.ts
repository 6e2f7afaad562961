// Chains of TUF root metadata: the real one of Sigstore, one of ours, and each way in which a chain can be broken. tuf-js, on
// which npm's own verification rests, walks beside us.
import { createPublicKey, ECDH, generateKeyPairSync, sign as nodeSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Metadata, MetadataKind } from "@tufjs/models";
import t from "tap";
import { olpcJson } from "../../../lib/bytes/olpc-json.js";
import { readRoot, walkRootChain } from "../../../lib/manifest/root-chain.js";
import { initTrust, rotateRoot, signRoot } from "../../../lib/manifest/trust-change.js";
import type { RootSigned, TrustRoot } from "../../../schemas/index.js";
import { shared } from "../../support/shared.js";
import { testKey } from "../../support/test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../../support/trust-files.js";
import { codeOf } from "../bytes/codes.js";

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in ways that no type allows
type Loose = any;

const walk = (roots: readonly unknown[]): string => codeOf(() => walkRootChain(roots, "chain"));

/** What the tuf-js client does with new roots (TrustedMetadataStore.updateRoot): both signatures, then the version. */
function tufJs(roots: readonly Loose[]): "accepted" | "refused" {
  try {
    const read = roots.map((root) => Metadata.fromJSON(MetadataKind.Root, structuredClone(root)));
    if (read.length === 0) return "refused";
    for (const [index, root] of read.entries()) {
      const before = read[index - 1];
      before?.verifyDelegate(MetadataKind.Root, root);
      if (root.signed.version !== (before?.signed.version ?? 0) + 1) return "refused";
      root.verifyDelegate(MetadataKind.Root, root);
    }
    return "accepted";
  } catch {
    return "refused";
  }
}

const edited = <T>(value: T, edit: (copy: Loose) => void): T => {
  const copy = structuredClone(value);
  edit(copy);
  return copy;
};

// Sigstore

const SIGSTORE = shared("vectors/tuf-roots/tuf_conformance/static_data/sigstore-root-signing/metadata");
const sigstore = (): Loose[] =>
  Array.from({ length: 12 }, (_, index) =>
    JSON.parse(readFileSync(join(SIGSTORE.path, `${index + 1}.root.json`), "utf8")),
  );

t.test("the chain of Sigstore's roots, versions 1 to 12", { skip: SIGSTORE.skip }, async (t) => {
  const roots = sigstore();
  const walked = walkRootChain(roots, "sigstore");
  t.strictSame(
    walked.map(({ version }) => version),
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  t.equal(tufJs(roots), "accepted");
  t.equal(walked[0]!.expires, "2021-12-18T13:28:12.99008-06:00", "long expired: told, and no reason to refuse");
  t.ok(walked.every(({ threshold, keys }) => threshold === 3 && keys.size === 5));
  for (const length of [1, 2, 5, 11]) t.equal(walk(roots.slice(0, length)), "accepted", `as far as version ${length}`);
  const identities = (index: number): Set<string> =>
    new Set([...walked[index]!.keys.values()].map((key) => key.identity));
  t.ok(
    [...identities(4)].some((identity) => identities(3).has(identity)),
    "a key written as a point in version 4 and as PEM in version 5, under two ids, is one key",
  );
});

t.test("the chain of Sigstore's roots, broken", { skip: SIGSTORE.skip }, async (t) => {
  const roots = sigstore();
  const one = (index: number, edit: (root: Loose) => void): Loose[] => roots.with(index, edited(roots[index], edit));
  const unsign = (root: Loose, left: number): void => {
    root.signatures = root.signatures.filter(({ sig }: Loose) => sig !== "").slice(0, left);
  };
  const cases: readonly (readonly [why: string, chain: Loose[], code: string])[] = [
    ["without version 7", roots.toSpliced(6, 1), "E_ROOT_CHAIN"],
    ["without its beginning", roots.slice(1), "E_ROOT_CHAIN"],
    ["with version 7 twice", roots.toSpliced(6, 0, roots[6]), "E_ROOT_CHAIN"],
    ["with versions 3 and 4 in each other's place", [...roots.slice(0, 2), roots[3], roots[2]], "E_ROOT_CHAIN"],
    ["backwards", roots.toReversed(), "E_ROOT_CHAIN"],
    ["version 1 signed by two of three", one(0, (root) => unsign(root, 2)), "E_ROOT_CHAIN"],
    ["version 8 signed by two of three", one(7, (root) => unsign(root, 2)), "E_ROOT_CHAIN"],
    ["version 12 without signatures", one(11, (root) => unsign(root, 0)), "E_ROOT_CHAIN"],
    [
      "version 2 with the signatures of version 3",
      one(1, (root) => {
        root.signatures = roots[2].signatures;
      }),
      "E_ROOT_CHAIN",
    ],
    [
      "an expiry put off after signing",
      one(11, (root) => {
        root.signed.expires = "2035-08-19T14:33:09Z";
      }),
      "E_ROOT_CHAIN",
    ],
    [
      "a threshold lowered after signing",
      one(5, (root) => {
        root.signed.roles.root.threshold = 1;
      }),
      "E_ROOT_CHAIN",
    ],
    [
      "a member nobody knows added after signing",
      one(5, (root) => {
        root.signed["x-note"] = "";
      }),
      "E_ROOT_CHAIN",
    ],
    [
      "another version number after signing",
      [
        ...roots.slice(0, 4),
        edited(roots[3], (root) => {
          root.signed.version = 5;
        }),
      ],
      "E_ROOT_CHAIN",
    ],
    [
      "keys said to be of a kind that is not used here",
      one(0, (root) => {
        for (const key of Object.values<Loose>(root.signed.keys)) key.keytype = "rsa";
      }),
      "E_KEYTYPE",
    ],
    [
      "a signature twice",
      one(3, (root) => {
        root.signatures.push(root.signatures[0]);
      }),
      "E_DUPLICATE",
    ],
  ];
  for (const [why, chain, code] of cases) {
    t.equal(walk(chain), code, why);
    t.equal(tufJs(chain), "refused", `${why}, by tuf-js`);
  }
});

// Ours

const first = (threshold: number, ...words: string[]): RootSigned =>
  initTrust({ root: words.map(owned), rootThreshold: threshold, signers: [owned("author")], lanes: "*", expires: FAR });

/** Twelve versions, two of three root keys each; with each version the oldest key goes and a new one comes. */
function twelve(): TrustRoot[] {
  const word = (number: number): string => `root ${number}`;
  const changes = Array.from({ length: 11 }, (_, index) => {
    const add = [owned(word(index + 4))];
    const change = (before: RootSigned): RootSigned =>
      rotateRoot(before, { add, remove: [testKey(word(index + 1)).keyId] });
    return [change, word(index + 2), word(index + 3)] as const;
  });
  return chainOf([first(2, word(1), word(2), word(3)), word(1), word(3)], ...changes);
}

t.test("a chain of twelve of ours", async (t) => {
  const roots = JSON.parse(bytesOf(twelve()).toString()).roots as Loose[];
  const walked = walkRootChain(roots, "ours");
  t.equal(walked.length, 12);
  t.equal(walked[11]!.expires, FAR);
  t.equal(tufJs(roots), "accepted");
  t.notOk(
    [...walked[0]!.keys.keys()].some((keyId) => walked[11]!.keys.has(keyId)),
    "no key of the first version is one of the last",
  );
  for (let index = 1; index < 11; index += 1) {
    t.equal(walk(roots.toSpliced(index, 1)), "E_ROOT_CHAIN", `without version ${index + 1}`);
    const unsigned = roots.with(index, { ...roots[index], signatures: roots[index].signatures.slice(1) });
    t.equal(walk(unsigned), "E_ROOT_CHAIN", `version ${index + 1} without one of its signatures`);
    t.equal(tufJs(unsigned), "refused");
  }
});

/** Signs a version however it is broken; a word may sign more than once. */
const signBy = (signed: Loose, ...words: string[]): Loose => ({
  signed,
  signatures: words.flatMap((word) => signRoot(signed, [testKey(word)]).signatures),
});
const ID = (word: string): string => testKey(word).keyId;
const PUBLIC = (word: string): string => Buffer.from(testKey(word).bytes).toString("hex");
const ed25519 = (hex: string): object => ({ keytype: "ed25519", scheme: "ed25519", keyval: { public: hex } });

/** Version 2 of a chain that begins with two of a, b, c: c goes, d comes. */
const second = (): Loose => rotateRoot(first(2, "a", "b", "c"), { add: [owned("d")], remove: [ID("c")] });
const FIRST = signBy(first(2, "a", "b", "c"), "a", "b");

t.test("every break of a chain of ours", async (t) => {
  const wholeChange = (before: RootSigned): RootSigned =>
    rotateRoot(before, { add: [owned("d"), owned("e")], remove: ["a", "b", "c"].map(ID) });
  const changed = wholeChange(first(2, "a", "b", "c"));
  const root = (edit: (signed: Loose) => void): Loose => edited(second(), edit);
  const role = (edit: (role: Loose) => void): Loose => root(({ roles }) => edit(roles.root));
  const fresh = (edit: (signed: Loose) => void): Loose => edited(first(2, "a", "b", "c"), edit);
  const smallOrder = "01".padEnd(64, "0");
  const neutral = { keyid: "f".repeat(64), sig: smallOrder + "0".repeat(64) };

  // The last: what tuf-js makes of it, where that is something else than "refused".
  const cases: readonly (readonly [why: string, chain: Loose[], code: string, byTufJs?: "accepted"])[] = [
    ["good, with a key that stays and one that comes", [FIRST, signBy(second(), "a", "b")], "accepted", "accepted"],
    [
      "good, with all keys changed and all of both signing",
      [FIRST, signBy(changed, "a", "b", "d", "e")],
      "accepted",
      "accepted",
    ],
    ["signed by the old keys only", [FIRST, signBy(changed, "a", "b", "c")], "E_ROOT_CHAIN"],
    ["signed by the new keys only", [FIRST, signBy(changed, "d", "e")], "E_ROOT_CHAIN"],
    ["signed by all old and one of two new keys", [FIRST, signBy(changed, "a", "b", "c", "d")], "E_ROOT_CHAIN"],
    ["signed by one of two old and all new keys", [FIRST, signBy(changed, "a", "d", "e")], "E_ROOT_CHAIN"],
    ["signed by nobody", [FIRST, signBy(changed)], "E_ROOT_CHAIN"],
    ["signed by a lane's signer and one root key", [FIRST, signBy(second(), "a", "author")], "E_ROOT_CHAIN"],
    ["a first version signed by one of two", [signBy(first(2, "a", "b", "c"), "a")], "E_ROOT_CHAIN"],
    ["a first version signed by nobody", [signBy(first(1, "a"))], "E_ROOT_CHAIN"],
    ["no version", [], "E_ROOT_CHAIN"],
    [
      "a version skipped",
      [
        FIRST,
        signBy(
          root((signed) => {
            signed.version = 3;
          }),
          "a",
          "b",
        ),
      ],
      "E_ROOT_CHAIN",
    ],
    [
      "a version equal to the one before",
      [
        FIRST,
        signBy(
          root((signed) => {
            signed.version = 1;
          }),
          "a",
          "b",
        ),
      ],
      "E_ROOT_CHAIN",
    ],
    ["a first version of 2", [signBy(second(), "a", "b", "d")], "E_ROOT_CHAIN"],
    ["one signature twice where two are needed", [FIRST, signBy(second(), "a", "a")], "E_DUPLICATE"],
    ["one signature twice where enough are there", [FIRST, signBy(second(), "a", "b", "b")], "E_DUPLICATE"],
    [
      "a key id twice in the role",
      [
        FIRST,
        signBy(
          role(({ keyids }) => keyids.push(ID("a"))),
          "a",
          "b",
        ),
      ],
      "E_DUPLICATE",
    ],
    [
      "bytes changed after signing",
      [
        FIRST,
        edited(signBy(second(), "a", "b"), ({ signed }) => {
          signed.expires = "2030-01-01T00:00:00Z";
        }),
      ],
      "E_ROOT_CHAIN",
    ],
    [
      "a threshold of 0",
      [
        FIRST,
        signBy(
          role((role) => {
            role.threshold = 0;
          }),
          "a",
          "b",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "a negative threshold",
      [
        FIRST,
        signBy(
          role((role) => {
            role.threshold = -1;
          }),
          "a",
          "b",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "a threshold in words",
      [
        FIRST,
        signBy(
          role((role) => {
            role.threshold = "2";
          }),
          "a",
          "b",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "no threshold",
      [
        FIRST,
        signBy(
          role((role) => {
            delete role.threshold;
          }),
          "a",
          "b",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "a threshold above the keys",
      [
        FIRST,
        signBy(
          role((role) => {
            role.threshold = 4;
          }),
          "a",
          "b",
          "d",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "a threshold of 0 at the beginning",
      [
        signBy(
          fresh(({ roles }) => {
            roles.root.threshold = 0;
          }),
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      "keys named that are not there",
      [
        signBy(
          fresh((signed) => {
            delete signed.keys[ID("b")];
            delete signed.keys[ID("c")];
          }),
          "a",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      // tuf-js counts key ids; TUF clients that believe them are why section 4.3 has key ids computed again.
      "one key under two ids, where two are needed",
      [
        (() => {
          const signed = fresh(({ keys, roles }) => {
            keys["0".repeat(64)] = ed25519(PUBLIC("a"));
            roles.root = { keyids: [ID("a"), "0".repeat(64), ID("b")], threshold: 2 };
          });
          const both = signBy(signed, "a");
          both.signatures.push({ keyid: "0".repeat(64), sig: both.signatures[0].sig });
          return both;
        })(),
      ],
      "E_ROOT_CHAIN",
      "accepted",
    ],
    [
      "one key under two ids, and no other",
      [
        signBy(
          fresh(({ keys, roles }) => {
            keys["0".repeat(64)] = ed25519(PUBLIC("a"));
            roles.root = { keyids: [ID("a"), "0".repeat(64)], threshold: 2 };
          }),
          "a",
        ),
      ],
      "E_THRESHOLD_CFG",
    ],
    [
      // Under the neutral point one signature holds for every message (lib/bytes/ed25519.ts).
      "a key of small order",
      [
        {
          signed: fresh(({ keys, roles }) => {
            keys["f".repeat(64)] = ed25519(smallOrder);
            roles.root = { keyids: ["f".repeat(64)], threshold: 1 };
          }),
          signatures: [neutral],
        },
      ],
      "E_KEY_WEAK",
      "accepted",
    ],
    [
      "a key of an unknown kind, which is needed",
      [
        signBy(
          fresh(({ keys }) => {
            keys[ID("b")] = { ...keys[ID("b")], keytype: "ed448" };
          }),
          "a",
          "b",
        ),
      ],
      "E_KEYTYPE",
    ],
    [
      "a key of an unknown scheme, which is needed",
      [
        signBy(
          fresh(({ keys }) => {
            keys[ID("b")] = { ...keys[ID("b")], scheme: "ed25519ph" };
          }),
          "a",
          "b",
        ),
      ],
      "E_KEYTYPE",
      // tuf-js does not look at an Ed25519 key's scheme.
      "accepted",
    ],
    [
      "a key of an unknown kind, which is not needed",
      [
        signBy(
          fresh(({ keys }) => {
            keys[ID("b")] = { ...keys[ID("b")], keytype: "ed448" };
          }),
          "a",
          "c",
        ),
      ],
      "accepted",
      "accepted",
    ],
    [
      "a signature that names its own algorithm",
      [
        edited(FIRST, ({ signatures }) => {
          for (const signature of signatures) signature.method = "none";
        }),
      ],
      "accepted",
      "accepted",
    ],
    [
      "a signature of no bytes that names its own algorithm",
      [
        edited(FIRST, ({ signatures }) => {
          signatures[0] = { ...signatures[0], sig: "", method: "none" };
        }),
      ],
      "E_ROOT_CHAIN",
    ],
    [
      "long expired",
      [
        signBy(
          fresh((signed) => {
            signed.expires = "1970-01-01T00:00:00Z";
          }),
          "a",
          "b",
        ),
      ],
      "accepted",
      "accepted",
    ],
    [
      "another specification",
      [
        signBy(
          fresh((signed) => {
            signed.spec_version = "2.0.0";
          }),
          "a",
          "b",
        ),
      ],
      "E_VERSION",
    ],
    [
      "another role",
      [
        signBy(
          fresh((signed) => {
            signed._type = "targets";
          }),
          "a",
          "b",
        ),
      ],
      "E_SCHEMA",
    ],
    [
      "a version of 0",
      [
        signBy(
          fresh((signed) => {
            signed.version = 0;
          }),
          "a",
          "b",
        ),
      ],
      "E_SCHEMA",
    ],
    [
      "a fraction",
      [
        edited(FIRST, ({ signed }) => {
          signed.version = 1.5;
        }),
      ],
      "E_SCHEMA",
    ],
    [
      "a fraction where nobody looks",
      [
        edited(FIRST, ({ signed }) => {
          signed.x = 1.5;
        }),
      ],
      "E_JSON_CANON",
    ],
  ];
  for (const [why, chain, code, byTufJs = "refused"] of cases) {
    t.equal(walk(chain), code, why);
    t.equal(tufJs(chain), byTufJs, `${why}, by tuf-js`);
  }
});

t.test("how many signatures are missing, and of whom", async (t) => {
  const changed = rotateRoot(first(2, "a", "b", "c"), {
    add: ["d", "e"].map(owned),
    remove: ["a", "b", "c"].map(ID),
    threshold: 2,
  });
  t.throws(() => walkRootChain([FIRST, signBy(changed, "a")], "trust.json"), {
    code: "E_ROOT_CHAIN",
    at: "trust.json#/roots/1",
    expected: "2 distinct keys of version 1, 2 distinct keys of version 2",
    found: "1, 0",
  });
});

t.test("shapes that are no root metadata", async (t) => {
  for (const value of [null, 1, "root", [], {}, { signed: {} }, { signed: null, signatures: [] }]) {
    t.equal(walk([value]), "E_SCHEMA", JSON.stringify(value));
  }
  for (const member of ["_type", "spec_version", "version", "expires", "keys", "roles"]) {
    t.equal(walk([edited(FIRST, ({ signed }) => delete signed[member])]), "E_SCHEMA", `without ${member}`);
    t.equal(
      walk([
        edited(FIRST, ({ signed }) => {
          signed[member] = [];
        }),
      ]),
      "E_SCHEMA",
      `another ${member}`,
    );
  }
  t.equal(walk([edited(FIRST, (root) => delete root.signatures)]), "E_SCHEMA", "without signatures");
  t.equal(
    walk([
      edited(FIRST, ({ signatures }) => {
        signatures[0].sig = 1;
      }),
    ]),
    "E_SCHEMA",
    "a signature that is a number",
  );
  t.equal(
    walk([
      edited(FIRST, ({ signed }) => {
        signed.roles.root.keyids = ["constructor"];
      }),
    ]),
    "E_THRESHOLD_CFG",
    "a name that every object has",
  );
  t.equal(walk([JSON.parse('{"__proto__":{"signed":{}},"signatures":[]}')]), "E_SCHEMA", "a prototype for members");
});

// ECDSA

t.test("ECDSA keys over P-256, in each way they are written", async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ format: "pem", type: "spki" }) as string;
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-65);
  const compressed = ECDH.convertKey(point, "prime256v1", undefined, undefined, "compressed") as Buffer;
  const compressedDer = Buffer.concat([
    Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex"),
    compressed,
  ]);
  const compressedPem = `-----BEGIN PUBLIC KEY-----\n${compressedDer.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  t.ok(createPublicKey(compressedPem).equals(publicKey));
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const spki = (key: typeof publicKey): string => key.export({ format: "pem", type: "spki" }) as string;

  const root = (keys: Record<string, object>, threshold = 1): Loose => ({
    _type: "root",
    spec_version: "1.0.31",
    version: 1,
    expires: FAR,
    consistent_snapshot: true,
    keys,
    roles: Object.fromEntries(
      ["root", "targets", "snapshot", "timestamp"].map((name) => [name, { keyids: Object.keys(keys), threshold }]),
    ),
  });
  const key = (keytype: string, text: string, scheme = "ecdsa-sha2-nistp256"): object => ({
    keytype,
    scheme,
    keyval: { public: text },
  });
  const signed = (document: Loose, by = privateKey): Loose => ({
    signed: document,
    signatures: Object.keys(document.keys).map((keyid) => ({
      keyid,
      sig: nodeSign("sha256", Buffer.from(olpcJson(document)), by).toString("hex"),
    })),
  });
  for (const [why, document, code] of [
    ["PEM", root({ k: key("ecdsa", pem) }), "accepted"],
    ["PEM under the older name", root({ k: key("ecdsa-sha2-nistp256", pem) }), "accepted"],
    ["a point", root({ k: key("ecdsa-sha2-nistp256", point.toString("hex")) }), "accepted"],
    ["a compressed point in PEM", root({ k: key("ecdsa", compressedPem) }), "accepted"],
    ["another scheme", root({ k: key("ecdsa", pem, "ecdsa-sha2-nistp384") }), "E_KEYTYPE"],
    ["another curve", root({ k: key("ecdsa", spki(p384.publicKey)) }), "E_KEYTYPE"],
    ["RSA under ECDSA's name", root({ k: key("ecdsa", spki(rsa.publicKey)) }), "E_KEYTYPE"],
    ["RSA", root({ k: key("rsa", spki(rsa.publicKey), "rsassa-pss-sha256") }), "E_KEYTYPE"],
    [
      "a private key",
      root({ k: key("ecdsa", privateKey.export({ format: "pem", type: "pkcs8" }) as string) }),
      "E_KEYTYPE",
    ],
    ["a point off the curve", root({ k: key("ecdsa", `04${"1".repeat(128)}`) }), "E_KEYTYPE"],
    ["nothing", root({ k: key("ecdsa", "") }), "E_KEYTYPE"],
    ["Ed25519 said of a P-256 key", root({ k: key("ed25519", pem, "ed25519") }), "E_KEYTYPE"],
    [
      "one key in four spellings where two are needed",
      root(
        {
          a: key("ecdsa", pem),
          b: key("ecdsa", point.toString("hex")),
          c: key("ecdsa-sha2-nistp256", pem),
          d: key("ecdsa", compressedPem),
        },
        2,
      ),
      "E_THRESHOLD_CFG",
    ],
  ] as const) {
    t.equal(walk([signed(document)]), code, why);
  }
  const good = signed(root({ k: key("ecdsa", pem) }));
  t.equal(tufJs([good]), "accepted");
  t.equal(
    walk([
      edited(good, ({ signatures }) => {
        signatures[0].sig = `${signatures[0].sig}00`;
      }),
    ]),
    "E_ROOT_CHAIN",
    "a byte more",
  );
  t.equal(
    walk([
      edited(good, ({ signatures }) => {
        signatures[0].sig = "zz";
      }),
    ]),
    "E_ROOT_CHAIN",
    "no hexadecimal",
  );
  const raw = nodeSign("sha256", Buffer.from(olpcJson(good.signed)), { key: privateKey, dsaEncoding: "ieee-p1363" });
  t.equal(
    walk([
      edited(good, ({ signatures }) => {
        signatures[0].sig = raw.toString("hex");
      }),
    ]),
    "E_ROOT_CHAIN",
    "not DER",
  );
});

t.test("what is signed has one digest", async (t) => {
  const [root] = twelve();
  const read = readRoot(root, "a");
  const shuffled = { signatures: [], signed: Object.fromEntries(Object.entries(root!.signed).toReversed()) };
  t.equal(readRoot(shuffled, "c").sha256, read.sha256, "whatever the order of members, and without signatures");
});
