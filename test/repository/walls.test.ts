// The first wall, as the compiler sees it: what an arm or a reader is given has no way to a reference. Each line below
// fails to compile on the day it becomes one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { AskedQuestion } from "../../lib/dataset/types.js";
import type { ArmContext } from "../../lib/evidence/arms/types.js";
import type { Reader } from "../../lib/reader/types.js";
import type { Outgoing } from "../../lib/run/schedule.js";
import { repositoryFile } from "../support/shared.js";

export function leaks(asked: AskedQuestion, context: ArmContext, reader: Reader, outgoing: Outgoing): unknown[] {
  return [
    // @ts-expect-error a question has no reference
    asked.reference,
    // @ts-expect-error nor does it name its evidence
    asked.evidence,
    // @ts-expect-error an arm is given no references
    context.references,
    // @ts-expect-error a reader is given bytes, not questions
    reader.send(asked, new AbortController().signal),
    // @ts-expect-error what goes out is an id and a body
    outgoing.reference,
  ];
}

t.test("no file of the reader's side names the evaluator's", async (t) => {
  const readerSide = [
    "lib/reader",
    "lib/evidence",
    "lib/evidence/arms",
    "lib/run/schedule.ts",
    "lib/run/replay-run.ts",
    "lib/run/ledger.ts",
    "lib/run/sqlite.ts",
  ];
  for (const place of readerSide) {
    const files = place.endsWith(".ts")
      ? [place]
      : readdirSync(repositoryFile(place))
          .filter((name) => name.endsWith(".ts"))
          .map((name) => join(place, name));
    for (const file of files) {
      const code = readFileSync(repositoryFile(file), "utf8").replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
      t.notMatch(code, /LANE_FILES\.references|gradesPath|ReferenceRecord|dataset\.references/, file);
    }
  }
});
