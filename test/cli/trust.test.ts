// The whole life of a trust file through the command line, and what verification remembers.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Metadata, MetadataKind } from "@tufjs/models";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { publicKeyPem } from "../../lib/manifest/keys.js";
import { parseTrust } from "../../lib/manifest/trust.js";
import type { Manifest, Report, State, TrustFile } from "../../schemas/index.js";
import { type Ended, oneDocument, reasonOf, sealane, sealaneBatch } from "../support/cli.js";
import { codesOf, goodLane, type LaneFiles, reseal } from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";
import { testKey, testKeyPem } from "../support/test-key.js";
import { trustFileOf } from "../support/trust-files.js";

t.setTimeout(180_000);
const dir = t.testdir();
const at = (path: string): string => join(dir, path);
const ID = (word: string): string => testKey(word).keyId;

for (const word of ["author", "bob", "root", "root2", "root3"]) {
  writeFileSync(at(`${word}.pem`), testKeyPem(word), { mode: 0o600 });
  writeFileSync(at(`${word}.pub.pem`), publicKeyPem(testKey(word)));
}
writeFileSync(at("full.json"), trustFileOf(testKey("author"), "author", "*"));

function writeLane(folder: string, files: LaneFiles): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(at(`${folder}/${path}`)), { recursive: true });
    writeFileSync(at(`${folder}/${path}`), bytes);
  }
}
/** The lane sealed as another version. */
async function version(
  number: number,
  previous: string | null,
  edit: (manifest: Manifest) => void = () => {},
): Promise<LaneFiles> {
  const files = await goodLane();
  reseal(files, {
    edit: (manifest) => {
      manifest.lane_version = number;
      manifest.previous_manifest_sha256 = previous;
      edit(manifest);
    },
  });
  return files;
}
const digestOf = (files: LaneFiles): string => sha256Hex(files.get("manifest.json")!);

const one = await goodLane();
const two = await version(2, digestOf(one));
writeLane("v1", one);
writeLane("v2", two);
writeLane("v2-fork", await version(2, digestOf(one), (manifest) => manifest.licence_notes.push("another")));
writeLane("v3", await version(3, digestOf(two)));
writeLane("v3-other", await version(3, "0".repeat(64)));
const tampered = await goodLane();
tampered.get("answers.jsonl")![40]! ^= 1;
writeLane("tampered", tampered);

/** Runs commands one after the other; each ends with the code that is expected of it, or the test stops. */
async function run(
  ...commands: readonly (readonly [exit: number, ...args: string[]])[]
): Promise<Record<string, unknown>[]> {
  const ended = await sealaneBatch(
    commands.map(([, ...args]) => [...args, "--json"]),
    dir,
  );
  return ended.map((result: Ended, index) => {
    const [exit, ...args] = commands[index]!;
    if (result.code !== exit) throw new Error(`${args.join(" ")}: ${result.code}\n${result.stdout}\n${result.stderr}`);
    return oneDocument(result);
  });
}
const verify = (exit: number, lane: string, trust: string, ...more: string[]): readonly [number, ...string[]] => [
  exit,
  "verify",
  lane,
  "--trust",
  trust,
  ...more,
];
const reported = (document: unknown): string[] => codesOf(document as Report);
const change = (exit: number, action: string, ...more: string[]): readonly [number, ...string[]] => [
  exit,
  "trust",
  action,
  "--trust",
  "t.json",
  ...more,
];

t.test("one person with one key", async (t) => {
  const [made, shown, report] = await run(
    [0, "trust", "init", "--key", "author.pem", "--owner", "Ada", "--out", "own.json"],
    [0, "trust", "show", "--trust", "own.json"],
    verify(0, "v1", "own.json"),
  );
  t.match(made, { schema: "sealane-trust-written/1", file: "own.json", version: 1, signed_by: [ID("author")] });
  t.match(shown, {
    schema: "sealane-trust-shown/1",
    version: 1,
    first_root_sha256: made!.first_root_sha256,
    keys: [{ keyid: ID("author"), owner: "Ada", root: true }],
    lanes: [{ lanes: "*", threshold: 1, keyids: [ID("author")] }],
    revoked: [],
  });
  t.match(report, { verdict: { policy: "met" } });
});

