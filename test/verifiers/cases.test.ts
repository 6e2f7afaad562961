// The tamper corpus: every case of fixtures/cases/ is refused with its exit code and exactly its reason codes, and every control
// is accepted.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { unpackLane } from "../../lib/lane/pack.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { buildCase, digestOf } from "../support/cases/build.js";
import { allCases, CORPUS_DIGEST_FILE } from "../support/cases/corpus.js";
import { judge } from "../support/cases/judge.js";

t.setTimeout(900_000);

const CASES = allCases();

/** One line a case, as `npm run cases` writes them. */
const digests: string[] = [];
/** Unpacking an archive makes the folder asked for, or nothing; and never anything beside it. */
async function unpacksNowhereElse(
  t: Test,
  { name, bytes }: { name: string; bytes: Buffer },
  opened: boolean,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealane-unpack-"));
  try {
    writeFileSync(join(folder, name), bytes);
    const done = await unpackLane(join(folder, name), join(folder, "out")).then(
      () => true,
      () => false,
    );
    t.ok(opened || !done, "what verification cannot open is not unpacked");
    t.strictSame(readdirSync(folder).sort(), done ? [name, "out"].sort() : [name]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Checks that some control passed. */
const passed = new Set<string>();

for (const { name, sentence, recipe } of CASES) {
  t.test(`${name}: ${sentence}`, async (t) => {
    const built = await buildCase(recipe);
    digests.push(`${digestOf(built)}  ${name}\n`);
    const verdict = await judge(built);
    t.strictSame(verdict.codes, recipe.expect.codes);
    t.equal(verdict.exit, recipe.expect.exit);
    if (recipe.form === "control") {
      for (const { id, outcome } of verdict.report?.checks ?? []) if (outcome === "passed") passed.add(id);
    }
    if (built.archive) await unpacksNowhereElse(t, built.archive, verdict.report?.lane !== null);
    for (const named of recipe.expect.limits ?? []) {
      t.ok(
        verdict.limits.some((limit) => limit.includes(named)),
        `the limits name ${named}`,
      );
    }
    for (const [id, outcome] of Object.entries(recipe.expect.outcomes ?? {})) {
      t.equal(verdict.report?.checks.find((check) => check.id === id)?.outcome, outcome, id);
    }
  });
}

/** Codes that no edit of a lane's files can bring about: a fault of the machine, or of a signature library. */
const NOT_BY_EDITING = new Set(["E_BACKENDS", "E_IO"]);

t.test(
  "every reason code of every check has a case that fails with it, and every check one that it passes",
  async (t) => {
    const seen = new Set(CASES.flatMap(({ recipe }) => recipe.expect.codes));
    for (const check of CHECKS) {
      for (const code of check.emits) t.ok(seen.has(code) || NOT_BY_EDITING.has(code), `${check.id}: ${code}`);
      t.ok(passed.has(check.id), `${check.id} passes a control`);
    }
  },
);

t.test("the corpus is the same bytes everywhere", async (t) => {
  // After a change of cases or of what a lane holds: npm run cases -- --digest
  t.equal(`${sha256Hex(digests.join(""))}\n`, readFileSync(CORPUS_DIGEST_FILE, "utf8"));
});

t.test("there are enough controls, and rows of every letter from A to F", async (t) => {
  t.ok(CASES.filter(({ recipe }) => recipe.form === "control").length >= 40);
  for (const letter of "ABCDEF")
    t.ok(
      CASES.some(({ recipe }) => recipe.row.startsWith(letter)),
      letter,
    );
});
