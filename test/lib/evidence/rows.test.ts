import t from "tap";
import { guardedRows, mergedRows } from "../../../lib/evidence/rows.js";
import { segmentHistory } from "../../../lib/evidence/segment.js";
import { contextOf } from "./contexts.js";
import { asked, history, historyOf, session, turn } from "./histories.js";

t.test("a text repeated inside one turn is one row", async (t) => {
  const segments = segmentHistory(historyOf("Yes.\nNo!!\nYes.\nYes.", "Yes."), 5);
  t.strictSame(
    segments.map(({ text }) => text),
    ["Yes.\n", "No!!\n", "Yes.\n", "Yes.", "Yes."],
  );
  t.strictSame(mergedRows(segments), [0, 1, 4], "white space around it aside; another turn's is another row");
  const two = history("h", session(null, null, turn("A", "Yes.")), session(null, null, turn("A", "Yes.")));
  t.strictSame(mergedRows(segmentHistory(two, 99)), [0, 1], "the first turn of the next session too");
  t.strictSame(mergedRows([]), []);
});

t.test("the guard counts merged rows and names question and history", async (t) => {
  const context = contextOf(historyOf("Yes.\nNo!!\nYes.\nYes.", "Yes."), 0, { bytesMax: 5 });
  t.strictSame(guardedRows(asked("h", "q", "?"), context, 3), [0, 1, 4]);
  const error = t.throws(() => guardedRows(asked("h", "q7", "?"), context, 2), { code: "E_LIMIT", at: "q7" });
  t.match(error, { message: /'h'.*'q7'/, found: /^3 / });
  const many = "kite. ".repeat(32_768);
  const unmerged = contextOf(historyOf(many), 0, { bytesMax: 6 });
  t.equal(unmerged.segments.length, 32_768);
  t.equal(guardedRows(asked("h", "q", "?"), unmerged, 32_768).length, 1);
});
