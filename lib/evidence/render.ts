// Spans to the text a reader sees: each line says where it comes from, and a session header stands before the first
// line of a session. Rendering only ever appends, so a packet's beginning stays a literal prefix as it grows.
import type { PreparationProtocol } from "../../schemas/index.js";
import type { History } from "../dataset/types.js";
import { quote, type Span, turnAt, turnKey } from "./segment.js";
import { fill } from "./template.js";

export type Renderer = PreparationProtocol["renderer"];

/**
 * The standard renderer: a header stands wherever the session changes. Each piece begins with "[" or "(" and ends with a line feed: under the pinned tokenizer
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

/**
 * Every renderer, by id. The second writes a session's header once, before the first line of it (CS1; paper, Appendix B). So does
 * the third, whose lines leave the session's number to the header; it is for packets in order of the history.
 */
const RENDERERS: readonly Renderer[] = [
  RENDERER,
  { ...RENDERER, id: "session-lines-once-1", header_when: "session-first" },
  {
    id: "turn-lines-1",
    session_header: ["[", { slot: "session" }, " | ", { slot: "date" }, "]\n"],
    turn_line: ["(", { slot: "turn" }, { slot: "range" }, ") ", { slot: "speaker" }, ": ", { slot: "text" }, "\n"],
    caption_line: ["(", { slot: "turn" }, ") [image: ", { slot: "text" }, "]\n"],
    date_missing: RENDERER.date_missing,
    header_when: "session-first",
  },
];

/** The renderer of an id; without one, the standard renderer. */
export function rendererOf(id: string | undefined): Renderer {
  const renderer = RENDERERS.find((candidate) => candidate.id === (id ?? RENDERER.id));
  if (!renderer) throw new Error(`there is no renderer '${id}'`);
  return renderer;
}

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

/**
 * Whether a session's header stands before each span of a run.
 * @param session of the span before the run; 0: there is none
 * @param seen sessions that have had a header before the run
 */
export function headersBefore(
  { header_when }: Pick<Renderer, "header_when">,
  session: number,
  spans: readonly Pick<Span, "session">[],
  seen: ReadonlySet<number>,
): boolean[] {
  const here = new Set<number>();
  return spans.map((span, index) => {
    const changes = span.session !== (spans[index - 1]?.session ?? session);
    const first = !seen.has(span.session) && !here.has(span.session);
    here.add(span.session);
    return header_when === "session-first" ? first : changes;
  });
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
  const headed = headersBefore(renderer, 0, spans, new Set());
  let evidence = "";
  for (const [index, span] of spans.entries()) {
    const lines = renderSpan(history, span, renderer);
    if (lines === undefined) return undefined;
    if (headed[index]) evidence += renderHeader(history, span.session, renderer);
    evidence += lines;
  }
  return evidence;
}

/** Bytes of lines remembered; when they are used up, all are forgotten. */
const REMEMBERED_BYTES = 32 * 2 ** 20;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** Renders many packets of one history, each line of it once; bytes as renderEvidence would have them. */
export class HistoryRenderer {
  readonly #history: History;
  readonly #renderer: Renderer;
  readonly #headers = new Map<number, Buffer>();
  /** By turn: a turn is quoted in one or few ways. */
  readonly #lines = new Map<number | string, Line[]>();
  #bytes = 0;

  constructor(history: History, renderer: Renderer) {
    this.#history = history;
    this.#renderer = renderer;
  }

  /** UTF-8 of the evidence of a packet; undefined where renderEvidence has none. */
  render(spans: readonly Span[]): Buffer | undefined {
    if (!isKnown(this.#renderer)) return undefined;
    const headed = headersBefore(this.#renderer, 0, spans, new Set());
    const parts: Buffer[] = [];
    for (const [index, span] of spans.entries()) {
      const line = this.#line(span);
      if (!line) return undefined;
      if (headed[index]) parts.push(this.#header(span.session));
      parts.push(line);
    }
    return Buffer.concat(parts);
  }

  #header(session: number): Buffer {
    const known = this.#headers.get(session);
    if (known) return known;
    const header = Buffer.from(renderHeader(this.#history, session, this.#renderer));
    this.#headers.set(session, header);
    return header;
  }

  #line(span: Span): Buffer | undefined {
    const key = turnKey(span);
    const lines = this.#lines.get(key);
    const known = lines?.find(({ start, end }) => start === span.start && end === span.end);
    if (known) return known.bytes;
    const rendered = renderSpan(this.#history, span, this.#renderer);
    if (rendered === undefined) return undefined;
    const bytes = Buffer.from(rendered);
    this.#bytes += bytes.length;
    if (this.#bytes > REMEMBERED_BYTES) {
      this.#lines.clear();
      this.#bytes = bytes.length;
    }
    const line = { start: span.start, end: span.end, bytes };
    const rest = this.#lines.get(key);
    if (rest) rest.push(line);
    else this.#lines.set(key, [line]);
    return bytes;
  }
}
