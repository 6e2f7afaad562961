// The finished packet, looked at as a whole and by other means than it was made (paper section 3.3); a failure invalidates preparation.
import type { PacketRecord } from "../../schemas/index.js";
import type { History, Turn } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import { type Segment, type Span, turnAt } from "./segment.js";
import type { Tokenizer } from "./tokens.js";

/** The first span, in order of place, that shares a byte with one before it. */
export function repeatedSpan(spans: readonly Span[]): Span | undefined {
  const ordered = spans.toSorted(
    (a, b) => a.session - b.session || a.turn - b.turn || a.start - b.start || a.end - b.end,
  );
  return ordered.find(({ session, turn, start }, index) => {
    const before = ordered[index - 1];
    return before?.session === session && before.turn === turn && start < before.end;
  });
}

/** Every segment's text is the slice of its turn that it names; throws E_SPAN. */
export function proveSegments(history: History, segments: readonly Segment[]): void {
  let turn: Turn | undefined;
  let bytes = Buffer.alloc(0);
  for (const segment of segments) {
    const source = turnAt(history, segment);
    if (source !== turn) bytes = Buffer.from(source?.text ?? "");
    turn = source;
    if (bytes.subarray(segment.start, segment.end).equals(Buffer.from(segment.text))) continue;
    throw new SealaneError("E_SPAN", `a segment of history '${history.historyId}' is not the text it names`, {
      at: history.historyId,
      found: `session ${segment.session}, turn ${segment.turn}, bytes ${segment.start} to ${segment.end}`,
    });
  }
}

/** A beginning of a packet, and those spans rendered alone. */
export interface ProtectedPrefix {
  readonly name: string;
  readonly evidence: string;
}

/**
 * Counts the evidence again whole (E_BUDGET), looks for a byte that stands twice (E_SPAN), and holds each protected
 * beginning, rendered alone, against the evidence (E_PREFIX).
 */
export function provePacket(
  { question_id: at, tokens, spans }: Pick<PacketRecord, "question_id" | "tokens" | "spans">,
  evidence: string,
  prefixes: readonly ProtectedPrefix[],
  ceilingTokens: number,
  tokenizer: Pick<Tokenizer, "count">,
): void {
  const counted = tokenizer.count(evidence);
  if (counted !== tokens || counted > ceilingTokens) {
    throw new SealaneError("E_BUDGET", `the packet of ${at} fails its recount`, {
      at,
      expected: `${tokens} tokens, at most ${ceilingTokens}`,
      found: `${counted} tokens`,
    });
  }
  const repeated = repeatedSpan(spans.map(([session, turn, start, end]) => ({ session, turn, start, end })));
  if (repeated) {
    const { session, turn, start, end } = repeated;
    throw new SealaneError("E_SPAN", `the packet of ${at} holds a byte twice`, {
      at,
      found: `session ${session}, turn ${turn}, bytes ${start} to ${end}`,
    });
  }
  for (const prefix of prefixes) {
    if (evidence.startsWith(prefix.evidence)) continue;
    throw new SealaneError("E_PREFIX", `the packet of ${at} does not begin with its ${prefix.name}`, {
      at,
      expected: prefix.evidence.slice(0, 80),
      found: evidence.slice(0, 80),
    });
  }
}
