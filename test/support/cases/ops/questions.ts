// Edits of whole questions, in every file that has a line for each.
import { LANE_FILES } from "../../../../lib/records/documents.js";
import type { Bench } from "../bench.js";
import { INTEGER, op, TEXT, TEXTS } from "../op.js";
import { putRows, type Rows, rowsOf } from "../rows.js";

/** Files that are no record of one question a line. */
const APART: readonly string[] = [LANE_FILES.turns, LANE_FILES.amendments];

function inEveryFile(bench: Bench, change: (rows: Rows) => Rows): void {
  for (const path of [...bench.files.keys()].filter((name) => name.endsWith(".jsonl") && !APART.includes(name))) {
    putRows(bench, path, change(rowsOf(bench, path)));
  }
}

function placeOf(rows: Rows, id: string): number {
  const index = rows.findIndex((row) => row.question_id === id);
  if (index < 0) throw new Error(`there is no question ${id}`);
  return index;
}

/** Takes away the turns that no packet quotes. */
function pruneTurns(bench: Bench): void {
  const packets = rowsOf(bench, LANE_FILES.packets);
  const quoted = new Set(
    rowsOf(bench, LANE_FILES.population).flatMap(({ history_id: history }, index) =>
      packets[index].spans.map(([session, turn]: [number, number]) => `${history} ${session}.${turn}`),
    ),
  );
  const turns = rowsOf(bench, LANE_FILES.turns);
  putRows(
    bench,
    LANE_FILES.turns,
    turns.filter((turn) => quoted.has(`${turn.history_id} ${turn.session}.${turn.turn}`)),
  );
}

export const QUESTION_OPS = {
  "question.drop": op({ id: TEXT }, (bench, { id }) =>
    inEveryFile(bench, (rows) => rows.toSpliced(placeOf(rows, id), 1)),
  ),
  /** Takes away every question but those named, and every turn that no packet quotes then. */
  "question.keep": op({ ids: TEXTS }, (bench, { ids }) => {
    inEveryFile(bench, (rows) => rows.filter((row) => ids.includes(row.question_id)));
    pruneTurns(bench);
  }),
  "turns.prune": op({}, (bench) => pruneTurns(bench)),
  /** Gives a question another id. */
  "question.rename": op({ from: TEXT, to: TEXT }, (bench, { from, to }) =>
    inEveryFile(bench, (rows) => rows.with(placeOf(rows, from), { ...rows[placeOf(rows, from)], question_id: to })),
  ),
  /** A question once more, at the end, under another id. */
  "question.double": op({ id: TEXT, as: TEXT }, (bench, { id, as }) =>
    inEveryFile(bench, (rows) => [...rows, { ...rows[placeOf(rows, id)], question_id: as }]),
  ),
  /** Moves a question to the place counted from one. */
  "question.move": op({ id: TEXT, place: INTEGER }, (bench, { id, place }) =>
    inEveryFile(bench, (rows) => {
      const index = placeOf(rows, id);
      return rows.toSpliced(index, 1).toSpliced(place - 1, 0, rows[index]);
    }),
  ),
} as const;