t.test("a trust file lives", async (t) => {
  const REASON = "laptop stolen";
  const written = await run(
    [
      0,
      "trust",
      "init",
      "--key",
      "root.pem",
      "--signer",
      "author.pub.pem",
      "--owner",
      "Keeper",
      "--owner",
      "Ada",
      "--lanes",
      "harbour-*",
      "--out",
      "t.json",
    ],
    verify(0, "v1", "t.json", "--state", "life.json"),
    change(
      0,
      "add",
      "--signer",
      "bob.pub.pem",
      "--owner",
      "Bob",
      "--lanes",
      "harbour-*",
      "--threshold",
      "2",
      "--sign-with",
      "root.pem",
    ),
    verify(3, "v1", "t.json"),
    change(
      0,
      "rotate",
      "--add",
      "root2.pem",
      "--add",
      "root3.pub.pem",
      "--owner",
      "Keeper",
      "--drop",
      "root.pem",
      "--root-threshold",
      "2",
      "--expires",
      "2020-01-01T00:00:00Z",
      "--sign-with",
      "root.pem",
      "--sign-with",
      "root2.pem",
      "--sign-with",
      "root3.pem",
    ),
    change(
      0,
      "remove",
      "--signer",
      "bob.pub.pem",
      "--threshold",
      "1",
      "--sign-with",
      "root2.pem",
      "--sign-with",
      "root3.pem",
    ),
    verify(0, "v1", "t.json"),
    change(
      0,
      "revoke",
      "--signer",
      ID("author"),
      "--reason",
      REASON,
      "--sign-with",
      "root3.pem",
      "--sign-with",
      "root2.pem",
    ),
    verify(3, "v1", "t.json"),
    verify(0, "v1", "t.json", "--state", "life.json"),
    verify(3, "v2", "t.json", "--state", "life.json"),
    change(
      0,
      "add",
      "--signer",
      "bob.pem",
      "--owner",
      "Bob",
      "--lanes",
      "bob-*",
      "--sign-with",
      "root2.pem",
      "--sign-with",
      "root3.pem",
      "--sign-with",
      "bob.pem",
    ),
    change(0, "remove", "--lanes", "bob-*", "--sign-with", "root2.pem", "--sign-with", "root3.pem"),
    [0, "trust", "show", "--trust", "t.json"],
  );
  t.strictSame(
    written.filter(({ schema }) => schema === "sealane-trust-written/1").map((document) => document.version),
    [1, 2, 3, 4, 5, 6, 7],
  );
  t.strictSame(reported(written[3]), ["E_THRESHOLD"]);
  t.strictSame(reported(written[8]), ["E_REVOKED"], "a revoked key, and nothing is remembered");
  t.ok(
    (written[9] as unknown as Report).verdict.limits.some((limit) => limit.includes(ID("author"))),
    "a revoked key, and the lane was seen before: it counts, and that is said",
  );
  t.strictSame(reported(written[10]), ["E_REVOKED"], "a version that comes after");
  t.strictSame(
    (written[11] as { signed_by: string[] }).signed_by,
    [ID("root2"), ID("root3")].sort(),
    "only root keys sign",
  );
  const shown = written.at(-1) as { versions: { version: number; signed_by: string[] }[] };
  t.match(shown, {
    version: 7,
    expires: "2020-01-01T00:00:00Z",
    lanes: [{ lanes: "harbour-*", threshold: 1, keyids: [ID("author")] }],
    revoked: [{ keyid: ID("author"), reason: REASON }],
  });
  t.strictSame(
    shown.versions.map((one) => one.signed_by.length),
    [1, 1, 3, 2, 2, 2, 2],
  );
  const text = (await sealane(["trust", "show", "--trust", "t.json"], { cwd: dir })).stdout;
  for (const said of ["version 7", ID("author"), "Ada", "revoked since", REASON, "2020-01-01", "harbour-*"])
    t.match(text, said);
  t.notOk(
    text.split("\n").some((line) => line.length > 80),
    "fits on 80 columns",
  );

  const { roots } = JSON.parse(readFileSync(at("t.json"), "utf8")) as TrustFile;
  for (const [index, root] of roots.entries()) {
    const read = Metadata.fromJSON(MetadataKind.Root, structuredClone(root) as never);
    const before = Metadata.fromJSON(MetadataKind.Root, structuredClone(roots[Math.max(0, index - 1)]) as never);
    t.doesNotThrow(() => before.verifyDelegate("root", read), `tuf-js follows to version ${index + 1}`);
    t.doesNotThrow(() => read.verifyDelegate("root", read));
  }
});

