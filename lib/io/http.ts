import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { LIMITS } from "../bytes/limits.js";

export interface RawReply {
  readonly httpStatus: number;
  readonly body: Uint8Array;
}

/** The call never left: no connection was made, so nothing was asked and trying again repeats nothing. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

/** Failures to connect. On a socket that was never connected it is certain after them that no byte of the request left. */
const NEVER_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
]);

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** How long the whole exchange may take, in milliseconds: a slow model sends nothing for many minutes. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * One HTTP exchange, bytes in and bytes out, bounded in time and size; no redirects, no retries, no decoding. Node's own
 * fetch gives up after five minutes without a header, which a thinking model needs.
 */
export function exchange(call: HttpCall): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const send = new URL(call.url).protocol === "https:" ? httpsRequest : httpRequest;
    const deadline = AbortSignal.timeout(call.deadlineMs);
    const signal = call.signal ? AbortSignal.any([call.signal, deadline]) : deadline;
    /** Why it failed is what this side knows first: breaking off shows on the connection as if the server had dropped it. */
    const fail = (error: Error): void => {
      if (deadline.aborted) reject(new Error(`no answer within ${call.deadlineMs / 1000} s`));
      else if (call.signal?.aborted) reject(new Error("the call was broken off on request"));
      else reject(error);
    };
    const length = call.body === undefined ? {} : { "content-length": String(call.body.length) };
    const request = send(
      call.url,
      { method: call.method, headers: { ...call.headers, ...length }, signal, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > LIMITS.responseBytesMax) {
            fail(new Error(`the response is longer than ${LIMITS.responseBytesMax} bytes`));
            response.destroy();
          } else {
            chunks.push(chunk);
          }
        });
        response.on("end", () => resolve({ httpStatus: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
        response.on("error", fail);
        response.on("aborted", () => fail(new Error("the connection was dropped in the middle of the response")));
      },
    );
    let connected = false;
    request.on("socket", (socket) => {
      socket.once("connect", () => {
        connected = true;
      });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const neverLeft = !connected && NEVER_CONNECTED.has(error.code ?? "");
      fail(neverLeft ? new NotSentError(`${call.url}: ${error.code}`) : error);
    });
    request.end(call.body);
  });
}
