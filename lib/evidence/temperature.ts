import type { PreparationProtocol } from "../../schemas/index.js";
import { words } from "../text/words.js";
import type { LexicalIndex } from "./lexical.js";
import type { Segment, Span } from "./segment.js";

/** A reader temperature for each question (paper, Appendix B), out of question and packet alone. */
export type TemperatureRule = NonNullable<PreparationProtocol["temperature"]>;

/** The rule of this release; its thresholds are ours, chosen without looking at any label. */
export const TEMPERATURE_RULE: TemperatureRule = {
  rule: "best-passage-1",
  values: [0.6, 0.8, 1],
  thresholds: [0.6, 0.4],
};

/**
 * How much of a question stands in one passage of its packet: of the weight (idf) of its distinct words, words that the
 * history does not know among them, the largest share that a single segment of the packet holds. 0 to 1.
 */
export function bestPassageShare(
  question: string,
  segments: readonly Segment[],
  lexical: LexicalIndex,
  packet: readonly Span[],
): number {
  const turns = new Set(packet.map(({ session, turn }) => `${session}.${turn}`));
  const held = new Map<number, number>();
  let total = 0;
  for (const word of new Set(words(question))) {
    const holding = lexical.holding(word);
    const weight = Math.log(1 + (segments.length - holding.length + 0.5) / (holding.length + 0.5));
    total += weight;
    for (const index of holding) held.set(index, (held.get(index) ?? 0) + weight);
  }
  let most = 0;
  for (const [index, weight] of held) {
    const { session, turn, start } = segments[index]!;
    if (weight <= most || !turns.has(`${session}.${turn}`)) continue;
    const quoted = packet.some(
      (span) => span.session === session && span.turn === turn && span.start <= start && start < span.end,
    );
    if (quoted) most = weight;
  }
  return total === 0 ? 0 : most / total;
}

/** The value of the first threshold that a share reaches; the last value when it reaches none. */
export function temperatureOf(share: number, { values, thresholds }: TemperatureRule): number {
  const at = thresholds.findIndex((threshold) => share >= threshold);
  return values[at < 0 ? values.length - 1 : at]!;
}
