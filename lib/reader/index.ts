import type { ReaderProtocol } from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import { extractive } from "./extractive.js";
import { ollama } from "./ollama.js";
import { SYSTEM_INSTRUCTION, USER_LAYOUT } from "./request.js";
import type { ReaderKind } from "./types.js";

/** Every reader. To add one: one file, one line here. */
export const READERS: readonly ReaderKind[] = [extractive, ollama];

/** The reader of an id; throws E_UNKNOWN with the list of those there are. */
export function readerOf(id: string): ReaderKind {
  const reader = READERS.find((candidate) => candidate.id === id);
  if (reader) return reader;
  throw new SealaneError("E_UNKNOWN", `there is no reader '${id}'`, {
    expected: READERS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}

/** The reader protocol of this release for a reader, an identified model and the options the user set. */
export function readerProtocol(
  kind: ReaderKind,
  model: ReaderProtocol["model"],
  set: {
    readonly options: ReaderProtocol["options"];
    readonly think?: ReaderProtocol["think"];
    readonly temperaturePerQuestion?: boolean;
  },
): ReaderProtocol {
  const { temperature: common, ...others } = { ...kind.defaultOptions, ...set.options };
  const options = common === undefined || set.temperaturePerQuestion ? others : { ...others, temperature: common };
  return {
    schema: "sealane-reader/1",
    reader: kind.id,
    api: "ollama-chat",
    model,
    options,
    ...(set.temperaturePerQuestion ? { temperature: "per-question" } : {}),
    think: set.think ?? kind.defaultThink,
    stream: false,
    keep_alive: "30m",
    system: SYSTEM_INSTRUCTION,
    user: USER_LAYOUT,
    question_date_missing: "not supplied",
  };
}
