import type { CandidateGroup } from "./arms/types.js";
import { type Span, turnKey } from "./segment.js";

export const ADMISSION_ID = "atomic-skip-1";

/** What the spans already admitted cover, by turn: disjoint intervals in order. */
export class Coverage {
  readonly #turns = new Map<number | string, [start: number, end: number][]>();

  /** The parts of a span that nothing covers yet, in order. */
  uncovered(span: Span): Span[] {
    const parts: Span[] = [];
    let start = span.start;
    for (const [from, to] of this.#turns.get(turnKey(span)) ?? []) {
      if (to <= start) continue;
      if (from >= span.end) break;
      if (from > start) parts.push({ ...span, start, end: from });
      start = to;
    }
    if (start < span.end) parts.push({ ...span, start });
    return parts;
  }

  /** Marks a span as covered. Returns false, and marks nothing, when a byte of it is covered already. */
  cover(span: Span): boolean {
    const key = turnKey(span);
    const intervals = this.#turns.get(key);
    if (!intervals) {
      this.#turns.set(key, [[span.start, span.end]]);
      return true;
    }
    const at = intervals.findIndex(([from]) => from >= span.start);
    const index = at < 0 ? intervals.length : at;
    const before = intervals[index - 1];
    const after = intervals[index];
    if ((before && before[1] > span.start) || (after && after[0] < span.end)) return false;
    intervals.splice(index, 0, [span.start, span.end]);
    return true;
  }
}

/** Neighbouring spans of one turn as one span. */
export function mergeNeighbours(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { session, turn, start, end } of spans) {
    const last = merged.at(-1);
    if (last && last.session === session && last.turn === turn && last.end === start) {
      merged[merged.length - 1] = { ...last, end };
    } else {
      merged.push({ session, turn, start, end });
    }
  }
  return merged;
}

export interface Admission {
  readonly spans: readonly Span[];
  readonly tokens: number;
  readonly skipped: number;
}

/**
 * Tokens that a run of spans adds to a packet.
 * @param session of the packet's last span; 0: an empty packet
 * @param seen sessions of all its spans
 * @param packet what it holds, for tokenizers whose counts do not add up
 */
export type Price = (
  session: number,
  spans: readonly Span[],
  seen: ReadonlySet<number>,
  packet: Pick<Admission, "spans" | "tokens">,
) => number;

/**
 * A packet as it grows, under the rule of atomic admission (paper section 3.3): from each group what is covered already is
 * subtracted and neighbours are merged; the group enters whole if the packet with it stays within the ceiling, else it
 * is skipped whole, and a later, smaller one may still fit. What has entered is never touched again, so it stays a prefix.
 */
export class Assembly implements Admission {
  readonly spans: Span[] = [];
  tokens = 0;
  skipped = 0;
  readonly #coverage = new Coverage();
  readonly #sessions = new Set<number>();
  readonly #ceilingTokens: number;
  readonly #price: Price;

  constructor(ceilingTokens: number, price: Price) {
    this.#ceilingTokens = ceilingTokens;
    this.#price = price;
  }

  /** Offers groups in order; returns what of each group entered, without those of which nothing did. */
  offer(groups: readonly CandidateGroup[]): Span[][] {
    const entered: Span[][] = [];
    for (const group of groups) {
      const fresh = mergeNeighbours(group.flatMap((span) => this.#coverage.uncovered(span)));
      if (fresh.length === 0) continue;
      const cost = this.#price(this.spans.at(-1)?.session ?? 0, fresh, this.#sessions, this);
      if (this.tokens + cost > this.#ceilingTokens) {
        this.skipped += 1;
        continue;
      }
      for (const span of fresh) {
        if (!this.#coverage.cover(span)) throw new Error("an arm offered one byte twice in one group");
        this.#sessions.add(span.session);
        this.spans.push(span);
      }
      this.tokens += cost;
      entered.push(fresh);
    }
    return entered;
  }
}

/** A packet of these groups alone. */
export function admit(groups: readonly CandidateGroup[], ceilingTokens: number, price: Price): Admission {
  const assembly = new Assembly(ceilingTokens, price);
  assembly.offer(groups);
  const { spans, tokens, skipped } = assembly;
  return { spans, tokens, skipped };
}
