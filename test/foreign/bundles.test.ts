// Our bundles before @sigstore/bundle and @sigstore/verify, the libraries that npm checks provenance with, and before the
// published schemas and vectors of OpenSSF Model Signing.
import { createPublicKey, generateKeyPairSync, verify as nodeVerify } from "node:crypto";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFromJSON } from "@sigstore/bundle";
import { dsse } from "@sigstore/core";
import { toSignedEntity, Verifier } from "@sigstore/verify";
import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { exportLane } from "../../lib/export/index.js";
import { FolderSource } from "../../lib/io/folder-source.js";
import { countersign } from "../../lib/lane/sign.js";
import { type KeyFile, publicKeyPem } from "../../lib/manifest/keys.js";
import { laneOnDisk } from "../support/foreign.js";
import { repositoryFile, shared } from "../support/shared.js";
import { testKey, testKeyPem } from "../support/test-key.js";

const { lane, file, open } = await laneOnDisk(t.testdir());
const KEYS = ["author", "second"].map(testKey);
countersign(lane, KEYS[1]!);

interface Bundle {
  mediaType: string;
  verificationMaterial: { publicKey?: { hint?: string; rawBytes?: string } };
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string; keyid?: string | null }[] };
}

const parse = (path: string): Bundle => JSON.parse(readFileSync(path, "utf8")) as Bundle;
const payloadOf = ({ dsseEnvelope }: Bundle): Buffer => Buffer.from(dsseEnvelope.payload, "base64");

function edited(bundle: Bundle, edit: (bundle: Bundle) => void): Bundle {
  const copy = structuredClone(bundle);
  edit(copy);
  return copy;
}

/** Verifies with keys that the verifier brings himself, by hint; no log, no timestamps. */
function accepts(bundle: unknown, pems: Readonly<Record<string, string>>): boolean {
  const verifier = new Verifier(
    {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: (hint) => {
        if (!Object.hasOwn(pems, hint)) throw new Error(`no key ${hint}`);
        return { publicKey: createPublicKey(pems[hint]!), validFor: () => true };
      },
    },
    { tlogThreshold: 0, timestampThreshold: 0, ctlogThreshold: 0 },
  );
  try {
    verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
    return true;
  } catch {
    return false;
  }
}

t.test("@sigstore/verify takes each signature's bundle", async (t) => {
  for (const name of ["verify", "bundle", "core"]) {
    const { version } = JSON.parse(
      readFileSync(repositoryFile(`node_modules/@sigstore/${name}/package.json`), "utf8"),
    ) as {
      version: string;
    };
    t.comment(`@sigstore/${name} ${version}`);
  }
  const out = file("bundles");
  await exportLane(new FolderSource(lane), { format: "sigstore-bundle", inputs: {}, name: "lane", out });
  t.strictSame(readdirSync(out).sort(), KEYS.map(({ keyId }) => `${keyId}.sigstore.json`).sort());
  const pems = Object.fromEntries(KEYS.map((key) => [key.keyId, publicKeyPem(key)]));
  for (const [index, { keyId }] of KEYS.entries()) {
    const bundle = parse(join(out, `${keyId}.sigstore.json`));
    t.ok(accepts(bundle, pems), keyId);
    t.same(payloadOf(bundle), open().payload, "the very bytes that were signed");
    t.equal(bundle.dsseEnvelope.signatures.length, 1);

    const otherId = KEYS[1 - index]!.keyId;
    const swapped = { [keyId]: pems[otherId]! };
    t.notOk(accepts(bundle, swapped), "another key under the hint");
    t.notOk(accepts(bundle, { [otherId]: pems[otherId]! }), "no key under the hint");
    const tampered: [string, (bundle: Bundle) => void][] = [
      [
        "payload",
        (b) => (b.dsseEnvelope.payload = Buffer.from(payloadOf(b).toString().replace(/.$/, " }")).toString("base64")),
      ],
      ["payload type", (b) => (b.dsseEnvelope.payloadType = "application/json")],
      ["signature", (b) => (b.dsseEnvelope.signatures[0]!.sig = Buffer.alloc(64).toString("base64"))],
      ["hint", (b) => (b.verificationMaterial.publicKey!.hint = otherId)],
      ["no signature", (b) => (b.dsseEnvelope.signatures = [])],
      ["media type", (b) => (b.mediaType = "application/json")],
    ];
    for (const [name, edit] of tampered) t.notOk(accepts(edited(bundle, edit), pems), `tampered: ${name}`);
  }
});

/** SHA-256 of the public key's PEM text: what the reference implementation compares a hint with. */
const omsHint = (pem: string): string => sha256Hex(pem);

