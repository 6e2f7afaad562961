// The embedded reader: answers from the request alone by a fixed rule, so that the whole path runs anywhere. A weak but
// honest baseline: it quotes, it does not understand. It speaks the same request and response form as Ollama.
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { words } from "../text/words.js";
import type { RawReply, Reader, ReaderKind } from "./types.js";

/** The rule, as the digest of this reader's "model" names it. */
export const EXTRACTIVE_RULE = {
  id: "extractive-1",
  stop_words:
    "a about after all also am an and any are as at be because been before but by can could d did do does doing for from get had has have having he her him his how i if in into is it its just ll m may me might most my no not of on one or our out s she should so some such t than that the their them then there these they this those to too up us ve very was we were what when where which who whom whose why will with would you your".split(
      " ",
    ),
  steps: [
    "split the evidence into quoted turns, each with its session's date and its speaker",
    "weigh each word of the question that is no stop word by ln(1 + turns / turns with it)",
    "choose the turn with the greatest sum of weights of the question's words it holds; the first of equals",
    "without any such turn, answer: No information available.",
    "if the question's first word is 'when', answer the date of the turn's session",
    "else answer the sentence of the turn with the greatest sum of weights; the first of equals",
  ],
} as const;

export const NO_INFORMATION = "No information available.";

interface QuotedTurn {
  readonly date: string;
  readonly speaker: string;
  text: string;
}

/** How evidence is written, by its first line: with the session's number in each line, or in its header alone. */
const SESSION_LINES = {
  header: /^\[Session \d+ \| (.*)\]$/s,
  turn: /^\(\d+\.\d+(?::\d+-\d+)?\) (?:\[image: |([^:]*): )(.*)$/s,
};
const TURN_LINES = {
  header: /^\[\d+ \| (.*)\]$/s,
  turn: /^\(\d+(?::\d+-\d+)?\) (?:\[image: |([^:]*): )(.*)$/s,
};

function quotedTurns(evidence: string): QuotedTurn[] {
  const form = /^\[\d/.test(evidence) ? TURN_LINES : SESSION_LINES;
  const turns: QuotedTurn[] = [];
  let date = "";
  for (const line of evidence.split("\n")) {
    const header = form.header.exec(line);
    const start = form.turn.exec(line);
    if (header) date = header[1]!;
    else if (start) turns.push({ date, speaker: start[1] ?? "", text: start[2]! });
    else if (turns.length > 0) turns.at(-1)!.text += `\n${line}`;
  }
  return turns;
}

function best<T>(items: readonly T[], score: (item: T) => number): { item: T; score: number } | undefined {
  let found: { item: T; score: number } | undefined;
  for (const item of items) {
    const value = score(item);
    if (found === undefined || value > found.score) found = { item, score: value };
  }
  return found;
}

/** The rule's answer to a user message of the layout in lib/reader/request.ts. */
export function extract(userMessage: string): string {
  const [, evidence, question] = /RECORDED EVIDENCE:\n([\s\S]*)\nQUESTION:\n([\s\S]*)$/.exec(userMessage) ?? [];
  if (evidence === undefined || question === undefined) return NO_INFORMATION;
  const stop = new Set<string>(EXTRACTIVE_RULE.stop_words);
  const asked = new Set(words(question).filter((word) => !stop.has(word)));
  const turns = quotedTurns(evidence).map((turn) => ({ turn, words: new Set(words(`${turn.speaker} ${turn.text}`)) }));
  const weights = new Map<string, number>();
  for (const word of asked) {
    const holding = turns.filter((turn) => turn.words.has(word)).length;
    if (holding > 0) weights.set(word, Math.log(1 + turns.length / holding));
  }
  const weigh = (held: ReadonlySet<string>): number => {
    let sum = 0;
    for (const [word, weight] of weights) if (held.has(word)) sum += weight;
    return sum;
  };
  const chosen = best(turns, (turn) => weigh(turn.words));
  if (!chosen || chosen.score === 0) return NO_INFORMATION;
  if (words(question)[0] === "when") return chosen.item.turn.date;
  const sentences = chosen.item.turn.text.match(/[^.!?\n]+[.!?]*/g) ?? [chosen.item.turn.text];
  return best(sentences, (sentence) => weigh(new Set(words(sentence))))!.item.trim();
}

class ExtractiveReader implements Reader {
  readonly id = "extractive";

  async identify(modelName: string): Promise<{ name: string; digest: string }> {
    return { name: modelName, digest: sha256Hex(canonicalJson(EXTRACTIVE_RULE)) };
  }

  async send(body: string): Promise<RawReply> {
    const request = JSON.parse(body) as { model: string; messages: { role: string; content: string }[] };
    const user = request.messages.find((message) => message.role === "user");
    const content = extract(user?.content ?? "");
    const reply = { model: request.model, message: { role: "assistant", content }, done: true, done_reason: "stop" };
    return { httpStatus: 200, body: Buffer.from(canonicalJson(reply)) };
  }
}

export const extractive: ReaderKind = {
  id: "extractive",
  title: "the embedded baseline: quotes the sentence that shares most with the question",
  defaultModel: EXTRACTIVE_RULE.id,
  defaultOptions: {},
  defaultThink: false,
  open: () => new ExtractiveReader(),
};
