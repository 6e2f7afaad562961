// Spans to the text a reader sees: each line says where it comes from, and a session header stands before the first
// line of a session. Rendering only ever appends, so a packet's beginning stays a literal prefix as it grows.
import type { PreparationProtocol } from "../../schemas/index.js";
import type { History } from "../dataset/types.js";
import { quote, type Span, turnAt } from "./segment.js";
import { fill } from "./template.js";

export type Renderer = PreparationProtocol["renderer"];

/**
 * The renderer of this release. Each piece begins with "[" or "(" and ends with a line feed: under the pinned tokenizer
 * no token crosses from one piece into the next, which is what makes token counts of pieces add up (lib/evidence/tokens.ts).
 */
export const RENDERER: Renderer = {
  id: "session-lines-1",
  session_header: ["[Session ", { slot: "session" }, " | ", { slot: "date" }, "]\n"],
  turn_line: [
    "(",
    { slot: "session" },
    ".",
    { slot: "turn" },
    { slot: "range" },
    ") ",
    { slot: "speaker" },
    ": ",
    { slot: "text" },
    "\n",
  ],
  caption_line: ["(", { slot: "session" }, ".", { slot: "turn" }, ") [image: ", { slot: "text" }, "]\n"],
  date_missing: "date not recorded",
};

/** The slots each template may have, by the values that rendering gives them. */
const SLOTS: Readonly<Record<"session_header" | "turn_line" | "caption_line", readonly string[]>> = {
  session_header: ["session", "date"],
  turn_line: ["session", "turn", "range", "speaker", "text"],
  caption_line: ["session", "turn", "text"],
};

/** Whether this release can fill all of a renderer's slots: a lane's may come from anywhere. */
function isKnown(renderer: Renderer): boolean {
  return Object.entries(SLOTS).every(([name, slots]) =>
    renderer[name as keyof typeof SLOTS].every((part) => typeof part === "string" || slots.includes(part.slot)),
  );
}

export function renderHeader(history: History, session: number, renderer: Renderer): string {
  const date = history.sessions[session - 1]?.date ?? renderer.date_missing;
  return fill(renderer.session_header, { session: String(session), date });
}

/** One span as lines: the quoted text, then, with a turn's beginning, what its images show. Undefined when the span is not in the history. */
export function renderSpan(history: History, span: Span, renderer: Renderer): string | undefined {
  const turn = turnAt(history, span);
  const text = turn && quote(turn, span);
  if (!turn || text === undefined) return undefined;
  const session = String(span.session);
  const number = String(span.turn);
  const whole = span.start === 0 && span.end === Buffer.byteLength(turn.text);
  const range = whole ? "" : `:${span.start}-${span.end}`;
  let lines = fill(renderer.turn_line, { session, turn: number, range, speaker: turn.speaker, text });
  if (span.start === 0) {
    for (const caption of turn.captions) lines += fill(renderer.caption_line, { session, turn: number, text: caption });
  }
  return lines;
}

/** The whole evidence of a packet, or undefined when a span is not in the history or the renderer has a slot unknown here. */
export function renderEvidence(history: History, spans: readonly Span[], renderer: Renderer): string | undefined {
  if (!isKnown(renderer)) return undefined;
  let evidence = "";
  let session = 0;
  for (const span of spans) {
    const lines = renderSpan(history, span, renderer);
    if (lines === undefined) return undefined;
    if (span.session !== session) evidence += renderHeader(history, span.session, renderer);
    session = span.session;
    evidence += lines;
  }
  return evidence;
}