async function omsBundle(key: KeyFile, out: string): Promise<Bundle> {
  await exportLane(new FolderSource(lane), { format: "oms", inputs: { key }, name: "lane", out });
  return parse(out);
}

function ecKey(namedCurve: string): { key: KeyFile; pem: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
  return {
    key: { pem: privateKey.export({ format: "pem", type: "pkcs8" }) as string, at: namedCurve },
    pem: publicKey.export({ format: "pem", type: "spki" }) as string,
  };
}

const ED25519 = { key: { pem: testKeyPem("author"), at: "author.pem" }, pem: publicKeyPem(testKey("author")) };

t.test("an OMS bundle is a Sigstore bundle", async (t) => {
  const bundle = await omsBundle(ED25519.key, file("ed25519.oms"));
  const hint = omsHint(ED25519.pem);
  t.equal(bundle.verificationMaterial.publicKey?.hint, hint);
  t.ok(accepts(bundle, { [hint]: ED25519.pem }));
  t.notOk(
    accepts(
      edited(bundle, (b) => (b.dsseEnvelope.payload = `${b.dsseEnvelope.payload.slice(0, -8)}AAAAAAA=`)),
      { [hint]: ED25519.pem },
    ),
  );
});

const schemas = shared("vectors/oms-spec/schemas/v1.0");
const vectors = shared("vectors/oms-spec/test-vectors/v1.0");
const models = shared("vectors/model-signing/scripts/tests");

function omsValidator(): (text: string) => string | undefined {
  const ajv = new Ajv2020({ strict: false });
  for (const name of readdirSync(schemas.path))
    ajv.addSchema(JSON.parse(readFileSync(join(schemas.path, name), "utf8")) as object);
  return (text) => {
    try {
      const bundle = JSON.parse(text) as Bundle;
      if (!ajv.validate("https://model_signing/bundle/v1.0/schema", bundle)) return ajv.errorsText();
      const statement: unknown = JSON.parse(payloadOf(bundle).toString("utf8"));
      return ajv.validate("https://model_signing/statement/v1.0/schema", statement) ? undefined : ajv.errorsText();
    } catch (error) {
      return String(error);
    }
  };
}

t.test("OMS bundles against the published schemas", { skip: schemas.skip || vectors.skip }, async (t) => {
  const problem = omsValidator();
  for (const [folder, expected] of [
    ["valid", true],
    ["invalid", false],
    ["invalid-payload", false],
  ] as const) {
    for (const name of readdirSync(join(vectors.path, folder))) {
      const found = problem(readFileSync(join(vectors.path, folder, name), "utf8"));
      t.equal(found === undefined, expected, `the spec's ${folder}/${name}`);
    }
  }
  const bundle = await omsBundle(ED25519.key, file("schemas.oms"));
  t.equal(problem(JSON.stringify(bundle)), undefined, "ours");
  const tampered: [string, (bundle: Bundle) => void][] = [
    ["no envelope", (b) => delete (b as Partial<Bundle>).dsseEnvelope],
    ["no material", (b) => delete (b as Partial<Bundle>).verificationMaterial],
    ["no hint", (b) => (b.verificationMaterial.publicKey = {})],
    ["payload type", (b) => (b.dsseEnvelope.payloadType = "application/json")],
    ["an extra member", (b) => ((b as unknown as { extra: number }).extra = 1)],
    [
      "predicate type",
      (b) => {
        const text = payloadOf(b).toString().replace("https://model_signing/signature/v1.0", "https://example.com/v1");
        b.dsseEnvelope.payload = Buffer.from(text).toString("base64");
      },
    ],
    [
      "an upper-case digest",
      (b) => {
        const text = payloadOf(b)
          .toString()
          .replace(/"digest":"([0-9a-f]{64})"/, (_, hex: string) => `"digest":"${hex.toUpperCase()}"`);
        b.dsseEnvelope.payload = Buffer.from(text).toString("base64");
      },
    ],
  ];
  for (const [name, edit] of tampered)
    t.not(problem(JSON.stringify(edited(bundle, edit))), undefined, `tampered: ${name}`);
});

interface OmsStatement {
  subject: [{ name: string; digest: { sha256: string } }];
  predicate: {
    resources: { name: string; digest: string; algorithm: string }[];
    serialization: { method: string; hash_type: string; allow_symlinks: boolean; ignore_paths?: string[] };
  };
}

