import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SealaneError } from "../finding.js";
import { hashOpenFile } from "../io/hash.js";
import { openNamedFile } from "../io/named-file.js";
import type { Compute, Encoder, EncoderSettings, ModelEmbedder } from "./types.js";

const PACKAGE = "node-llama-cpp";

/** Longest context that is set up, in tokens; nomic-embed-text's own. A longer text is refused by the library, never cut. */
const CONTEXT_TOKENS_MAX = 8192;

const GGUF_VERSIONS = [2, 3];

/** What is used of node-llama-cpp: not installed with sealane, so its types are not there either. */
interface Library {
  getLlama(options: { gpu: false; build: "never"; maxThreads: number; logLevel: string }): Promise<Llama>;
  getModuleVersion(): Promise<string>;
}
interface Llama {
  readonly llamaCppRelease: { readonly release: string };
  loadModel(options: { modelPath: string }): Promise<Model>;
  dispose(): Promise<void>;
}
interface Model {
  readonly trainContextSize: number;
  createEmbeddingContext(options: { threads: number; contextSize: number; batchSize: number }): Promise<Context>;
}
interface Context {
  getEmbeddingFor(text: string): Promise<{ readonly vector: readonly number[] }>;
}
interface Loaded {
  readonly llama: Llama;
  readonly context: Context;
  readonly version: string;
}

/** A GGUF file run by llama.cpp inside this process, on one thread of the CPU: the same file and text give the same vector. */
class LlamaCppEncoder implements Encoder {
  readonly #settings: EncoderSettings;
  #loaded: Promise<Loaded> | undefined;

  constructor(settings: EncoderSettings) {
    this.#settings = settings;
  }

  /** The model's digest is that of its file. Throws E_MISSING, E_IO. */
  async identify(): Promise<{ model: string; digest: string }> {
    const { model } = this.#settings;
    return { model: basename(model), digest: hashOpenFile(openNamedFile(model)).sha256 };
  }

  /** The library does not end on a file that is none of its own, so the first eight bytes are looked at here. */
  #refuseOtherFiles(): void {
    const { model } = this.#settings;
    const file = openNamedFile(model);
    const start = Buffer.alloc(8);
    file.read(start, 0);
    file.close();
    if (start.toString("latin1", 0, 4) === "GGUF" && GGUF_VERSIONS.includes(start.readUInt32LE(4))) return;
    throw new SealaneError("E_EMBEDDER", `${model} is no GGUF file of version ${GGUF_VERSIONS.join(" or ")}`, {
      at: model,
      next: "Name a model in GGUF format with --model.",
    });
  }

  async #library(): Promise<Library> {
    const { runtime } = this.#settings;
    const specifier: string = runtime === undefined ? PACKAGE : pathToFileURL(join(runtime, "dist/index.js")).href;
    try {
      return (await import(specifier)) as Library;
    } catch (cause) {
      throw new SealaneError("E_EMBEDDER", `${PACKAGE} cannot be loaded: ${(cause as Error).message}`, {
        at: runtime ?? PACKAGE,
        next: `Install it beside sealane with: npm install ${PACKAGE}@3.21.1   or name its folder with --runtime.`,
        cause,
      });
    }
  }

  async #load(): Promise<Loaded> {
    this.#refuseOtherFiles();
    const library = await this.#library();
    const { model: modelPath } = this.#settings;
    try {
      const llama = await library.getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: "error" });
      const model = await llama.loadModel({ modelPath });
      const contextSize = Math.min(model.trainContextSize, CONTEXT_TOKENS_MAX);
      const context = await model.createEmbeddingContext({ threads: 1, contextSize, batchSize: contextSize });
      return { llama, context, version: await library.getModuleVersion() };
    } catch (cause) {
      throw new SealaneError("E_EMBEDDER", `${modelPath}: ${(cause as Error).message}`, { at: modelPath, cause });
    }
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]> {
    this.#loaded ??= this.#load();
    const { context } = await this.#loaded;
    const vectors: (readonly number[])[] = [];
    for (const text of texts) {
      if (signal.aborted) throw new SealaneError("E_CANCELLED", "stopped while vectors were being made");
      try {
        vectors.push([...(await context.getEmbeddingFor(text)).vector]);
      } catch (cause) {
        const { model } = this.#settings;
        throw new SealaneError("E_EMBEDDER", `${model}: ${(cause as Error).message}`, { at: model, cause });
      }
    }
    return vectors;
  }

  async compute(): Promise<Compute> {
    this.#loaded ??= this.#load();
    const { llama, version } = await this.#loaded;
    return { software: `${PACKAGE} ${version}, llama.cpp ${llama.llamaCppRelease.release}`, device: "cpu, 1 thread" };
  }

  async close(): Promise<void> {
    if (this.#loaded) await (await this.#loaded).llama.dispose();
  }
}

export const llamaCpp: ModelEmbedder = {
  id: "llama-cpp",
  title: "a GGUF file, run in this process (needs node-llama-cpp)",
  defaultModel: null,
  defaultUrl: "file:",
  parameters: { gpu: false, threads: 1 },
  open: (settings) => new LlamaCppEncoder(settings),
};
