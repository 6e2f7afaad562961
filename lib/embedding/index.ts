import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { LSA_IDENTITY, LsaIndex } from "./lsa.js";
import type { EmbeddingIdentity, FittedEmbedder, Passage, SemanticIndex } from "./types.js";

const lsa: FittedEmbedder = {
  id: "lsa",
  title: "latent semantic analysis of the history's own words; needs nothing",
  identity: LSA_IDENTITY,
  fit: (passages, parameters) => new LsaIndex(passages, parameters),
};

/** Every embedder. To add one: one file, one line here. */
export const EMBEDDERS: readonly FittedEmbedder[] = [lsa];

/** The embedding of an arm that needs meaning, when the user names no vectors. */
export const DEFAULT_EMBEDDING = LSA_IDENTITY;

/** The embedder of an id; throws E_UNKNOWN with the list of those there are. */
export function embedderOf(id: string): FittedEmbedder {
  const embedder = EMBEDDERS.find((candidate) => candidate.id === id);
  if (embedder) return embedder;
  throw new SealaneError("E_UNKNOWN", `there is no embedder '${id}'`, {
    expected: EMBEDDERS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}

/** The index that a protocol's embedding makes of a history's passages. Throws E_UNKNOWN, E_VERSION. */
export function semanticIndex(identity: EmbeddingIdentity, passages: readonly Passage[]): SemanticIndex {
  const embedder = embedderOf(identity.id);
  const [expected, found] = [canonicalJson(embedder.identity), canonicalJson(identity)];
  if (expected !== found) {
    throw new SealaneError("E_VERSION", `this release does not have the protocol's embedder`, { expected, found });
  }
  return embedder.fit(passages, identity.parameters);
}
