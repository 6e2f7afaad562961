import { createRequire } from "node:module";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { PreparationProtocol } from "../../schemas/index.js";
import { startSha256 } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";

/** A tokenizer whose identity is the digest of its table, not its name. */
export interface Tokenizer {
  readonly identity: PreparationProtocol["tokenizer"];
  /** Tokens of a text. Text that looks like a special token is plain text for o200k_base; a tokenizer.json says itself what it is. */
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

/** A rank table in tiktoken's text form (base64 of the token, blank, rank, line feed), hashed. */
function rankTableSha256(table: readonly (string | readonly number[])[]): string {
  const hash = startSha256();
  for (const [rank, token] of table.entries()) {
    const bytes = typeof token === "string" ? Buffer.from(token, "utf8") : Buffer.from(token);
    hash.update(`${bytes.toString("base64")} ${rank}\n`);
  }
  return hash.digest("hex");
}

/** Digest of OpenAI's published o200k_base.tiktoken. */
const O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";

const { version } = createRequire(import.meta.url)("gpt-tokenizer/package.json") as { version: string };
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() };

function o200k(): Tokenizer {
  const sha256 = rankTableSha256(ranks);
  if (sha256 !== O200K_SHA256) {
    throw new SealaneError("E_VERSION", "the installed tokenizer is not o200k_base", {
      expected: O200K_SHA256,
      found: sha256,
      next: "Install sealane from its lock file.",
    });
  }
  return {
    identity: { id: "o200k_base", package: `gpt-tokenizer@${version}`, sha256 },
    count: (text) => countTokens(text, NO_SPECIAL_TOKENS),
    addsUpAtLines: true,
  };
}

/** Every tokenizer, by id. To add one: one function, one line here. */
export const TOKENIZERS: Readonly<Record<string, () => Tokenizer>> = { o200k_base: o200k };

const loaded = new Map<string, Tokenizer>();

/** The tokenizer of an id, its table checked against its digest once. Throws E_UNKNOWN, E_VERSION. */
export function tokenizerOf(id: string): Tokenizer {
  const load = Object.hasOwn(TOKENIZERS, id) ? TOKENIZERS[id] : undefined;
  if (!load) {
    throw new SealaneError("E_UNKNOWN", `there is no tokenizer '${id}'`, {
      expected: Object.keys(TOKENIZERS).join(" | "),
      found: id,
    });
  }
  const tokenizer = loaded.get(id) ?? load();
  loaded.set(id, tokenizer);
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
