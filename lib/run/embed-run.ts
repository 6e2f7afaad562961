// A dataset's texts -> a vector file: batches through an encoder, each kept on disk as it comes, then sorted and sealed.
import { existsSync, rmSync } from "node:fs";
import type { Vectors } from "../../schemas/index.js";
import { startSha256 } from "../bytes/digest.js";
import type { Dataset } from "../dataset/index.js";
import { checkedVector } from "../embedding/checked.js";
import type { EmbeddingIdentity, Encoder, TextKind } from "../embedding/types.js";
import { encodeRow, headerBytes, keyOf } from "../embedding/vector-file.js";
import { textsToEmbed } from "../evidence/texts.js";
import { SealaneError } from "../finding.js";
import { makeFile } from "../io/atomic.js";
import type { Clock } from "../io/clock.js";
import { turns } from "../io/pause.js";
import { VectorCache } from "./vector-cache.js";

export interface EmbedRequest {
  readonly embedder: string;
  readonly parameters: EmbeddingIdentity["parameters"];
  readonly documentPrefix: string;
  readonly queryPrefix: string;
  /** Numbers of a vector; undefined: as many as the first one has. */
  readonly dimensions: number | undefined;
  readonly batch: number;
  readonly out: string;
}

export interface EmbedOptions {
  readonly clock: Clock;
  /** Asks to stop after the batch in flight. */
  readonly stop: AbortSignal;
  /** Asks to break off the batch in flight too. */
  readonly abort: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Embedded {
  readonly header: Vectors;
  readonly sha256: string;
  /** Vectors made now; the others were there from before. */
  readonly made: number;
}

interface Text {
  readonly key: Buffer;
  readonly prefixed: string;
}

/** The texts of a dataset, each once. */
function* distinctTexts(dataset: Dataset, identity: EmbeddingIdentity): Generator<Text> {
  const seen = new Set<string>();
  for (const { kind, text } of textsToEmbed(dataset)) {
    const key = keyOf(identity, kind, text);
    const name = key.toString("latin1");
    if (seen.has(name)) continue;
    seen.add(name);
    yield { key, prefixed: prefixOf(identity, kind) + text };
  }
}

const prefixOf = (identity: EmbeddingIdentity, kind: TextKind): string =>
  kind === "document" ? identity.document_prefix : identity.query_prefix;

/** What is made while one command runs: the model is identified before the first vector and after the last. */
class Embedding {
  readonly #cache: VectorCache;
  readonly #encoder: Encoder;
  readonly #options: EmbedOptions;
  #identity: EmbeddingIdentity;
  #session: number | undefined;
  made = 0;

  constructor(cache: VectorCache, encoder: Encoder, identity: EmbeddingIdentity, options: EmbedOptions) {
    this.#cache = cache;
    this.#encoder = encoder;
    this.#options = options;
    this.#identity = identity;
    if (identity.dimensions > 0) cache.bind(identity);
  }

