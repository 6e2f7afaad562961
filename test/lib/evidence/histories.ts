// Histories made for the tests of this folder, and texts that tools like to change.
import fc from "fast-check";
import { historiesOf } from "../../../lib/dataset/histories.js";
import type { Dataset } from "../../../lib/dataset/index.js";
import type { AskedQuestion, History, Session, Turn } from "../../../lib/dataset/types.js";
import type { Span } from "../../../lib/evidence/segment.js";

/** Fixed, so that a failure comes again. */
export const SEED = 20_240_229;

export const turn = (speaker: string, text: string, ...captions: string[]): Turn => ({ speaker, text, captions });

export const session = (date: string | null, time: string | null, ...turns: Turn[]): Session => ({ date, time, turns });

export const history = (historyId: string, ...sessions: Session[]): History => ({ historyId, sessions });

/** A history of one session whose turns say these texts. */
export const historyOf = (...texts: string[]): History =>
  history("h", session(null, null, ...texts.map((text) => turn("Ada", text))));

export const span = (session: number, turn: number, start: number, end: number): Span => ({
  session,
  turn,
  start,
  end,
});

export const asked = (historyId: string, questionId: string, question: string): AskedQuestion => ({
  questionId,
  historyId,
  category: "single-hop",
  question,
  questionDate: null,
  flags: [],
});

export function datasetOf(histories: readonly History[], asked: readonly AskedQuestion[]): Dataset {
  return {
    name: "made here",
    licence: "none",
    histories: historiesOf(histories),
    asked,
    references: asked.map(({ questionId }) => ({ questionId, reference: null, evidence: [], evidenceUnresolved: [] })),
    questionsTotal: asked.length,
    excluded: [],
    identity: { name: "made here", adapter: "own", sha256: "0".repeat(64), bytes: 0, pinned: false, licence: "none" },
  };
}

/** Pieces of text at which splitting, counting and rendering may go wrong. U+FEFF is left out: see tokens.test.ts. */
export const ATOMS: readonly string[] = [
  "a",
  "Zoë",
  "zoe\u0308",
  "don't",
  "I'LL",
  "THEY'VE been",
  "internationalisation",
  "aaaaaaaaaaaaaaaaaaaaaaaa",
  "1",
  "2024",
  "1234567890",
  "½²①",
  "a1b2",
  ".",
  "…",
  "?!",
  '."',
  "。",
  "——",
  "/",
  "//",
  "path/to/",
  "[",
  "(",
  "](",
  "[Session 1 | date]\n",
  "(1.1) ",
  "{{context}}",
  "$&",
  "<|endoftext|>",
  "<|im_start|>",
  " ",
  "  ",
  "\t",
  "\n",
  "\n\n",
  "\r\n",
  "\r",
  " \n",
  "\n ",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u3000",
  "\u200b",
  "\u0000",
  "\ufffd",
  "שלום",
  "مرحبا بكم",
  "\u202eabc\u202c",
  "漢字かな",
  "東京タワー",
  "한국어",
  "ไทยที่",
  "हिन्दी",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
  "🇳🇴🇸🇪",
  "𝒳",
  "e\u0301\u0302\u0303",
];

/** Texts of such pieces, with other characters of all planes between them. */
export function texts(piecesMax: number): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...ATOMS);
  const any = fc.string({ unit: "binary", maxLength: 3 }).map((text) => text.replaceAll("\ufeff", ""));
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: atom }, { weight: 1, arbitrary: any }), {
      maxLength: piecesMax,
      size: "max",
    })
    .map((pieces) => pieces.join(""));
}

/** Small histories of such texts: sessions with and without a date, blank turns, captions. */
export function histories(piecesMax = 6): fc.Arbitrary<History> {
  const text = texts(piecesMax);
  const turns = fc.array(fc.record({ speaker: texts(2), text, captions: fc.array(texts(2), { maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 3,
  });
  const date = fc.option(texts(2), { nil: null });
  return fc
    .array(fc.record({ date, time: fc.constant(null), turns }), { minLength: 1, maxLength: 3 })
    .map((sessions) => ({ historyId: "h", sessions }));
}
