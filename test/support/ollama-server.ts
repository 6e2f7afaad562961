// A server on 127.0.0.1 that speaks Ollama's protocol as the real one does, answers each call as a script says, and keeps the
// bytes of every request. Its answers follow from the request alone, so that two runs over one server agree.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { LIMITS } from "../../lib/bytes/limits.js";

/** A request as it came in. */
export interface ServerCall {
  /** Counted from one, over the calls of /api/chat. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** What the server does about one call of /api/chat. */
export type Behaviour =
  | "ok"
  | "empty"
  | "output-limit"
  | "thinking-only"
  | "error-500"
  | "error-404"
  | "error-200"
  | "half-json"
  | "not-json"
  | "drop-before"
  | "drop-during"
  | "stall-during"
  | "invalid-utf8"
  | "not-done"
  | "huge"
  /** Another answer, in the shape of an ordinary response. */
  | { readonly answer: string }
  /** Any response whatsoever. */
  | { readonly status: number; readonly body: string | Buffer; readonly headers?: Record<string, string> }
  | { readonly delayMs: number; readonly reply: Behaviour }
  /** Holds the response back until the promise settles. */
  | { readonly until: Promise<unknown>; readonly reply: Behaviour };

export type Script = (call: ServerCall) => Behaviour;

export const MODEL = "qwen3.8:27b";
export const MODEL_DIGEST = "3".repeat(64);

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** The answer to a request: it holds letters of one to four bytes and what needs escaping. */
export function answerTo(body: Buffer | string): string {
  return `Zoë said "${sha256Hex(body).slice(0, 16)}" 🛶\nand no more.`;
}

/** A response of /api/chat with stream: false; `changes` replace members. */
export function chatResponse(
  content: string,
  changes: { readonly thinking?: string; readonly [member: string]: unknown } = {},
): Record<string, unknown> {
  const { thinking, ...members } = changes;
  return {
    model: MODEL,
    created_at: "2026-01-02T03:04:05.678901234Z",
    message: { role: "assistant", content, ...(thinking === undefined ? {} : { thinking }) },
    done: true,
    done_reason: "stop",
    total_duration: 1234567890,
    load_duration: 23456789,
    prompt_eval_count: 321,
    prompt_eval_duration: 345678901,
    eval_count: 12,
    eval_duration: 456789012,
    ...members,
  };
}

/** One entry of /api/tags. */
export function tag(name: string, digest: string): Record<string, unknown> {
  return {
    name,
    model: name,
    modified_at: "2026-01-01T00:00:00.123456789Z",
    size: 17_000_000_000,
    digest,
    details: {
      parent_model: "",
      format: "gguf",
      family: "qwen3",
      families: ["qwen3"],
      parameter_size: "27B",
      quantization_level: "Q4_K_M",
    },
  };
}

function readAll(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
  });
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

export class OllamaServer {
  /** Calls of /api/chat, in the order in which their last byte came. */
  readonly chats: ServerCall[] = [];
  /** How often /api/tags was asked for. */
  tagsAsked = 0;
  script: Script;
  /** What /api/tags answers; replace it to have another answer. */
  tags: { status: number; body: string };
  readonly #server: Server;
  readonly #waiting: { readonly number: number; readonly resolve: () => void }[] = [];

  private constructor(script: Script) {
    this.script = script;
    const models = [tag(MODEL, MODEL_DIGEST), tag("llama3.2:latest", "4".repeat(64))];
    this.tags = { status: 200, body: JSON.stringify({ models }) };
    this.#server = createServer((request, response) => {
      // A client that is gone is nothing to report.
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(script: Script = () => "ok"): Promise<OllamaServer> {
    const server = new OllamaServer(script);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when so many calls of /api/chat have come in whole. */
  arrived(number: number): Promise<void> {
    if (this.chats.length >= number) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const method = request.method ?? "";
    const body = await readAll(request);
    if (path === "/api/tags" && method === "GET") {
      this.tagsAsked += 1;
      send(response, this.tags.status, this.tags.body);
    } else if (path === "/api/chat" && method === "POST") {
      const call = { number: this.chats.length + 1, method, path, headers: request.headers, body };
      this.chats.push(call);
      for (const { number, resolve } of this.#waiting) if (number <= this.chats.length) resolve();
      await this.#answer(this.script(call), call, response);
    } else {
      send(response, 404, "404 page not found", { "content-type": "text/plain" });
    }
  }

  async #answer(behaviour: Behaviour, call: ServerCall, response: ServerResponse): Promise<void> {
    const json = (value: object, status = 200): void => send(response, status, JSON.stringify(value));
    if (typeof behaviour === "object") {
      if ("answer" in behaviour) return json(chatResponse(behaviour.answer));
      if ("status" in behaviour) return send(response, behaviour.status, behaviour.body, behaviour.headers);
      if ("until" in behaviour) await behaviour.until;
      else await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs).unref());
      return this.#answer(behaviour.reply, call, response);
    }
    const whole = JSON.stringify(chatResponse(answerTo(call.body)));
    switch (behaviour) {
      case "ok":
        return send(response, 200, whole);
      case "empty":
        return json(chatResponse("", { eval_count: 1 }));
      case "output-limit":
        return json(chatResponse("It began when", { done_reason: "length", eval_count: 16384 }));
      case "thinking-only":
        return json(chatResponse("", { thinking: "The answer must be Petrel.", done_reason: "stop" }));
      case "error-500":
        return json({ error: "llama runner process has terminated: signal: killed" }, 500);
      case "error-404":
        return json({ error: `model '${MODEL}' not found` }, 404);
      case "error-200":
        return json({ error: "an error was encountered while running the model" });
      case "half-json":
        return send(response, 200, whole.slice(0, whole.length / 2));
      case "not-json":
        return send(response, 200, "<html><body>502 Bad Gateway</body></html>", { "content-type": "text/html" });
      case "drop-before":
        response.socket?.destroy();
        return;
      case "drop-during":
      case "stall-during":
        response.writeHead(200, { ...JSON_TYPE, "content-length": Buffer.byteLength(whole) });
        response.write(whole.slice(0, 40), () => {
          if (behaviour === "drop-during") response.socket?.destroy();
        });
        return;
      case "invalid-utf8":
        return send(response, 200, Buffer.from(JSON.stringify(chatResponse("caf\u00e9")), "latin1"));
      case "not-done":
        return json(chatResponse("half an answer", { done: false }));
      case "huge":
        return this.#sendHuge(response);
    }
  }

  /** A response one piece longer than what is read of one. */
  async #sendHuge(response: ServerResponse): Promise<void> {
    const piece = Buffer.alloc(2 ** 20, " ");
    const closed = once(response, "close");
    response.writeHead(200, JSON_TYPE);
    for (let sent = 0; sent <= LIMITS.responseBytesMax && !response.destroyed; sent += piece.length) {
      if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
    }
    response.end(JSON.stringify(chatResponse("at last")));
  }
}
