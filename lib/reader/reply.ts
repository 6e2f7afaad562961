// What a raw response of Ollama's /api/chat says. The same reading when a call ends and when a lane is verified.
import type { AnswerStatus } from "../../schemas/index.js";
import { isUtf8 } from "../bytes/text.js";

export interface Reply {
  readonly status: Extract<AnswerStatus, "answered" | "empty" | "output-limit">;
  /** The answer channel alone: thinking text never replaces an empty answer. */
  readonly answer: string;
  readonly model: string | undefined;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/**
 * Reads a response, or says in words why it breaks the contract: HTTP 200, one JSON object, done, with an answer text.
 * A response that stopped at the output limit and an empty one are results, not breaches.
 */
export function readReply(httpStatus: number, bytes: Uint8Array): Reply | { readonly breach: string } {
  if (httpStatus !== 200) return { breach: `the server answered HTTP ${httpStatus}` };
  if (!isUtf8(bytes)) return { breach: "the response is not UTF-8" };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return { breach: "the response is not one JSON document" };
  }
  if (typeof value !== "object" || value === null) return { breach: "the response is not a JSON object" };
  const response = value as Record<string, unknown>;
  const { error } = response;
  if (error !== undefined) {
    return { breach: `the server reported an error${typeof error === "string" ? `: ${error.toWellFormed()}` : ""}` };
  }
  const message = response.message as Record<string, unknown> | null | undefined;
  const answer = message?.content;
  if (response.done !== true) return { breach: "the response is not marked done" };
  if (typeof answer !== "string" || !answer.isWellFormed()) return { breach: "the response has no answer text" };
  const atLimit = response.done_reason === "length";
  return {
    status: atLimit ? "output-limit" : answer.trim() === "" ? "empty" : "answered",
    answer,
    model: typeof response.model === "string" && response.model.isWellFormed() ? response.model : undefined,
    promptTokens: count(response.prompt_eval_count),
    completionTokens: count(response.eval_count),
  };
}

/** The thinking text of a response, which is never an answer; undefined when it has none. */
export function thinkingOf(bytes: Uint8Array): string | undefined {
  let value: { message?: { thinking?: unknown } | null } | null;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
  const thinking = value?.message?.thinking;
  return typeof thinking === "string" ? thinking : undefined;
}