  async make(batch: readonly Text[]): Promise<void> {
    const started = this.#options.clock.now();
    const raw = await this.#encoder.embed(
      batch.map(({ prefixed }) => prefixed),
      this.#options.abort,
    );
    if (raw.length !== batch.length) {
      throw new SealaneError("E_VECTOR", "a batch came back with another number of vectors than texts", {
        expected: String(batch.length),
        found: String(raw.length),
      });
    }
    const [first] = raw;
    if (this.#identity.dimensions === 0 && Array.isArray(first)) {
      const identity = { ...this.#identity, dimensions: first.length };
      checkedVector(first, first.length, "the first vector");
      this.#cache.bind(identity);
      this.#identity = identity;
    }
    const vectors = batch.map(({ key }, index) => ({
      key,
      vector: checkedVector(raw[index], this.#identity.dimensions, `vector ${index + 1} of ${batch.length} in a batch`),
    }));
    if (this.#session === undefined) {
      this.#session = this.#cache.startSession(await this.#encoder.compute(), started);
    }
    this.#cache.keep(this.#session, vectors);
    this.made += batch.length;
  }

  /** Throws E_EMBEDDER, and takes this session's vectors back, when the server has another model by now. */
  async finish(): Promise<void> {
    if (this.#session === undefined) return;
    const { digest } = await this.#encoder.identify();
    if (digest === this.#identity.digest) return;
    this.#cache.discard(this.#session);
    throw new SealaneError("E_EMBEDDER", "the model was replaced while vectors were being made", {
      expected: this.#identity.digest ?? "none",
      found: digest ?? "none",
      next: "Choose another --out, and leave the model alone until it is finished.",
    });
  }
}

/**
 * Embeds every text of a dataset into a new vector file. What was made stays in `<out>.partial` until the file is whole, so
 * that stopping loses at most one batch. Throws E_EXISTS, E_EMBEDDER, E_VECTOR, E_RUN_MIX, E_RUN_BUSY, E_CANCELLED, E_IO.
 */
export async function embedDataset(
  dataset: Dataset,
  encoder: Encoder,
  request: EmbedRequest,
  options: EmbedOptions,
): Promise<Embedded> {
  if (existsSync(request.out)) {
    throw new SealaneError("E_EXISTS", `${request.out} is there already`, { at: request.out });
  }
  if (dataset.asked.length === 0) throw new SealaneError("E_POPULATION", "the dataset has no question to embed");
  const { model, digest } = await encoder.identify();
  const partial = `${request.out}.partial`;
  const cache = new VectorCache(partial);
  let isNeeded = true;
  try {
    const identity: EmbeddingIdentity = {
      id: request.embedder,
      model,
      digest,
      dimensions: request.dimensions ?? cache.bound()?.dimensions ?? 0,
      document_prefix: request.documentPrefix,
      query_prefix: request.queryPrefix,
      vectors_sha256: null,
      parameters: request.parameters,
    };
    const embedding = new Embedding(cache, encoder, identity, options);
    const turn = turns(options.stop);
    const wanted = new Set<string>();
    let done = 0;
    for (const { key } of distinctTexts(dataset, identity)) {
      wanted.add(key.toString("latin1"));
      if (cache.has(key)) done += 1;
      await turn();
    }
    let batch: Text[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      if (options.stop.aborted)
        throw new SealaneError("E_CANCELLED", `stopped; ${done} of ${wanted.size} vectors are kept`);
      await embedding.make(batch);
      done += batch.length;
      batch = [];
      options.onProgress(done, wanted.size);
    };
    for (const text of distinctTexts(dataset, identity)) {
      if (cache.has(text.key)) continue;
      batch.push(text);
      if (batch.length === request.batch) await flush();
    }
    await flush();
    await embedding.finish();
    const { header, sha256 } = await seal(cache, wanted, request.out, turn);
    isNeeded = false;
    return { header, sha256, made: embedding.made };
  } finally {
    isNeeded &&= !cache.isEmpty();
    cache.close();
    if (!isNeeded) rmSync(partial, { force: true });
  }
}

/** The wanted vectors of a cache as a file, in order of key. */
async function seal(
  cache: VectorCache,
  wanted: ReadonlySet<string>,
  out: string,
  turn: () => Promise<void>,
): Promise<{ header: Vectors; sha256: string }> {
  const counts = new Map<number, number>();
  for (const { key, session } of cache.vectors()) {
    if (wanted.has(key.toString("latin1"))) counts.set(session, (counts.get(session) ?? 0) + 1);
  }
  const sessions = cache.sessions().filter(({ number }) => counts.has(number));
  const header: Vectors = {
    schema: "sealane-vectors/1",
    embedding: cache.bound()!,
    compute: sessions.map(({ number, software, device, started }) => ({
      software,
      device,
      started,
      vectors: counts.get(number)!,
    })),
    count: wanted.size,
  };
  const hash = startSha256();
  await makeFile(out, async (write) => {
    const put = (bytes: Buffer): void => {
      hash.update(bytes);
      write(bytes);
    };
    put(headerBytes(header));
    for (const { key, session, vector } of cache.vectors()) {
      if (!wanted.has(key.toString("latin1"))) continue;
      const compute = sessions.findIndex(({ number }) => number === session);
      put(encodeRow(key, compute, vector));
      await turn();
    }
  });
  return { header, sha256: hash.digest("hex") };
}
