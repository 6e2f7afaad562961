// Writes a file in LongMemEval's form, of our own words and of any size: what the bound on memory is measured with. The same
// arguments give the same bytes everywhere.
//   node build/bench/longmemeval-like.js OUT.json MEGABYTES
import { closeSync, openSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const WORDS =
  "harbour kite ladder meadow copper violin river winter lantern orchard pepper saddle timber walnut yellow anchor".split(
    " ",
  );
/** A question of LongMemEval-M has about this many bytes. */
const HISTORY_BYTES = 5_400_000;
const TURN_WORDS = 150;

/** A linear congruence modulo 2^31, of which the low bits are left out. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

function question(number: number, historyBytes: number): string {
  const next = numbers(number + 1);
  const text = (words: number): string =>
    Array.from({ length: words }, () => `${WORDS[next(WORDS.length)]}${next(4) === 0 ? next(400) : ""}`).join(" ");
  const sessions: object[][] = [];
  for (let bytes = 0; bytes < historyBytes; ) {
    const turns = Array.from({ length: 10 }, (_, turn) => ({
      role: turn % 2 === 0 ? "user" : "assistant",
      content: text(TURN_WORDS),
      ...(sessions.length === 3 ? { has_answer: turn === 4 } : {}),
    }));
    bytes += turns.reduce((sum, { content }) => sum + content.length + 40, 0);
    sessions.push(turns);
  }
  const day = (index: number): string => String(1 + (index % 28)).padStart(2, "0");
  return JSON.stringify({
    question_id: `made_${number}`,
    question_type: "multi-session",
    question: `What of ${text(6)}?`,
    answer: number % 7 === 0 ? number : text(3),
    question_date: "2023/05/30 (Tue) 12:00",
    haystack_dates: sessions.map((_, index) => `2023/05/${day(index)} (Mon) 09:00`),
    haystack_session_ids: sessions.map((_, index) => (index === 3 ? "answer_made" : `filler_${index % 90}`)),
    haystack_sessions: sessions,
    answer_session_ids: ["answer_made"],
  });
}

/** Writes whole questions until the file has at least so many bytes; returns how many. */
export function writeLongMemEvalLike(out: string, bytesMin: number, historyBytes = HISTORY_BYTES): number {
  const file = openSync(out, "wx");
  try {
    let bytes = writeSync(file, "[");
    let number = 0;
    for (; bytes < bytesMin; number += 1) {
      bytes += writeSync(file, `${number === 0 ? "" : ", "}${question(number, historyBytes)}`);
    }
    writeSync(file, "]");
    return number;
  } finally {
    closeSync(file);
  }
}

const [, program, out, megabytes] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (out === undefined || megabytes === undefined) throw new Error("usage: longmemeval-like.js OUT.json MEGABYTES");
  process.stdout.write(`${writeLongMemEvalLike(out, Number(megabytes) * 1e6)} questions\n`);
}
