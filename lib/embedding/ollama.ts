import { parseStrictJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { exchange } from "../io/http.js";
import type { Compute, Encoder, EncoderSettings, ModelEmbedder } from "./types.js";

/** Lists and versions need no thinking: a server that does not give them soon is not there. */
const LISTING_MS_MAX = 30_000;

interface Listed {
  readonly name?: unknown;
  readonly digest?: unknown;
  readonly size?: unknown;
  readonly size_vram?: unknown;
}

/** Ollama's /api/embed. Texts longer than the model's context are refused by the server (`truncate: false`), never cut. */
class OllamaEncoder implements Encoder {
  readonly #settings: EncoderSettings;

  constructor(settings: EncoderSettings) {
    this.#settings = settings;
  }

  async #call(path: string, body: object | undefined, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { url, deadlineMs } = this.#settings;
    const at = new URL(path, url).href;
    try {
      const reply = await exchange({
        method: body ? "POST" : "GET",
        url: at,
        headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
        body: body && Buffer.from(JSON.stringify(body)),
        deadlineMs: body ? deadlineMs : Math.min(deadlineMs, LISTING_MS_MAX),
        signal,
      });
      if (reply.httpStatus !== 200) {
        throw new Error(`HTTP ${reply.httpStatus} ${Buffer.from(reply.body).toString("utf8").slice(0, 200)}`);
      }
      const value = parseStrictJson(reply.body, at);
      if (value === null || typeof value !== "object") throw new Error("the answer is no JSON object");
      return value as Record<string, unknown>;
    } catch (cause) {
      if (signal?.aborted) throw new SealaneError("E_CANCELLED", "stopped while vectors were being made", { cause });
      throw new SealaneError("E_EMBEDDER", `${at}: ${(cause as Error).message}`, { at, cause });
    }
  }

  /** The entry of this model in a list; a name without a tag means ":latest". */
  async #listed(path: string): Promise<{ entry: Listed | undefined; names: string }> {
    const { models } = await this.#call(path, undefined);
    const entries = (Array.isArray(models) ? models : []) as (Listed | null)[];
    const { model } = this.#settings;
    const wanted = model.includes(":") ? model : `${model}:latest`;
    return {
      entry: entries.find((candidate) => candidate?.name === wanted) ?? undefined,
      names: entries.map((candidate) => String(candidate?.name)).join(", "),
    };
  }

  async identify(): Promise<{ model: string; digest: string | null }> {
    const { model, url } = this.#settings;
    const { entry, names } = await this.#listed("/api/tags");
    if (!entry) {
      throw new SealaneError("E_EMBEDDER", `the server at ${url} does not have the model ${model}`, {
        at: url,
        expected: model,
        found: names || "no models",
        next: `Fetch it with: ollama pull ${model}`,
      });
    }
    const digest = typeof entry.digest === "string" ? entry.digest.replace(/^sha256:/, "") : "";
    return { model, digest: /^[0-9a-f]{64}$/.test(digest) ? digest : null };
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]> {
    const { model } = this.#settings;
    const { embeddings } = await this.#call("/api/embed", { model, input: texts, truncate: false }, signal);
    return Array.isArray(embeddings) ? embeddings : [];
  }

  async compute(): Promise<Compute> {
    const { version } = await this.#call("/api/version", undefined);
    const { entry } = await this.#listed("/api/ps");
    const { size, size_vram: onGpu } = entry ?? {};
    const told = typeof size === "number" && size > 0 && typeof onGpu === "number";
    const device = !told ? "not told" : onGpu === 0 ? "cpu" : onGpu >= size ? "gpu" : "cpu and gpu";
    return { software: `ollama ${typeof version === "string" ? version : "(version not told)"}`, device };
  }

  async close(): Promise<void> {}
}

/** The paper's embedding (section 3.1, Appendix E): nomic-embed-text by digest, served by Ollama. */
export const ollama: ModelEmbedder = {
  id: "ollama",
  title: "a model served by Ollama",
  defaultModel: "nomic-embed-text",
  defaultUrl: "http://127.0.0.1:11434",
  parameters: { truncate: false },
  open: (settings) => new OllamaEncoder(settings),
};
