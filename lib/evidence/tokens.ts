import { createRequire } from "node:module";
import type { PreparationProtocol } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import { readFile } from "../io/read-file.js";
import { BytePairs } from "./byte-pairs.js";

/** A tokenizer whose identity is the digest of its table, not its name. */
export interface Tokenizer {
  readonly identity: PreparationProtocol["tokenizer"];
  /**
   * Tokens of a text. Text that looks like a special token is plain text for o200k_base; a tokenizer.json says itself what it is. The
   * first call reads the table, and throws E_VERSION when it is another one than the identity's.
   */
  count(text: string): number;
  /**
   * Whether `count(a + b)` is `count(a) + count(b)` when `a` ends with a line feed and `b` begins with "[" or "(".
   * For o200k_base: its splitting pattern takes white space up to the last line feed as one piece whatever follows,
   * and no alternative that begins before a line feed goes on to a bracket. Where it is false, a packet is counted whole.
   */
  readonly addsUpAtLines: boolean;
}

/** The id of every tokenizer that is a file of the user's (lib/evidence/tokenizer-json.ts): its digest says which. */
export const HF_TOKENIZER_ID = "hf-tokenizer-json";

/** Digest and length of OpenAI's published o200k_base.tiktoken. */
const O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";
const O200K_BYTES = 3_613_922;

/** How o200k_base cuts a text into the pieces that are encoded each for itself, as OpenAI published it. */
const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?";
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const O200K_PIECES = [
  String.raw`[^\r\n\p{L}\p{N}]?${UPPER}*${LOWER}+${CONTRACTION}`,
  String.raw`[^\r\n\p{L}\p{N}]?${UPPER}+${LOWER}*${CONTRACTION}`,
  String.raw`\p{N}{1,3}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s+(?!\S)`,
  String.raw`\s+`,
].join("|");

const require = createRequire(import.meta.url);

function readO200k(): BytePairs {
  const table = readFile(require.resolve("gpt-tokenizer/data/o200k_base.tiktoken"), O200K_BYTES);
  const sha256 = sha256Hex(table);
  if (sha256 === O200K_SHA256) return new BytePairs(table);
  throw new SealaneError("E_VERSION", "the installed tokenizer is not o200k_base", {
    expected: O200K_SHA256,
    found: sha256,
    next: "Install sealane from its lock file.",
  });
}

function o200k(): Tokenizer {
  const { version } = require("gpt-tokenizer/package.json") as { version: string };
  const pieces = new RegExp(O200K_PIECES, "gu");
  let pairs: BytePairs | undefined;
  return {
    identity: { id: "o200k_base", package: `gpt-tokenizer@${version}`, sha256: O200K_SHA256 },
    count(text) {
      pairs ??= readO200k();
      const bytes = Buffer.from(text);
      const isAscii = bytes.length === text.length;
      let total = 0;
      let start = 0;
      // Every character is in some piece, so each piece begins where the one before it ended.
      for (const piece of text.match(pieces) ?? []) {
        const end = start + (isAscii ? piece.length : Buffer.byteLength(piece));
        total += pairs.count(bytes, start, end);
        start = end;
      }
      return total;
    },
    addsUpAtLines: true,
  };
}

/** Every tokenizer, by id. To add one: one function, one line here. */
export const TOKENIZERS: Readonly<Record<string, () => Tokenizer>> = { o200k_base: o200k };

const made = new Map<string, Tokenizer>();

/** The tokenizer of an id. Its table is read when something is counted. Throws E_UNKNOWN. */
export function tokenizerOf(id: string): Tokenizer {
  const make = Object.hasOwn(TOKENIZERS, id) ? TOKENIZERS[id] : undefined;
  if (!make) {
    throw new SealaneError("E_UNKNOWN", `there is no tokenizer '${id}'`, {
      expected: Object.keys(TOKENIZERS).join(" | "),
      found: id,
    });
  }
  const tokenizer = made.get(id) ?? make();
  made.set(id, tokenizer);
  return tokenizer;
}

/**
 * The tokenizer that a protocol names: one that the user gave, or one of this release. Throws E_UNKNOWN, and E_VERSION when it
 * is another one than the protocol's.
 */
export function pinnedTokenizer({ id, sha256 }: PreparationProtocol["tokenizer"], given?: Tokenizer): Tokenizer {
  const tokenizer = given ?? tokenizerOf(id);
  if (tokenizer.identity.id === id && tokenizer.identity.sha256 === sha256) return tokenizer;
  throw new SealaneError("E_VERSION", "the tokenizer at hand is not the protocol's", {
    expected: `${id}, SHA-256 ${sha256}`,
    found: `${tokenizer.identity.id}, SHA-256 ${tokenizer.identity.sha256}`,
  });
}
