// Witnesses and time stamps through the command line: two founders witness each other's lanes, and nobody else is needed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { publicKeyPem } from "../../lib/manifest/keys.js";
import type { Report } from "../../schemas/index.js";
import { pemOf, token, world } from "../support/authorities.js";
import { oneDocument, reasonOf, type Surroundings, sealane, sealaneBatch } from "../support/cli.js";
import { laneOnDisk } from "../support/foreign.js";
import { codesOf } from "../support/lane.js";
import * as ots from "../support/stamps.js";
import { testKey, testKeyPem } from "../support/test-key.js";

t.setTimeout(240_000);
const { dir } = await laneOnDisk(t.testdir());
const file = (name: string): string => join(dir, name);
for (const word of ["keeper", "bob", "carol"]) {
  writeFileSync(file(`${word}.pem`), testKeyPem(word), { mode: 0o600 });
  writeFileSync(file(`${word}.pub.pem`), publicKeyPem(testKey(word)));
}
const { root, authority } = world();
writeFileSync(file("clock.pem"), pemOf(root.der));
const AUTHOR = testKey("author").keyId;
const inDir: Surroundings = { cwd: dir };
/** A command line's words, split at spaces. */
const words = (line: string): string[] => line.split(" ");
async function ran(line: string): Promise<Record<string, unknown>> {
  const ended = await sealane([...words(line), "--json"], inDir);
  if (ended.code !== 0) throw new Error(`${line}: exit ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  return oneDocument(ended);
}
const refused = async (line: string): Promise<string | undefined> =>
  reasonOf(await sealane([...words(line), "--json"], inDir));
/** Reason codes of many command lines, in one process. */
async function allRefused(lines: readonly string[]): Promise<(string | undefined)[]> {
  return (
    await sealaneBatch(
      lines.map((line) => [...words(line), "--json"]),
      dir,
    )
  ).map(reasonOf);
}
async function verified(line: string): Promise<{ code: number | null; codes: string[]; limits: string }> {
  const ended = await sealane([...words(`verify lane --trust trust.json ${line}`.trim()), "--json"], inDir);
  const report = oneDocument(ended) as unknown as Report;
  return { code: ended.code, codes: codesOf(report), limits: report.verdict.limits.join("\n") };
}
const CHANGE = "--trust trust.json --sign-with keeper.pem";

t.test("whose word about time counts", async (t) => {
  await ran("trust init --key keeper.pem --owner Ada --signer author.pub.pem --out trust.json");
  await ran(`trust add ${CHANGE} --witness bob.pub.pem --owner Bob`);
  await ran(`trust add ${CHANGE} --witness carol.pub.pem --owner Carol --threshold 2`);
  await ran(`trust add ${CHANGE} --tsa clock.pem`);
  await ran(`trust add ${CHANGE} --require-time`);
  t.match(await ran("trust show --trust trust.json"), {
    version: 5,
    witnesses: { threshold: 2, keyids: [testKey("bob").keyId, testKey("carol").keyId] },
    authorities: [{ subject: "CN=Root" }],
    time_required: true,
  });
  const shown = await sealane(words("trust show --trust trust.json"), inDir);
  for (const said of ["Bob: witness", "2 of 2 must cosign", "CN=Root", "a lane needs a trusted time"]) {
    t.match(shown.stdout, said);
  }
  const before = readFileSync(file("trust.json"));
  const cases = [
    [`trust add ${CHANGE} --witness author.pub.pem --owner Ada`, "E_ROLE_OVERLAP"],
    [`trust add ${CHANGE} --witness keeper.pub.pem --owner Ada`, "E_ROLE_OVERLAP"],
    [`trust add ${CHANGE} --signer bob.pub.pem --owner Bob`, "E_ROLE_OVERLAP"],
    [`trust add ${CHANGE} --witness bob.pub.pem`, "E_USAGE"],
    [`trust add ${CHANGE} --tsa clock.pem --owner Clock`, "E_USAGE"],
    [`trust add ${CHANGE} --tsa clock.pem`, "E_DUPLICATE"],
    [`trust add ${CHANGE} --tsa bob.pub.pem`, "E_KEY"],
    [`trust add ${CHANGE} --tsa nowhere.pem`, "E_MISSING"],
    [`trust add ${CHANGE} --witness bob.pub.pem --tsa clock.pem --owner Bob`, "E_USAGE"],
    [`trust add ${CHANGE} --no-require-time`, "E_USAGE"],
    [`trust add ${CHANGE} --require-time --lanes x`, "E_USAGE"],
    [`trust add ${CHANGE}`, "E_USAGE"],
    [`trust remove ${CHANGE}`, "E_USAGE"],
    [`trust remove ${CHANGE} --witness bob.pub.pem --lanes x`, "E_USAGE"],
    [`trust remove ${CHANGE} --witness bob.pub.pem`, "E_THRESHOLD_CFG"],
    [`trust revoke ${CHANGE} --signer bob.pub.pem --reason x --witness bob.pub.pem`, "E_USAGE"],
    ["trust add --trust trust.json --sign-with bob.pem --require-time", "E_DUPLICATE"],
    ["trust remove --trust trust.json --sign-with bob.pem --require-time", "E_ROOT_CHAIN"],
  ] as const;
  const codes = await allRefused(cases.map(([line]) => line));
  for (const [index, [line, code]] of cases.entries()) t.equal(codes[index], code, line);
  t.same(readFileSync(file("trust.json")), before, "and nothing was written");
});

t.test("witnesses, tokens and proofs", async (t) => {
  t.match(await verified(""), { code: 6, codes: [], limits: /asks for a trusted time/ });
  const seen = await ran("sign lane --key bob.pem --as witness --name example.com/bob -o bob.note");
  t.match(seen, {
    schema: "sealane-witnessed/1",
    file: "bob.note",
    name: "example.com/bob",
    keyid: testKey("bob").keyId,
  });
  t.match(await verified("--anchor bob.note"), { code: 3, codes: ["E_WITNESS"] });
  await ran("pack lane lane.tar.gz");
  await ran("sign lane.tar.gz --key carol.pem --as witness --name example.com/carol -o carol.note");
  t.match(await verified("--anchor bob.note --anchor carol.note"), { code: 0, codes: [], limits: /by Bob .*Carol/s });

  await ran("export lane --as signatures -o stamps");
  const signature = readFileSync(file(`stamps/${AUTHOR}.sig`));
  t.equal(signature.length, 64);
  writeFileSync(file("lane.tsr"), token(authority, signature, { status: 0 }));
  const { code, limits } = await verified("--anchor lane.tsr");
  t.equal(code, 0);
  t.match(limits, `the signature by ${AUTHOR} was there by 2026-02-01T00:00:00.000Z, stamped by CN=Clock`);
  writeFileSync(file("other.tsr"), token(authority, Buffer.from("x")));
  t.match(await verified("--anchor lane.tsr --anchor other.tsr"), { code: 1, codes: ["E_TSA"] });

  writeFileSync(file("lane.ots"), ots.proofOf(signature, ots.bitcoin(5)));
  const header = ots.header(ots.proofOf(signature).subarray(33));
  t.match(await verified("--anchor lane.ots --anchor lane.tsr"), { code: 0, limits: /block 5/ });
  t.match(await verified(`--anchor lane.ots --bitcoin-header 5:${header}`), { code: 6, limits: /your word/ });
  const wrong = `5:${ots.header(Buffer.alloc(32))}`;
  t.match(await verified(`--anchor lane.ots --bitcoin-header ${wrong}`), { code: 1, codes: ["E_OTS"] });

  await ran(`trust remove ${CHANGE} --require-time`);
  t.match(await verified(""), { code: 0, limits: /No trusted time/ });
  t.match(await verified("--anchor lane.ots"), { code: 0, limits: /was not evaluated/ });
  const text = await sealane(words("verify lane --trust trust.json --anchor lane.tsr"), inDir);
  t.match(text.stdout, /ok +anchors +1 examined/);
});

t.test("a revoked key", async (t) => {
  await ran(`trust revoke ${CHANGE} --signer author.pub.pem --since 2026-02-02T00:00:00.000Z --reason lost`);
  t.match(await verified(""), { code: 3, codes: ["E_REVOKED"] });
  t.match(await verified("--anchor lane.tsr"), { code: 0, codes: [] });
  // The witnesses saw it today, which is later.
  t.match(await verified("--anchor bob.note --anchor carol.note"), { code: 3, codes: ["E_REVOKED"] });
});

t.test("the first root, by which a reader knows the chain again", async (t) => {
  const shown = await ran("trust show --trust trust.json");
  const first = String(shown.first_root_sha256);
  t.match(await verified(`--anchor lane.tsr --first-root ${first}`), { code: 0 });
  const verify = "verify lane --trust trust.json";
  t.equal(await refused(`${verify} --first-root ${"0".repeat(64)}`), "E_ROOT_CHAIN");
  t.equal(await refused(`verify lane --first-root ${first}`), "E_ROOT_CHAIN", "the project's own chain is another");
  await ran("trust init --key bob.pem --owner Bob --out other.json");
  t.equal(await refused(`verify lane --trust other.json --first-root ${first}`), "E_ROOT_CHAIN");
});

t.test("what does not go together", async (t) => {
  const mixed = [
    "sign lane --key bob.pem --as witness -o x",
    "sign lane --key bob.pem --as witness --name example.com/bob",
    "sign lane --key bob.pem --name example.com/bob",
    "sign lane --key bob.pem --as author --name example.com/bob -o x",
    "sign lane --key bob.pem --as witness --format raw --name example.com/bob -o x",
    "sign lane --key bob.pem --as witness --name a+b -o x",
    "sign lane --key bob.pem --as witness --name example.com/bob --comment hello -o x",
    "sign lane --key bob.pem --as witness --name example.com/bob -o lane/x",
    "verify lane --bitcoin-header 1:00",
    "verify lane --anchor lane.tsr --bitcoin-header 1:00",
    `verify lane --anchor lane.tsr --bitcoin-header 5:${ots.header(Buffer.alloc(32))} --bitcoin-header 5:${ots.header(Buffer.alloc(32))}`,
    "verify --proof p --question q --manifest m --anchor lane.tsr",
  ];
  const codes = await allRefused(mixed);
  for (const [index, line] of mixed.entries()) t.equal(codes[index], "E_USAGE", line);
  writeFileSync(file("long"), Buffer.alloc(2 ** 20 + 1));
  t.strictSame(
    await allRefused([
      "sign lane --key bob.pem --as witness --name example.com/bob -o bob.note",
      "verify lane --anchor nowhere",
      "verify lane --anchor long",
      `verify lane${" --anchor lane.tsr".repeat(65)}`,
    ]),
    ["E_EXISTS", "E_MISSING", "E_LIMIT", "E_LIMIT"],
  );
  t.notOk(existsSync(file("x")));
  const tampered = readFileSync(file("lane/answers.jsonl"));
  tampered[40]! ^= 1;
  writeFileSync(file("lane/answers.jsonl"), tampered);
  t.equal(
    await refused("sign lane --key bob.pem --as witness --name example.com/bob -o y"),
    "E_DIGEST",
    "a witness looks at what it is that he has seen",
  );
});
