// Any tokenizer that a Hugging Face tokenizer.json describes. The file is the identity; it is not shipped and not fetched.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { sha256Hex } from "../bytes/digest.js";
import { parseStrictJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { HF_TOKENIZER_ID, type Tokenizer } from "./tokens.js";

const PACKAGE = "@huggingface/tokenizers";

/** The parts of a tokenizer.json that are looked at here. */
interface TokenizerJson {
  readonly added_tokens?: readonly { content?: unknown; lstrip?: unknown; rstrip?: unknown; single_word?: unknown }[];
  readonly normalizer?: { type?: unknown } | null;
  readonly pre_tokenizer?: { type?: unknown; pretokenizers?: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly model?: { type?: unknown };
}

const WORDS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";
const REST = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/**
 * Splitting patterns under which nothing goes on from a line feed to "[" or "(", and what stands before does not depend on what
 * follows: a run of white space up to a last line feed is one piece by "\s*[\r\n]+" (or ends a run of signs), and never comes as
 * far as "\s+(?!\S)", which would look at what follows. Qwen 2 to 3 split numbers into digits, Llama 3 and cl100k into threes.
 */
const SPLITS_AT_LINES: readonly string[] = ["\\p{N}", "\\p{N}{1,3}"].map((numbers) => `${WORDS}|${numbers}|${REST}`);

/**
 * Whether counts add up between a line feed and a bracket (see Tokenizer.addsUpAtLines), by the form of the file: byte-level BPE
 * behind one of the patterns above. Normalisation to NFC composes neither a line feed nor a bracket with what is beside it, and
 * an added token that neither holds a line feed nor strips what is beside it does not reach across. Any other form may be just
 * as good; then packets are counted whole, which is slower and as exact.
 */
function addsUpAtLines({ added_tokens, normalizer, pre_tokenizer, model }: TokenizerJson): boolean {
  const [split, bytes, ...more] = pre_tokenizer?.type === "Sequence" ? (pre_tokenizer.pretokenizers ?? []) : [];
  const pattern = (split?.pattern as { Regex?: unknown } | undefined)?.Regex;
  return (
    model?.type === "BPE" &&
    (normalizer === null || normalizer === undefined || normalizer.type === "NFC") &&
    more.length === 0 &&
    split?.type === "Split" &&
    split.behavior === "Isolated" &&
    split.invert === false &&
    typeof pattern === "string" &&
    SPLITS_AT_LINES.includes(pattern) &&
    bytes?.type === "ByteLevel" &&
    bytes.add_prefix_space === false &&
    bytes.use_regex === false &&
    (added_tokens ?? []).every(
      ({ content, lstrip, rstrip, single_word }) =>
        typeof content === "string" && !content.includes("\n") && !lstrip && !rstrip && !single_word,
    )
  );
}

/** The parts of a file that split and rewrite text. */
const STEPS = ["normalizer", "pre_tokenizer", "post_processor", "decoder"] as const;

/** Whether somewhere in a step stands a pattern of a form that the package goes on without, as if the file had not asked for it. */
function hasUnknownPattern(step: unknown): boolean {
  if (typeof step !== "object" || step === null) return false;
  const { type } = step as { type?: unknown };
  if ((type === "Split" || type === "Replace") && !Object.hasOwn(step, "pattern")) return true;
  return Object.entries(step).some(([name, value]: [string, unknown]) => {
    if (name !== "pattern" || Array.isArray(step)) return hasUnknownPattern(value);
    const { Regex, String: text } = (value ?? {}) as { Regex?: unknown; String?: unknown };
    return typeof Regex !== "string" && typeof text !== "string";
  });
}

/**
 * The tokenizer that a tokenizer.json describes. A count is the length of what `encode` gives without the special tokens that a
 * model would put around the text: `len(tokenizer.encode(text, add_special_tokens=False).ids)` in the Python library. Truncation
 * and padding that the file asks for are not applied. Throws E_UTF8, E_JSON, E_LIMIT, and E_SCHEMA on what is no such file.
 */
export function tokenizerFromJson(bytes: Uint8Array, at: string): Tokenizer {
  const json = parseStrictJson(bytes, at);
  let tokenizer: HuggingFaceTokenizer;
  try {
    const strange = STEPS.find((name) => hasUnknownPattern((json as Record<string, unknown> | null)?.[name]));
    if (strange !== undefined)
      throw new Error(`a pattern of its ${strange} is missing, or neither a Regex nor a String`);
    tokenizer = new HuggingFaceTokenizer(json as object, {});
    tokenizer.encode("a", { add_special_tokens: false });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SealaneError("E_SCHEMA", `${at} is no tokenizer.json that can be used here: ${why}`, { at, cause });
  }
  return {
    identity: { id: HF_TOKENIZER_ID, package: `${PACKAGE}@${installedVersion()}`, sha256: sha256Hex(bytes) },
    count: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids.length,
    addsUpAtLines: addsUpAtLines(json as TokenizerJson),
  };
}

/** The package exports its code alone, so that its package.json is read from beside it. */
function installedVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require(join(dirname(require.resolve(PACKAGE)), "..", "package.json")) as { version: string };
  return version;
}
