// The tamper corpus: every case of fixtures/cases/ is refused with its exit code and exactly its reason codes, and every control
// is accepted.
import t from "tap";
import { CHECKS } from "../../verifiers/checks/index.js";
import { buildCase } from "../support/cases/build.js";
import { allCases } from "../support/cases/corpus.js";
import { judge } from "../support/cases/judge.js";

t.setTimeout(300_000);

const CASES = allCases();

for (const { name, sentence, recipe } of CASES) {
  t.test(`${name}: ${sentence}`, async (t) => {
    const verdict = await judge(await buildCase(recipe));
    t.strictSame(verdict.codes, recipe.expect.codes);
    t.equal(verdict.exit, recipe.expect.exit);
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

t.test("every reason code of every check has a case", async (t) => {
  const seen = new Set(CASES.flatMap(({ recipe }) => recipe.expect.codes));
  for (const check of CHECKS) {
    for (const code of check.emits) t.ok(seen.has(code) || NOT_BY_EDITING.has(code), `${check.id}: ${code}`);
  }
});
