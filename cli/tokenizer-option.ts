import { LIMITS } from "../lib/bytes/limits.js";
import { TOKENIZERS, type Tokenizer, tokenizerOf } from "../lib/evidence/tokens.js";
import { readFile } from "../lib/io/read-file.js";

/** A tokenizer.json that the user named. The package that reads it is loaded for those who name one. */
export async function tokenizerAt(path: string): Promise<Tokenizer> {
  const { tokenizerFromJson } = await import("../lib/evidence/tokenizer-json.js");
  return tokenizerFromJson(readFile(path, LIMITS.tokenizerBytesMax), path);
}

/** A tokenizer by its id, or by the path of its file: what has a dot or a slash in it and is no id. Throws E_UNKNOWN, E_MISSING. */
export async function chosenTokenizer(name: string): Promise<Tokenizer> {
  return !Object.hasOwn(TOKENIZERS, name) && /[./\\]/.test(name) ? tokenizerAt(name) : tokenizerOf(name);
}