t.test("what is refused leaves everything as it was", async (t) => {
  await run([
    0,
    "trust",
    "init",
    "--key",
    "root.pem",
    "--key",
    "root2.pem",
    "--root-threshold",
    "2",
    "--signer",
    "author.pem",
    "--owner",
    "A",
    "--out",
    "r.json",
  ]);
  const bob = ["--signer", "bob.pub.pem", "--owner", "Bob"];
  const keys = ["--sign-with", "root.pem", "--sign-with", "root2.pem"];
  const init = ["trust", "init", "--key", "root.pem", "--owner", "A", "--out", "new.json"];
  const on = (action: string, ...more: string[]): string[] => ["trust", action, "--trust", "r.json", ...more];
  const cases: readonly (readonly [exit: number, code: string, why: string, args: readonly string[]])[] = [
    [3, "E_ROOT_CHAIN", "one of two signatures", on("add", ...bob, "--sign-with", "root.pem")],
    [3, "E_ROOT_CHAIN", "one key twice", on("add", ...bob, "--sign-with", "root.pem", "--sign-with", "root.pem")],
    [
      3,
      "E_ROOT_CHAIN",
      "a key that is no root key",
      on("add", ...bob, "--sign-with", "root.pem", "--sign-with", "bob.pem"),
    ],
    [
      3,
      "E_ROOT_CHAIN",
      "the new root key does not sign",
      on("rotate", "--add", "root3.pem", "--owner", "A", "--drop", "root.pem", ...keys),
    ],
    [
      3,
      "E_ROOT_CHAIN",
      "one old root key does not sign",
      on(
        "rotate",
        "--add",
        "root3.pem",
        "--owner",
        "A",
        "--drop",
        "root.pem",
        "--sign-with",
        "root2.pem",
        "--sign-with",
        "root3.pem",
      ),
    ],
    [3, "E_ROLE_OVERLAP", "a root key for lanes", on("add", "--signer", "root.pub.pem", "--owner", "A", ...keys)],
    [3, "E_ROLE_OVERLAP", "a revoked root key", on("revoke", "--signer", "root.pub.pem", "--reason", "x", ...keys)],
    [3, "E_ROLE_OVERLAP", "two root keys that sign lanes", [...init, "--key", "root2.pem", "--root-threshold", "2"]],
    [2, "E_THRESHOLD_CFG", "the last signer", on("remove", "--signer", "author.pub.pem", ...keys)],
    [2, "E_THRESHOLD_CFG", "a threshold of 0", on("add", ...bob, "--threshold", "0", ...keys)],
    [2, "E_THRESHOLD_CFG", "a threshold in words", on("add", ...bob, "--threshold", "two", ...keys)],
    [2, "E_THRESHOLD_CFG", "a root threshold above the keys", [...init, "--root-threshold", "2"]],
    [2, "E_SCHEMA", "an owner with an escape", on("add", "--signer", "bob.pub.pem", "--owner", "a\u001b[2J", ...keys)],
    [1, "E_DUPLICATE", "a signer that is there", on("add", "--signer", "author.pub.pem", "--owner", "A", ...keys)],
    [64, "E_UNKNOWN", "a signer that is not there", on("remove", "--signer", "bob.pub.pem", ...keys)],
    [64, "E_UNKNOWN", "a rule that is not there", on("remove", "--lanes", "bob-*", ...keys)],
    [64, "E_UNKNOWN", "a revocation of a stranger", on("revoke", "--signer", "bob.pub.pem", "--reason", "x", ...keys)],
    [64, "E_USAGE", "no action", ["trust"]],
    [64, "E_USAGE", "another action", ["trust", "burn"]],
    [64, "E_USAGE", "init without --key", ["trust", "init", "--owner", "A", "--out", "new.json"]],
    [64, "E_USAGE", "init with --trust", [...init, "--trust", "r.json"]],
    [64, "E_USAGE", "init with more owners than keys", [...init, "--owner", "B"]],
    [64, "E_USAGE", "add without --sign-with", on("add", ...bob)],
    [64, "E_USAGE", "add of two signers", on("add", ...bob, "--signer", "author.pem", ...keys)],
    [64, "E_USAGE", "add with --since", on("add", ...bob, "--since", "2026-01-31T12:00:00.000Z", ...keys)],
    [64, "E_USAGE", "add for lanes of no form", on("add", ...bob, "--lanes", "*x", ...keys)],
    [64, "E_USAGE", "remove of nothing", on("remove", ...keys)],
    [
      64,
      "E_USAGE",
      "revoke since some day",
      on("revoke", "--signer", "author.pub.pem", "--reason", "x", "--since", "2026-01-31", ...keys),
    ],
    [64, "E_USAGE", "revoke without a reason", on("revoke", "--signer", "author.pub.pem", ...keys)],
    [64, "E_USAGE", "rotate until some day", on("rotate", "--expires", "2030", ...keys)],
    [64, "E_USAGE", "show with --sign-with", on("show", "--sign-with", "root.pem")],
    [64, "E_USAGE", "two trust files", on("show", "--trust", "t.json")],
    [64, "E_EXISTS", "init where one is", ["trust", "init", "--key", "root.pem", "--owner", "A", "--out", "r.json"]],
    [64, "E_MISSING", "a trust file that is not there", ["trust", "show", "--trust", "nowhere.json"]],
    [64, "E_MISSING", "a key that is not there", on("add", ...bob, "--sign-with", "nobody.pem")],
    [2, "E_KEY", "a public key to sign with", on("add", ...bob, "--sign-with", "root.pub.pem")],
    [
      2,
      "E_KEY",
      "init with a public key",
      ["trust", "init", "--key", "root.pub.pem", "--owner", "A", "--out", "new.json"],
    ],
    [2, "E_JSON", "a trust file that is none", ["trust", "show", "--trust", "root.pem"]],
  ];
  const before = readFileSync(at("r.json"));
  const files = readdirSync(dir).sort();
  const ended = await sealaneBatch(
    cases.map(([, , , args]) => [...args, "--json"]),
    dir,
  );
  for (const [index, [exit, code, why]] of cases.entries()) {
    t.strictSame([ended[index]!.code, reasonOf(ended[index]!)], [exit, code], why);
  }
  t.strictSame(readFileSync(at("r.json")), before, "no byte of the trust file has changed");
  t.strictSame(readdirSync(dir).sort(), files, "and nothing was left beside it");
  t.equal(parseTrust(before, "r.json").version, 1);
  const missing = oneDocument(ended[4]!) as { error: { expected: string; found: string } };
  t.match(missing.error, { expected: "2 distinct keys of version 1", found: "1" }, "how many are missing is said");
});

