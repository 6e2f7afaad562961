import type { Embedding, Vectors } from "../../schemas/index.js";

/** What a preparation protocol says of the embedding its arm used. */
export type EmbeddingIdentity = Embedding;

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

/** Whether a text is stored or asked: models embed the two differently. */
export type TextKind = "document" | "query";

/** Vectors that were made before and are only read now. */
export interface VectorSource {
  /** With the digest of the file that holds them. */
  readonly identity: EmbeddingIdentity;
  /** The vector of a text, its prefix not included; throws E_VECTOR when there is none. */
  vector(kind: TextKind, text: string): Float32Array;
}

/** What did the computing, as far as it says. */
export type Compute = Pick<Vectors["compute"][number], "software" | "device">;

export interface EncoderSettings {
  /** Where the server listens. */
  readonly url: string;
  /** The model's name on the server, or the path of its file. */
  readonly model: string;
  /** Secret that the server asks for. */
  readonly key: string | undefined;
  readonly deadlineMs: number;
  /** Folder of an installed package that the encoder runs on; undefined: the one installed beside sealane. */
  readonly runtime: string | undefined;
}

/** A model that turns texts into vectors. Knows nothing of histories and questions. */
export interface Encoder {
  /** The model as the server names it now. Throws E_EMBEDDER when the server or the model is not there. */
  identify(): Promise<{ readonly model: string; readonly digest: string | null }>;
  /** One list of numbers for each text, in order, as they came. Throws E_EMBEDDER, E_CANCELLED. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]>;
  /** Asked after the first vectors came. */
  compute(): Promise<Compute>;
  close(): Promise<void>;
}

/** An embedder that runs a model: its vectors are made once, by `sealane embed`, and frozen in a file. */
export interface ModelEmbedder {
  readonly id: string;
  readonly title: string;
  readonly defaultModel: string | null;
  readonly defaultUrl: string;
  /** How the model is asked, where that shapes a vector. */
  readonly parameters: EmbeddingIdentity["parameters"];
  open(settings: EncoderSettings): Encoder;
}
