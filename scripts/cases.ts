// `npm run cases -- --out DIR [--only ROW]`: the tamper corpus as real lanes; `--show` tells what the verifier says of each case;
// `--digest` writes down the digest of all cases, to which a test holds them.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { sha256Hex } from "../lib/bytes/digest.js";
import { buildCase, digestOf } from "../test/support/cases/build.js";
import { allCases, CORPUS_DIGEST_FILE } from "../test/support/cases/corpus.js";
import { judge } from "../test/support/cases/judge.js";
import { writeCorpus } from "../test/support/cases/write.js";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    only: { type: "string" },
    show: { type: "boolean" },
    digest: { type: "boolean" },
  },
});
const cases = allCases().filter(({ name }) => values.only === undefined || name.startsWith(values.only));
if (values.show) {
  for (const { name, recipe } of cases) {
    const { exit, codes } = await judge(await buildCase(recipe));
    const same = exit === recipe.expect.exit && codes.join() === recipe.expect.codes.join();
    console.log(`${same ? "as expected" : "OTHERWISE"}  ${name}  ${JSON.stringify({ exit, codes })}`);
  }
} else if (values.digest) {
  const lines: string[] = [];
  for (const { name, recipe } of allCases()) lines.push(`${digestOf(await buildCase(recipe))}  ${name}\n`);
  writeFileSync(CORPUS_DIGEST_FILE, `${sha256Hex(lines.join(""))}\n`);
} else if (values.out === undefined) {
  console.error("npm run cases -- --out DIR [--only ROW] | --show [--only ROW] | --digest");
  process.exitCode = 64;
} else {
  const digest = await writeCorpus(cases, values.out);
  console.log(`${cases.length} cases in ${values.out}, ${digest}`);
}
