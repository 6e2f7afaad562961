import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { FrozenIndex } from "./frozen.js";
import { llamaCpp } from "./llama-cpp.js";
import { LSA_IDENTITY, lsa } from "./lsa.js";
import { ollama } from "./ollama.js";
import { openai } from "./openai.js";
import type {
  EmbeddingIdentity,
  FittedEmbedder,
  ModelEmbedder,
  Passage,
  SemanticIndex,
  VectorSource,
} from "./types.js";

/** Every embedder. To add one: one file, one line here. */
export const EMBEDDERS: readonly (FittedEmbedder | ModelEmbedder)[] = [lsa, ollama, openai, llamaCpp];

/** Those whose vectors are made by `sealane embed`. */
export const MODEL_EMBEDDERS: readonly ModelEmbedder[] = EMBEDDERS.filter((embedder) => "open" in embedder);

/** The embedding of an arm that needs meaning, when the user names no vectors. */
export const DEFAULT_EMBEDDING = LSA_IDENTITY;

function named<T extends { readonly id: string }>(list: readonly T[], id: string): T {
  const embedder = list.find((candidate) => candidate.id === id);
  if (embedder) return embedder;
  throw new SealaneError("E_UNKNOWN", `there is no embedder '${id}' for this`, {
    expected: list.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}

/** The embedder of an id that runs a model; throws E_UNKNOWN with the list of those there are. */
export function modelEmbedderOf(id: string): ModelEmbedder {
  return named(MODEL_EMBEDDERS, id);
}

/**
 * The index that a protocol's embedding makes of a history's passages. Vectors of a model are read from `vectors`, which must be the
 * very ones the protocol names. Throws E_UNKNOWN, E_VERSION, E_VECTOR.
 */
export function semanticIndex(
  identity: EmbeddingIdentity,
  passages: readonly Passage[],
  vectors: VectorSource | null,
): SemanticIndex {
  const embedder = named(EMBEDDERS, identity.id);
  const found = canonicalJson(identity);
  if ("fit" in embedder) {
    const expected = canonicalJson(embedder.identity);
    if (expected === found) return embedder.fit(passages, identity.parameters);
    throw new SealaneError("E_VERSION", "this release does not have the protocol's embedder", { expected, found });
  }
  if (!vectors) {
    throw new SealaneError("E_VECTOR", `the vectors of ${identity.model ?? identity.id} are read from a file`, {
      next: "Name it with --vectors.",
    });
  }
  const expected = canonicalJson(vectors.identity);
  if (expected !== found) {
    throw new SealaneError("E_VECTOR", "the vectors are not those that the protocol names", { expected, found });
  }
  return new FrozenIndex(passages, vectors);
}