const stateIn = (file: string): State => JSON.parse(readFileSync(at(file), "utf8")) as State;

t.test("what verification remembers", async (t) => {
  const V = (exit: number, lane: string, ...more: string[]): readonly [number, ...string[]] =>
    verify(exit, lane, "full.json", "--state", "seen.json", ...more);
  t.strictSame(reported((await run(V(1, "tampered")))[0]), ["E_DIGEST"]);
  t.notOk(existsSync(at("seen.json")), "a lane that is not good is not remembered");
  const [first] = await run(V(0, "v1"));
  t.ok((first as unknown as Report).verdict.limits.some((limit) => limit.startsWith("Rollback was not evaluated")));
  t.match(stateIn("seen.json").lanes["harbour-test"], { version: 1, manifest_sha256: digestOf(one) });
  const written = readFileSync(at("seen.json"));

  const [again, forward, wrong] = await run(V(0, "v1"), V(3, "v3"), V(1, "tampered"));
  t.notOk((again as unknown as Report).verdict.limits.some((limit) => limit.startsWith("Rollback")));
  t.strictSame(reported(forward), ["E_FAST_FORWARD"]);
  t.strictSame(reported(wrong), ["E_DIGEST"]);
  t.strictSame(readFileSync(at("seen.json")), written, "nothing of that is remembered");

  const [, rollback, fork, chain] = await run(V(0, "v2"), V(3, "v1"), V(1, "v2-fork"), V(1, "v3-other"));
  t.strictSame(reported(rollback), ["E_ROLLBACK"]);
  t.strictSame(reported(fork), ["E_FORK"]);
  t.strictSame(reported(chain), ["E_CHAIN"]);
  t.match(stateIn("seen.json").lanes["harbour-test"], { version: 2, manifest_sha256: digestOf(two) });
  await run(V(0, "v3"));
  t.equal(stateIn("seen.json").lanes["harbour-test"]!.version, 3);
  await run(verify(0, "v1", "full.json"));
  t.equal(
    stateIn("seen.json").lanes["harbour-test"]!.version,
    3,
    "without --state nothing is asked and nothing written",
  );
  t.notOk(readdirSync(dir).some((name) => name.includes("partial")));
});

