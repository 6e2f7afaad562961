// The independent look at what a detached lane would publish: no run of words of it stands in the dataset. It knows nothing of
// how pieces were found, and has its own notion of a word: whatever blanks and punctuation leave over.
import type { History } from "../dataset/types.js";
import { SealaneError } from "../finding.js";
import type { NamedText } from "../text/phrase-index.js";
import type { Piece } from "../text/pieces.js";
import { unescaped } from "../text/quoting.js";
import { words } from "../text/words.js";
import { historyTexts } from "./question-texts.js";

function* runs(text: string, length: number): Generator<string> {
  const found = words(text.normalize("NFKC"));
  for (let at = 0; at + length <= found.length; at += 1) yield found.slice(at, at + length).join(" ");
}

/** All strings in a JSON value; the names of members are the schemas'. */
export function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* stringsIn(part);
}

/** Collects what would be published and holds it against the dataset's texts. Throws E_DETACH_TEXT. */
export class LeftoverText {
  readonly #length: number;
  /** Runs of published words, by where they stand. */
  readonly #everywhere = new Map<string, string>();
  #here = new Map<string, string>();

  /** @param wordsMax the longest run that may stand both there and here */
  constructor(wordsMax: number) {
    this.#length = wordsMax + 1;
  }

  /** Text that stands for no single question: it is held against all histories. */
  addEverywhere(text: string, at: string): void {
    for (const run of runs(text, this.#length)) this.#everywhere.set(run, at);
  }

  /** A question's recipe: its literal text is held against the question's own texts now, and against its history's later. */
  addPieces(pieces: readonly Piece[], own: Iterable<NamedText>, at: string): void {
    const published = new Set<string>();
    for (const piece of pieces) {
      if (typeof piece !== "string") continue;
      for (const text of [piece, unescaped(piece)]) for (const run of runs(text, this.#length)) published.add(run);
    }
    for (const { name, text } of own) {
      for (const run of runs(text, this.#length)) if (published.has(run)) refuse(at, name, run);
    }
    for (const run of published) this.#here.set(run, at);
  }

  /** Text of a question in another form than pieces. */
  addText(text: string, own: Iterable<NamedText>, at: string): void {
    this.addPieces([text], own, at);
  }

  /** Holds all that was added since the last time against the history it was about. */
  holdAgainst(history: History): void {
    for (const { name, text } of historyTexts(history)) {
      for (const run of runs(text, this.#length)) {
        const at = this.#here.get(run) ?? this.#everywhere.get(run);
        if (at !== undefined) refuse(at, `${history.historyId} ${name}`, run);
      }
    }
    this.#here = new Map();
  }
}

function refuse(at: string, name: string, run: string): never {
  throw new SealaneError("E_DETACH_TEXT", `${at} would hold text of the dataset`, { at, found: `${run} (${name})` });
}
