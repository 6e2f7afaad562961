// The corpus as real folders and archives, for other implementations of the verifier.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { buildCase, digestOf } from "./build.js";
import { CASES_FOLDER, type TamperCase } from "./corpus.js";
import { writeBuilt } from "./judge.js";
import { recipeSchema } from "./recipe.js";

/**
 * Writes each case into a folder of its own: the lane as `lane/` or `lane.<archive>`, trust.json, dataset.json and state.json as
 * they are to be given, expected.json, README.md and the recipe. Returns one line a case: its digest and its name.
 */
export async function writeCorpus(cases: readonly TamperCase[], out: string): Promise<string> {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "case.schema.json"), `${JSON.stringify(recipeSchema(), null, 2)}\n`);
  const digests: string[] = [];
  for (const { name, recipe } of cases) {
    const folder = join(out, name);
    const built = await buildCase(recipe);
    mkdirSync(folder);
    writeBuilt(built, folder);
    cpSync(join(CASES_FOLDER, name), folder, { recursive: true });
    if (built.trust) writeFileSync(join(folder, "trust.json"), built.trust);
    if (built.dataset) writeFileSync(join(folder, "dataset.json"), built.dataset);
    if (built.state !== undefined) writeFileSync(join(folder, "state.json"), JSON.stringify(built.state));
    writeFileSync(join(folder, "expected.json"), `${JSON.stringify(recipe.expect, null, 2)}\n`);
    digests.push(`${digestOf(built)}  ${name}\n`);
  }
  writeFileSync(join(out, "CASES.sha256"), digests.join(""));
  return sha256Hex(digests.join(""));
}
