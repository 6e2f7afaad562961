import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import type { History, Turn } from "../dataset/types.js";

/** A byte range of one turn's text: one-based session and turn, UTF-8 byte offsets, end exclusive. */
export interface Span {
  readonly session: number;
  readonly turn: number;
  readonly start: number;
  readonly end: number;
}

/** Order of the history: by session, turn and offset. */
export function bySpan(first: Span, second: Span): number {
  return first.session - second.session || first.turn - second.turn || first.start - second.start;
}

/** A span with the text it quotes. */
export interface Segment extends Span {
  readonly text: string;
}

export const SEGMENTER_ID = "passage-1";

/** Identity of a turn: SHA-256 of the canonical JSON of its speaker, text and captions. */
export function turnSha256(turn: Turn): string {
  return sha256Hex(canonicalJson({ speaker: turn.speaker, text: turn.text, captions: [...turn.captions] }));
}

/** Where a passage may end, best first. The separator stays with the passage before it. */
const BREAKS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?…。！？]["'”’)\]]*\s+/gu, /\s+/gu];

/**
 * The end of the passage that starts at `start` (UTF-16 offsets): the last break of the best kind in the second half
 * of what fits, or the last whole code point when there is none.
 */
function passageEnd(text: string, start: number, bytesMax: number): number {
  let end = start;
  let bytes = 0;
  for (const character of text.slice(start, start + bytesMax)) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    end += character.length;
  }
  if (end >= text.length) return text.length;
  const window = text.slice(start, end);
  for (const pattern of BREAKS) {
    let found = -1;
    for (const match of window.matchAll(pattern)) found = match.index + match[0].length;
    if (found > window.length / 2) return start + found;
  }
  return end > start ? end : start + String.fromCodePoint(text.codePointAt(start)!).length;
}

/**
 * The byte-exact segments of a history, in order (paper section 3.1). A turn of at most `bytesMax` bytes is one segment;
 * a longer one is cut into passages that together are the turn, byte for byte. Blank turns have none.
 */
export function segmentHistory(history: History, bytesMax: number): Segment[] {
  const segments: Segment[] = [];
  for (const [sessionIndex, session] of history.sessions.entries()) {
    for (const [turnIndex, { text }] of session.turns.entries()) {
      if (text.trim() === "") continue;
      let offset = 0;
      let bytes = 0;
      while (offset < text.length) {
        const end = passageEnd(text, offset, bytesMax);
        const quoted = text.slice(offset, end);
        const length = Buffer.byteLength(quoted);
        segments.push({
          session: sessionIndex + 1,
          turn: turnIndex + 1,
          start: bytes,
          end: bytes + length,
          text: quoted,
        });
        offset = end;
        bytes += length;
      }
    }
  }
  return segments;
}

/** Segments by the number of their session, in their order. */
export function bySessions(segments: readonly Segment[]): Map<number, Segment[]> {
  const sessions = new Map<number, Segment[]>();
  for (const segment of segments) {
    const group = sessions.get(segment.session);
    if (group) group.push(segment);
    else sessions.set(segment.session, [segment]);
  }
  return sessions;
}

/**
 * A key for the place of a turn in its history, equal for equal places only. It is a small number where both fit, because maps
 * find those fastest, and a text elsewhere: a lane may say any position.
 */
export function turnKey({ session, turn }: Pick<Span, "session" | "turn">): number | string {
  return session < 2 ** 14 && turn < 2 ** 16 ? session * 2 ** 16 + turn : `${session}.${turn}`;
}

/** The turn a span points into, or undefined when the history has none such. */
export function turnAt(history: History, span: Pick<Span, "session" | "turn">): Turn | undefined {
  return history.sessions[span.session - 1]?.turns[span.turn - 1];
}

/** The text that a span quotes, or undefined when it does not lie in its turn or cuts a character in two. */
export function quote(turn: Turn, span: Pick<Span, "start" | "end">): string | undefined {
  const bytes = Buffer.from(turn.text);
  if (span.start < 0 || span.start >= span.end || span.end > bytes.length) return undefined;
  const slice = bytes.subarray(span.start, span.end);
  const text = slice.toString("utf8");
  return Buffer.from(text).equals(slice) ? text : undefined;
}

/** What an index knows of a segment: its speaker, its text and, with a turn's beginning, what its images show, a line each. */
export function indexedText(history: History, segment: Segment): string {
  const turn = turnAt(history, segment)!;
  return [turn.speaker, segment.text, ...(segment.start === 0 ? turn.captions : [])].join("\n");
}
