// A fault of the verifier itself is never a good verdict, and what stands around a lane is never read.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { Check } from "../../verifiers/check.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { CLI, fewAtATime, oneDocument, reasonOf, sealane } from "../support/cli.js";
import { finishedRun } from "../support/finished.js";
import { goodLane } from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(180_000);
const dir = t.testdir();
await finishedRun(dir);

const VERIFY = ["verify", join(dir, "lane"), "--trust", join(dir, "trust.json")];
const BROKEN = pathToFileURL(repositoryFile("build/test/support/broken-check.js")).href;

t.test("a check that breaks makes no verdict, wherever it breaks", async (t) => {
  const files = await goodLane();
  const broken = (): never => {
    throw new TypeError("Cannot read properties of undefined");
  };
  for (const [index, check] of CHECKS.entries()) {
    const ways: Check["start"][] = [
      broken,
      (...args) => ({ ...check.start(...args), row: broken }),
      (...args) => ({ ...check.start(...args), finish: broken }),
    ];
    for (const start of ways) {
      const evidence = gatherLane(new MemorySource(files), undefined);
      const checks = CHECKS.with(index, { ...check, start });
      t.throws(() => verifyLane(evidence, { trust: undefined }, checks), TypeError, check.id);
    }
  }
});

t.test("and is a fault of sealane's, never exit 0", async (t) => {
  const ways = ["signatures start", "separation row", "times finish"];
  const endings = await fewAtATime(ways, (way) =>
    sealane([...VERIFY, "--json"], { node: ["--import", BROKEN], env: { BROKEN_CHECK: way } }),
  );
  for (const [index, ended] of endings.entries()) {
    t.equal(ended.code, 70, ways[index] ?? "");
    t.equal(reasonOf(ended), "E_INTERNAL", "and says so in JSON");
    t.equal(oneDocument(ended).schema, "sealane-error/1");
  }
});

t.test("memory that runs out is no good verdict", async (t) => {
  const ended = await sealane(VERIFY, { node: ["--max-old-space-size=12"] });
  t.notOk(ended.code === 0, `ended with ${ended.code ?? ended.signal}`);
  t.notMatch(ended.stdout, "verified");
});

t.test("a reader that goes away makes no good verdict of a bad lane", async (t) => {
  const bad = join(dir, "bad");
  spawnSync("cp", ["-r", join(dir, "lane"), bad]);
  writeFileSync(join(bad, "extra"), "");
  const command = `"${process.execPath}" "${CLI}" verify "${bad}" --trust "${join(dir, "trust.json")}"`;
  const { stdout } = spawnSync("bash", ["-c", `${command} 2>/dev/null | true; echo "\${PIPESTATUS[0]}"`], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  t.ok(["1", "74"].includes(stdout.trim()), stdout);
});

t.test("configuration beside the lane, above it or at home is not read", async (t) => {
  const plain = await sealane(VERIFY);
  t.equal(plain.code, 0);
  const around = join(dir, "around");
  mkdirSync(around);
  const settings = JSON.stringify({ trust: "none", only: ["files"], skip: ["signatures"], dataset: "x", state: "y" });
  const names = [
    "package.json",
    ".sealanerc",
    ".sealanerc.json",
    "sealane.json",
    "sealane.config.js",
    ".env",
    "trust.json",
  ];
  for (const name of [...names, "manifests", "node_modules"]) {
    if (!name.includes(".")) mkdirSync(join(around, name));
    else
      writeFileSync(
        join(around, name),
        name === "package.json" ? JSON.stringify({ sealane: JSON.parse(settings), yargs: { json: true } }) : settings,
      );
  }
  writeFileSync(join(around, "manifests", "trust.json"), readFileSync(join(dir, "trust.json")));
  spawnSync("cp", ["-r", join(dir, "lane"), join(around, "lane")]);
  const env = {
    HOME: around,
    XDG_CONFIG_HOME: around,
    SEALANE_TRUST: "x",
    NODE_ENV: "production",
    npm_config_json: "1",
  };
  const there = ["verify", "lane", "--trust", join(dir, "trust.json")];
  t.strictSame(await sealane(there, { cwd: around, env }), plain);
  const untrusted = await sealane(["verify", "lane", "--json"], { cwd: around, env });
  t.equal(untrusted.code, 3, "nor is a trust file where sealane's own would stand");
});

t.test("a mask of permissions changes no verdict", async (t) => {
  const plain = await sealane(VERIFY);
  for (const mask of ["0000", "0777"]) {
    t.strictSame(await sealane(VERIFY, { within: ["bash", "-c", `umask ${mask}; exec "$@"`, "bash"] }), plain, mask);
  }
});
