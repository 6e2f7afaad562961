import { type ChatRequest, Ollama } from "ollama";
import { SealaneError } from "../finding.js";
import { exchange } from "../io/http.js";
import { NotSentError, type RawReply, type Reader, type ReaderKind, type ReaderSettings } from "./types.js";

/** A list of models needs no thinking: a server that does not give it soon is not there. */
const LISTING_MS_MAX = 30_000;

/** Answer without a body for the client to read: what came back has been kept already. */
const NOTHING_MORE = JSON.stringify({ done: true });

/**
 * Ollama's /api/chat through the `ollama` client. The client serialises the request; what it is about to send is held
 * against the sealed bytes first, and what comes back is kept raw before the client looks at it.
 */
class OllamaReader implements Reader {
  readonly id = "ollama";
  readonly #settings: ReaderSettings;

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
  }

  #client(expected: string | undefined, signal: AbortSignal | undefined, keep: (reply: RawReply) => void): Ollama {
    const { url: host, deadlineMs } = this.#settings;
    return new Ollama({
      host,
      fetch: async (input, init) => {
        const body = typeof init?.body === "string" ? init.body : undefined;
        if (expected !== undefined && body !== expected)
          throw new NotSentError("the client would send other bytes than the request's");
        const reply = await exchange({
          method: init?.method ?? "GET",
          url: String(input instanceof Request ? input.url : input),
          headers: init?.headers as Record<string, string>,
          body: body === undefined ? undefined : Buffer.from(body),
          deadlineMs: expected === undefined ? Math.min(deadlineMs, LISTING_MS_MAX) : deadlineMs,
          signal,
        });
        keep(reply);
        if (expected === undefined && reply.httpStatus !== 200) throw new Error(`HTTP ${reply.httpStatus}`);
        // The client prints to stdout when a response is not what it expects, so it is shown one it expects.
        return new Response(expected === undefined ? Buffer.from(reply.body) : NOTHING_MORE, { status: 200 });
      },
    });
  }

  async identify(modelName: string): Promise<{ name: string; digest: string | null }> {
    const { url } = this.#settings;
    let models: readonly { name?: unknown; digest?: unknown }[];
    try {
      const listed = await this.#client(undefined, undefined, () => {}).list();
      models = Array.isArray(listed.models) ? listed.models.filter((model) => typeof model?.name === "string") : [];
    } catch (cause) {
      throw new SealaneError("E_READER", `no Ollama server answers at ${url}: ${(cause as Error).message}`, {
        at: url,
        cause,
      });
    }
    const wanted = modelName.includes(":") ? modelName : `${modelName}:latest`;
    const model = models.find((candidate) => candidate.name === wanted);
    if (!model) {
      throw new SealaneError("E_READER", `the server at ${url} does not have the model ${modelName}`, {
        at: url,
        expected: modelName,
        found: models.map((candidate) => candidate.name).join(", ") || "no models",
        next: `Fetch it with: ollama pull ${modelName}`,
      });
    }
    const digest = typeof model.digest === "string" ? model.digest.replace(/^sha256:/, "") : "";
    return { name: modelName, digest: /^[0-9a-f]{64}$/.test(digest) ? digest : null };
  }

  async send(body: string, signal: AbortSignal): Promise<RawReply> {
    let raw: RawReply | undefined;
    const client = this.#client(body, signal, (reply) => {
      raw = reply;
    });
    await client.chat(JSON.parse(body) as ChatRequest & { stream: false });
    if (!raw) throw new NotSentError("the client sent nothing");
    return raw;
  }
}

/** The papers' reader protocol (Appendix A); options as recorded there for LoCoMo. */
export const ollama: ReaderKind = {
  id: "ollama",
  title: "a model served by Ollama",
  defaultModel: null,
  defaultOptions: {
    temperature: 1,
    top_p: 0.95,
    top_k: 20,
    min_p: 0,
    repeat_penalty: 1,
    presence_penalty: 0,
    num_ctx: 128000,
    num_predict: 16384,
    seed: 20260906,
  },
  defaultThink: "high",
  open: (settings) => new OllamaReader(settings),
};