/** Sections 8.2 to 8.4 of the specification, for a key and the method "files": our own reading of it, against its vectors. */
function omsProblem(bundle: Bundle, pem: string, folder: string): string | undefined {
  const payload = payloadOf(bundle);
  const encoding = dsse.preAuthEncoding(bundle.dsseEnvelope.payloadType, payload);
  const signature = Buffer.from(bundle.dsseEnvelope.signatures[0]!.sig, "base64");
  const key = createPublicKey(pem);
  const digests: Record<string, string> = { prime256v1: "sha256", secp384r1: "sha384", secp521r1: "sha512" };
  const digest = digests[key.asymmetricKeyDetails?.namedCurve ?? ""] ?? null;
  const { hint } = bundle.verificationMaterial.publicKey ?? {};
  if (hint !== undefined && hint !== omsHint(pem)) return "hint";
  if (!nodeVerify(digest, encoding, key, signature)) return "signature";
  const { subject, predicate } = JSON.parse(payload.toString("utf8")) as OmsStatement;
  const names = predicate.resources.map(({ name }) => name);
  if (names.join("\n") !== [...names].sort().join("\n")) return "order";
  const root = sha256Hex(Buffer.concat(predicate.resources.map((resource) => Buffer.from(resource.digest, "hex"))));
  if (subject[0].digest.sha256 !== root) return "root digest";
  const ignored = new Set([
    ".git",
    ".gitignore",
    ".gitattributes",
    ".github",
    "model.sig",
    ...(predicate.serialization.ignore_paths ?? []),
  ]);
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !ignored.has(path.split("/")[0]!));
  if (there.sort().join("\n") !== names.join("\n")) return "files";
  const wrong = predicate.resources.find(
    ({ name, digest: hex }) => sha256Hex(readFileSync(join(folder, name))) !== hex,
  );
  return wrong && `digest of ${wrong.name}`;
}

t.test(
  "OMS: what the reference implementation signed, by the rules that we follow",
  { skip: models.skip },
  async (t) => {
    const old = parse(join(models.path, "v1.0.1-elliptic-key/model.sig"));
    const pem = Buffer.from(old.verificationMaterial.publicKey!.rawBytes!, "base64").toString("utf8");
    for (const version of ["v1.0.1", "v1.1.0"]) {
      const folder = join(models.path, `${version}-elliptic-key`);
      const bundle = parse(join(folder, "model.sig"));
      const before = version === "v1.0.1" ? edited(bundle, (b) => delete b.verificationMaterial.publicKey) : bundle;
      // In 1.0.1 what was ignored was not yet recorded.
      const problem = omsProblem(before, pem, folder);
      t.equal(problem, version === "v1.0.1" ? "files" : undefined, version);
    }
  },
);

t.test("OMS: ours by the same rules, and its tampered twins", async (t) => {
  for (const [name, { key, pem }] of [
    ["Ed25519", ED25519],
    ["P-256", ecKey("prime256v1")],
    ["P-384", ecKey("secp384r1")],
    ["P-521", ecKey("secp521r1")],
  ] as const) {
    const bundle = await omsBundle(key, file(`${name}.oms`));
    t.equal(omsProblem(bundle, pem, lane), undefined, name);
    const { subject, predicate } = JSON.parse(payloadOf(bundle).toString()) as OmsStatement;
    t.equal(subject[0].name, "lane");
    t.strictSame(predicate.serialization, {
      method: "files",
      hash_type: "sha256",
      allow_symlinks: false,
      ignore_paths: [".git", ".gitattributes", ".github", ".gitignore"],
    });
    t.ok(
      predicate.resources.some((resource) => resource.name === "manifest.dsse.json"),
      "the envelope too",
    );
    const changed = edited(bundle, (b) => {
      const text = payloadOf(b)
        .toString()
        .replace(/"digest":"[0-9a-f]{64}"/, `"digest":"${"0".repeat(64)}"`);
      b.dsseEnvelope.payload = Buffer.from(text).toString("base64");
    });
    t.equal(omsProblem(changed, pem, lane), "signature", `${name}, a digest changed`);
  }
  const bundle = parse(file("Ed25519.oms"));
  const copy = file("copy");
  cpSync(lane, copy, { recursive: true });
  t.equal(omsProblem(bundle, ED25519.pem, copy), undefined, "another folder with the same files");
  writeFileSync(join(copy, "answers.jsonl"), "{}\n");
  t.equal(omsProblem(bundle, ED25519.pem, copy), "digest of answers.jsonl", "a file changed");
  cpSync(lane, copy, { recursive: true });
  writeFileSync(join(copy, "extra"), "");
  t.equal(omsProblem(bundle, ED25519.pem, copy), "files", "a file more");
});
