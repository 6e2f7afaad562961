import type { PreparationProtocol } from "../../schemas/index.js";

/** What a preparation protocol says of the embedding its arm used. */
export type EmbeddingIdentity = NonNullable<PreparationProtocol["embedding"]>;

/** The segments of one history, as an arm that needs meaning sees them. */
export interface SemanticIndex {
  /** Cosine of the query with each segment, in segment order, each finite in [-1, 1]. */
  cosines(query: string): Float64Array;
}

/** What there is to embed of one segment: its text for an index, and the session it stands in. */
export interface Passage {
  readonly session: number;
  readonly text: string;
}

/** An embedder that is a pure function of the history: nothing is stored, the protocol's constants say all. */
export interface FittedEmbedder {
  readonly id: string;
  readonly title: string;
  readonly identity: EmbeddingIdentity;
  /** @param passages in order of the history */
  fit(passages: readonly Passage[], parameters: EmbeddingIdentity["parameters"]): SemanticIndex;
}
