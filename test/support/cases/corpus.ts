// The cases of fixtures/cases/: each a folder with a sentence for people and a recipe.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFile } from "../shared.js";
import { type Recipe, recipeOf } from "./recipe.js";

export const CASES_FOLDER = repositoryFile("fixtures/cases");

/** One digest of all cases as they are made: that of the lines "<digest of the case>  <name>", by name. */
export const CORPUS_DIGEST_FILE = join(CASES_FOLDER, "CORPUS.sha256");

export interface TamperCase {
  /** The folder's name: `<ROW>-<slug>-<form>` or `control-<slug>`. */
  readonly name: string;
  /** One sentence for a stranger. */
  readonly sentence: string;
  readonly recipe: Recipe;
}

const NAME = /^(?:([A-K][0-9]{2})-[a-z0-9]+(?:-[a-z0-9]+)*-(raw|resealed|signed)|control-[a-z0-9]+(?:-[a-z0-9]+)*)$/;

function caseIn(name: string): TamperCase {
  const match = NAME.exec(name);
  if (!match) throw new Error(`${name} is no name of a case`);
  const at = `fixtures/cases/${name}/case.json`;
  const recipe = recipeOf(JSON.parse(readFileSync(join(CASES_FOLDER, name, "case.json"), "utf8")), at);
  const [row, form] = [match[1] ?? "control", match[2] ?? "control"];
  if (recipe.row !== row || recipe.form !== form) throw new Error(`${at} says another row or form than its folder`);
  // What a form says of who made the case: bytes edited after sealing, sealed again without the author's key, or with it.
  const editedAfter = recipe.after !== undefined || recipe.container?.edits !== undefined;
  if (form === "raw" && recipe.seal && (recipe.seal.key !== "author" || !editedAfter))
    throw new Error(`${at}: what is sealed again is not raw`);
  if (form === "resealed" && (recipe.seal?.key ?? null) === "author") {
    throw new Error(`${at}: what the author sealed is signed`);
  }
  if (form === "resealed" && !recipe.seal) throw new Error(`${at}: nothing is sealed again`);
  const sentence = readFileSync(join(CASES_FOLDER, name, "README.md"), "utf8").trim();
  if (sentence === "" || sentence.includes("\n")) throw new Error(`${name}/README.md is not one sentence`);
  return { name, sentence, recipe };
}

/** Every case, by name. */
export function allCases(): TamperCase[] {
  return readdirSync(CASES_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map(caseIn);
}
