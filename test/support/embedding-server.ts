// A server on 127.0.0.1 that speaks the embedding calls of Ollama (/api/embed, /api/tags, /api/ps, /api/version) and of OpenAI
// (/v1/embeddings), answers each as a script says, and keeps the bytes of every request. Vectors follow from the text alone.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256 } from "../../lib/bytes/digest.js";
import { tag } from "./ollama-server.js";

export const EMBED_MODEL = "nomic-embed-text";
export const EMBED_DIGEST = "0a".repeat(32);
export const DIMENSIONS = 768;

export interface EmbedCall {
  /** Counted from one, over the calls that ask for vectors. */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly texts: readonly string[];
}

/** What the server does about one call; a function makes the list of vectors that is answered. */
export type EmbedBehaviour =
  | "ok"
  | "drop"
  | "stall"
  | { readonly status: number; readonly body: string }
  /** Holds an ordinary response back until the promise settles. */
  | { readonly until: Promise<unknown> }
  | ((vectors: number[][]) => unknown[]);

/** A vector of float32 numbers in (-1, 1), of the text's digest. */
export function vectorFor(text: string, dimensions = DIMENSIONS): number[] {
  const numbers: number[] = [];
  for (let block = 0; numbers.length < dimensions; block += 1) {
    const digest = sha256(`${block} ${text}`);
    for (let at = 0; at < 32 && numbers.length < dimensions; at += 2) {
      numbers.push((digest.readUInt16LE(at) - 32767.5) / 32768);
    }
  }
  return numbers;
}

export class EmbeddingServer {
  readonly calls: EmbedCall[] = [];
  script: (call: EmbedCall) => EmbedBehaviour = () => "ok";
  digest = EMBED_DIGEST;
  /** What /api/ps says of the model; null: it is not loaded. */
  loaded: { size: number; size_vram: number } | null = { size: 600_000_000, size_vram: 0 };
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<EmbeddingServer> {
    const server = new EmbeddingServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const json = (value: object): void => this.#send(response, 200, JSON.stringify(value));
    const entry = tag(`${EMBED_MODEL}:latest`, this.digest);
    if (path === "/api/tags") return json({ models: [tag("llama3.2:latest", "4".repeat(64)), entry] });
    if (path === "/api/version") return json({ version: "0.12.3" });
    if (path === "/api/ps") return json({ models: this.loaded ? [{ ...entry, ...this.loaded }] : [] });
    if (path !== "/api/embed" && path !== "/v1/embeddings") return this.#send(response, 404, "404 page not found");
    const { input, model } = JSON.parse(body.toString("utf8")) as { input: string[]; model: string };
    const call = { number: this.calls.length + 1, path, headers: request.headers, body, texts: input };
    this.calls.push(call);
    const behaviour = this.script(call);
    if (behaviour === "drop") return void response.socket?.destroy();
    if (behaviour === "stall") return;
    if (typeof behaviour === "object" && "until" in behaviour) await behaviour.until;
    else if (typeof behaviour === "object") return this.#send(response, behaviour.status, behaviour.body);
    const vectors = input.map((text) => vectorFor(text));
    const answered = typeof behaviour === "function" ? behaviour(vectors) : vectors;
    if (path === "/api/embed") {
      json({ model, embeddings: answered, total_duration: 14143917, load_duration: 1019500, prompt_eval_count: 8 });
    } else {
      const data = answered.map((embedding, index) => ({ object: "embedding", index, embedding }));
      // In the protocol it is the index that says which text a vector is of, not the place.
      json({ object: "list", data: data.reverse(), model, usage: { prompt_tokens: 8, total_tokens: 8 } });
    }
  }

  #send(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  }
}
