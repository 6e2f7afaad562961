import type { ReaderProtocol } from "../../schemas/index.js";
import type { RawReply } from "../io/http.js";

export { NotSentError, type RawReply } from "../io/http.js";

/** Sends request bytes to a model and hands back response bytes. Knows nothing of questions, packets or references. */
export interface Reader {
  readonly id: string;
  /** The model as the server names it now. Throws E_READER when the server or the model is not there. */
  identify(modelName: string): Promise<ReaderProtocol["model"]>;
  /** Sends exactly these bytes, once. Throws NotSentError when they never left; any other error means they may have arrived. */
  send(body: string, signal: AbortSignal): Promise<RawReply>;
}

/** What the user may set of a reader: where it is, which model, how it samples. */
export interface ReaderSettings {
  readonly url: string;
  readonly deadlineMs: number;
}

export interface ReaderKind {
  readonly id: string;
  readonly title: string;
  /** The model name when the user gives none; null when he must. */
  readonly defaultModel: string | null;
  /** Sampling options when the user sets none. */
  readonly defaultOptions: ReaderProtocol["options"];
  readonly defaultThink: ReaderProtocol["think"];
  open(settings: ReaderSettings): Reader;
}
