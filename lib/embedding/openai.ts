import type OpenAI from "openai";
import { SealaneError } from "../finding.js";
import { exchange } from "../io/http.js";
import type { Compute, Encoder, EncoderSettings, ModelEmbedder } from "./types.js";

/** How often the client tries again after 408, 409, 429, 5xx or a broken connection: the same texts give the same vectors. */
const RETRIES_MAX = 3;

/**
 * /v1/embeddings of any server that speaks OpenAI's protocol, through the `openai` client. The client would also send what
 * it finds in the environment (organisation, project, headers of the user's) and what it tells of the machine;
 * of its headers only the key leaves here.
 */
class OpenAiEncoder implements Encoder {
  readonly #settings: EncoderSettings;
  /** The model as the server named it with its last vectors. */
  #served: string | undefined;

  constructor(settings: EncoderSettings) {
    this.#settings = settings;
  }

  async #client(): Promise<OpenAI> {
    const { url, key, deadlineMs } = this.#settings;
    const { default: Client } = await import("openai");
    return new Client({
      baseURL: url,
      apiKey: key ?? "none",
      organization: null,
      project: null,
      logLevel: "off",
      maxRetries: RETRIES_MAX,
      timeout: deadlineMs,
      fetch: async (input, init) => {
        const reply = await exchange({
          method: init?.method ?? "GET",
          url: String(input instanceof Request ? input.url : input),
          headers: {
            accept: "application/json",
            "content-type": "application/json",
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          },
          body: typeof init?.body === "string" ? Buffer.from(init.body) : undefined,
          deadlineMs,
          signal: init?.signal ?? undefined,
        });
        return new Response(Buffer.from(reply.body), {
          status: reply.httpStatus,
          headers: { "content-type": "application/json" },
        });
      },
    });
  }

  /** The protocol has no digest of a model: its name is all there is. */
  async identify(): Promise<{ model: string; digest: null }> {
    return { model: this.#settings.model, digest: null };
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]> {
    const { model, url } = this.#settings;
    try {
      const client = await this.#client();
      const reply = await client.embeddings.create({ model, input: [...texts], encoding_format: "float" }, { signal });
      this.#served = typeof reply?.model === "string" ? reply.model : undefined;
      const data: readonly { index?: unknown; embedding?: unknown }[] = Array.isArray(reply?.data) ? reply.data : [];
      return texts.map((_, index) => data.find((entry) => entry?.index === index)?.embedding);
    } catch (cause) {
      if (signal.aborted) throw new SealaneError("E_CANCELLED", "stopped while vectors were being made", { cause });
      const { message, cause: under } = cause as Error;
      const why = under instanceof Error ? `${message} ${under.message}` : message;
      throw new SealaneError("E_EMBEDDER", `${url}: ${why}`, { at: url, cause });
    }
  }

  async compute(): Promise<Compute> {
    return { software: `${this.#settings.url}, model ${this.#served ?? "not told"}`, device: "not told" };
  }

  async close(): Promise<void> {}
}

export const openai: ModelEmbedder = {
  id: "openai",
  title: "any server with OpenAI's /v1/embeddings",
  defaultModel: null,
  defaultUrl: "https://api.openai.com/v1",
  parameters: { encoding_format: "float" },
  open: (settings) => new OpenAiEncoder(settings),
};
