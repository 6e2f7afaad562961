// `npm run cases -- --out DIR [--only ROW]`: the tamper corpus as real lanes; `--show` tells what the verifier says of each case.
import { parseArgs } from "node:util";
import { buildCase } from "../test/support/cases/build.js";
import { allCases } from "../test/support/cases/corpus.js";
import { judge } from "../test/support/cases/judge.js";
import { writeCorpus } from "../test/support/cases/write.js";

const { values } = parseArgs({
  options: { out: { type: "string" }, only: { type: "string" }, show: { type: "boolean" } },
});
const cases = allCases().filter(({ name }) => values.only === undefined || name.startsWith(values.only));
if (values.show) {
  for (const { name, recipe } of cases) {
    const { exit, codes } = await judge(await buildCase(recipe));
    const same = exit === recipe.expect.exit && codes.join() === recipe.expect.codes.join();
    console.log(`${same ? "as expected" : "OTHERWISE"}  ${name}  ${JSON.stringify({ exit, codes })}`);
  }
} else if (values.out === undefined) {
  console.error("npm run cases -- --out DIR [--only ROW] | --show [--only ROW]");
  process.exitCode = 64;
} else {
  const digest = await writeCorpus(cases, values.out);
  console.log(`${cases.length} cases in ${values.out}, ${digest}`);
}