t.test("state files that cannot be used", async (t) => {
  writeFileSync(at("cut.json"), '{"schema":"sealane-state/1"');
  writeFileSync(at("later.json"), '{"schema":"sealane-state/2","lanes":{}}');
  for (const [state, exit, code] of [
    ["cut.json", 2, "E_JSON"],
    ["full.json", 2, "E_SCHEMA"],
    ["later.json", 4, "E_VERSION"],
    ["v2", 74, "E_IO"],
    ["v1/seen.json", 64, "E_USAGE"],
  ] as const) {
    const ended = await sealane(["verify", "v1", "--trust", "full.json", "--state", state, "--json"], { cwd: dir });
    t.strictSame([ended.code, reasonOf(ended)], [exit, code], state);
  }
});

t.test("J12: the clock has no part in the verdict", async (t) => {
  const clock = repositoryFile("build/test/support/other-clock.js");
  const at1970 = { TEST_NOW: "1970-01-01T00:00:01.000Z" };
  const at2100 = { TEST_NOW: "2100-01-01T00:00:00.000Z" };
  const under = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
    const ended = await sealane(["verify", "v1", ...args, "--json"], { cwd: dir, env, node: ["--import", clock] });
    return `${ended.code} ${ended.stdout}`;
  };
  for (const [why, exit, ...args] of [
    ["a trust file that never expires", "0", "--trust", "full.json"],
    ["a trust file long expired, with a key that is revoked", "3", "--trust", "t.json"],
    ["the same, and the lane was seen before", "0", "--trust", "t.json", "--state", "life.json"],
  ] as const) {
    const early = await under(at1970, ...args);
    t.equal(early, await under(at2100, ...args), why);
    t.ok(early.startsWith(`${exit} `), why);
  }
  await under(at1970, "--trust", "full.json", "--state", "old.json");
  t.equal(
    stateIn("old.json").lanes["harbour-test"]?.first_seen,
    at1970.TEST_NOW,
    "it only says when something was seen",
  );
});
