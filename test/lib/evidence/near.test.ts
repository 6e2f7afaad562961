import t from "tap";
import { near } from "../../../lib/evidence/arms/near.js";
import type { Arm } from "../../../lib/evidence/arms/types.js";
import { askedMonths } from "../../../lib/evidence/asked-months.js";
import { contextOf, rank } from "./contexts.js";
import { history, session, turn } from "./histories.js";

const BARE: Arm["parameters"] = { neighbour: 0, semantic: 0, speaker: 1, month: 1 };
/** The places of the ranked segments, "session.turn". */
const order = (made: ReturnType<typeof history>, question: string, changed: Arm["parameters"] = {}, cosine = () => 0) =>
  rank("near", question, contextOf(made, 1000, { cosine }), { ...BARE, ...changed }).map((group) =>
    group.map((span) => `${span.session}.${span.turn}`).join("+"),
  );

t.test("stems meet, function words and speakers do not", async (t) => {
  const made = history(
    "h",
    session(
      "May",
      null,
      turn("Ada", "She paints the boats."),
      turn("Bo", "What was it, and where, Ada?"),
      turn("Ada", "Painting is what I do."),
      turn("Bo", "The harbour is calm."),
    ),
  );
  t.strictSame(order(made, "When was Ada painting?"), ["1.3", "1.1"], "shorter first; 'was' and 'Ada' find nothing");
  t.strictSame(order(made, "What and where was it?"), []);
});

t.test("a turn next to one that has the words is found through it, within its session only", async (t) => {
  const made = history(
    "h",
    session(
      "May",
      null,
      turn("Ada", "Nothing here."),
      turn("Bo", "A kite?"),
      turn("Ada", "A red one."),
      turn("Bo", "So."),
    ),
    session("June", null, turn("Ada", "Elsewhere.")),
  );
  t.strictSame(order(made, "kite"), ["1.2"]);
  // 0.5 at a distance of one on both sides, 0.25 at two; equal scores stand in order of the history.
  t.strictSame(order(made, "kite", { neighbour: 0.5, neighbour_decay: 0.5 }), ["1.2", "1.1", "1.3", "1.4"]);
});

t.test("weights fall with the distance as told", async (t) => {
  // Turn 3 is two away from the one word, turn 5 next to two words: 0.4 * 0.8 < 0.4.
  const made = history(
    "h",
    session("May", null, turn("Ada", "kite"), turn("Bo", "a"), turn("Ada", "b"), turn("Bo", "c")),
    session("June", null, turn("Ada", "d"), turn("Bo", "kite")),
  );
  t.strictSame(order(made, "kite", { neighbour: 0.4, neighbour_decay: 0.8 }), [
    "1.1",
    "2.2",
    "1.2",
    "2.1",
    "1.3",
    "1.4",
  ]);
});

t.test("the one speaker asked about goes before the other; of two named, neither does", async (t) => {
  const made = history("h", session("May", null, turn("Ada", "My kite is red."), turn("Bo", "My kite is red.")));
  t.strictSame(order(made, "Bo: a kite?"), ["1.1", "1.2"]);
  t.strictSame(order(made, "Bo: a kite?", { speaker: 1.8 }), ["1.2", "1.1"]);
  t.strictSame(order(made, "Ada or Bo: a kite?", { speaker: 1.8 }), ["1.1", "1.2"]);
  t.strictSame(order(made, "Bob: a kite?", { speaker: 1.8 }), ["1.1", "1.2"]);
});

t.test("the month asked about brings its sessions forward", async (t) => {
  const made = history(
    "h",
    session("a", "2023-05-02T10:00", turn("Ada", "My kite is red.")),
    session("b", "2022-06-02T10:00", turn("Ada", "My kite is red.")),
    session("c", "2023-06-02T10:00", turn("Ada", "My kite is red.")),
    session("d", null, turn("Ada", "My kite is red.")),
  );
  t.strictSame(order(made, "Which kite in June?", { month: 2 }), ["2.1", "3.1", "1.1", "4.1"]);
  t.strictSame(order(made, "Which kite in June 2023?", { month: 2 }), ["3.1", "1.1", "2.1", "4.1"]);
  t.strictSame(
    order(made, "Which kite in 2023?", { month: 2 }),
    ["1.1", "2.1", "3.1", "4.1"],
    "a year alone is no month",
  );
});

t.test("meaning finds what words do not, and a negative cosine takes nothing away", async (t) => {
  const made = history("h", session("May", null, turn("Ada", "Red."), turn("Bo", "Blue."), turn("Ada", "Kite.")));
  const cosines = [0.2, -0.9, -0.5];
  const context = contextOf(made, 1000, { cosine: (_, index) => cosines[index]! });
  const groups = rank("near", "kite", context, { ...BARE, semantic: 0.5 });
  t.strictSame(
    groups.map(([span]) => span!.turn),
    [3, 1],
  );
});

t.test("months are capitalised words, years have four digits", async (t) => {
  const of = (question: string) => {
    const { months, years } = askedMonths(question);
    return [[...months], [...years]];
  };
  t.strictSame(of("What did May do, and may she in march of 1999?"), [["05"], ["1999"]]);
  t.strictSame(of("Between January and December 2023 or 12023?"), [["01", "12"], ["2023"]]);
  t.strictSame(of("Mayor Marching"), [[], []]);
});

t.test("its constants stand in its parameters", async (t) => {
  t.equal(near.order, "history");
  t.strictSame(near.needs, ["semantic"]);
  t.match(near.parameters, {
    k1: 1.2,
    b: 0.75,
    neighbour: 0.4,
    neighbour_decay: 0.8,
    semantic: 1,
    speaker: 1.8,
    month: 2,
  });
});
