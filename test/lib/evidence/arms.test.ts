import fc from "fast-check";
import t from "tap";
import type { History, Session } from "../../../lib/dataset/types.js";
import { ARMS, armOf } from "../../../lib/evidence/arms/index.js";
import type { Segment } from "../../../lib/evidence/segment.js";
import { contextOf, rank } from "./contexts.js";
import { asked, histories, history, historyOf, SEED, session, turn } from "./histories.js";

const IDS = ["cl1", "nobackbone", "dense", "bm25", "full", "full-untrimmed", "cs1", "r", "breadth", "near"];

t.test("the arms", async (t) => {
  t.strictSame(
    ARMS.map(({ id }) => id),
    IDS,
  );
  for (const arm of ARMS) {
    t.equal(armOf(arm.id), arm);
    t.match(arm.id, /^[a-z0-9][a-z0-9_-]{0,63}$/);
  }
  for (const id of ["", "BM25", "constructor"]) {
    t.throws(() => armOf(id), { code: "E_UNKNOWN", expected: IDS.join(" | "), found: id });
  }
});

const TALK = [
  "The red kite flew.",
  "Nothing.",
  "A kite, a kite!",
  "Kites?",
  "red",
  "Nothing again.",
  "The red kite flew.",
];

t.test("bm25: segments that share a word, best first", async (t) => {
  const context = contextOf(historyOf(...TALK), 0);
  const order = (question: string) => rank("bm25", question, context).map((group) => group.map((s) => s.turn));
  t.strictSame(order("kite"), [[3], [1], [7]], "a group each; equal ones in order of the history");
  t.strictSame(order("RED kite"), [[1], [7], [5], [3]], "both words, then the rarer in the shorter text");
  t.strictSame(order("submarine?"), []);
  t.strictSame(order(""), []);
  t.strictSame(rank("bm25", "kite", contextOf(history("h"), 9)), [], "an empty history");
  t.strictSame(
    order("kite"),
    rank("bm25", "kite", { ...context, ceilingTokens: 1e6 }).map((g) => g.map((s) => s.turn)),
    "whatever the ceiling",
  );
});

t.test("bm25: a total order that nothing but question and history decides", async (t) => {
  let ties = 0;
  const word = fc.constantFrom("red", "kite", "the", "zoë", "漢字", "2024");
  const talk = fc.array(
    fc.array(word, { maxLength: 4 }).map((list) => list.join(" ")),
    { maxLength: 14, size: "max" },
  );
  fc.assert(
    fc.property(talk, fc.array(word, { maxLength: 3 }), (said, question) => {
      const context = contextOf(historyOf(...said), 0);
      const query = question.join(" ");
      const { scores, matched } = context.lexical.bm25(query, 1.2, 0.75);
      const groups = rank("bm25", query, context);
      if (JSON.stringify(groups) !== JSON.stringify(rank("bm25", query, contextOf(historyOf(...said), 0)))) {
        throw new Error("two runs differ");
      }
      const places = groups.map(([only, more]) => {
        if (!only || more) throw new Error("not a group each");
        return context.segments.indexOf(only as Segment);
      });
      if ([...places].sort((a, b) => a - b).join() !== matched.join()) throw new Error("other segments than match");
      for (const [index, place] of places.entries()) {
        const before = places[index - 1];
        if (before === undefined) continue;
        if (scores[before] === scores[place]) ties += 1;
        const ordered = scores[before]! > scores[place]! || (scores[before] === scores[place] && before < place);
        if (!ordered) throw new Error("out of order");
      }
    }),
    { seed: SEED, numRuns: 1000 },
  );
  t.ok(ties > 200, `${ties} ties`);
});

t.test("bm25: the parameters are the protocol's", async (t) => {
  const context = contextOf(historyOf("red red red blue blue blue blue", "red", "green"), 0);
  const { rank, parameters } = armOf("bm25");
  const order = (changed: object) =>
    rank(asked("h", "q", "red"), context, { ...parameters, ...changed }).map(([only]) => only!.turn);
  t.strictSame(parameters, { k1: 1.2, b: 0.75, words: "lower-case letters, marks and digits" });
  t.strictSame(order({ b: 0 }), [1, 2], "without regard to length, the more often");
  t.strictSame(order({ b: 1 }), [2, 1], "with all regard to length, the shorter");
});

const dated = (time: string | null, ...texts: string[]): Session =>
  session(time, time, ...texts.map((text) => turn("Ada", text)));
const full = (made: History, ceiling: number, bytesMax?: number) =>
  rank("full", "", contextOf(made, ceiling, bytesMax === undefined ? {} : { bytesMax })).map((group) =>
    group.map(({ session, turn }) => [session, turn]),
  );

t.test("full: every session in order of date, a group each", async (t) => {
  const made = history(
    "h",
    dated("2024-03-01T10:00", "c", "d"),
    dated("2023-12-31T23:59", "a"),
    dated("2024-03-01T09:59", "b", " ", "bb"),
    dated("2024-03-01T10:00", "e"),
  );
  t.strictSame(
    full(made, 100),
    [
      [[2, 1]],
      [
        [3, 1],
        [3, 3],
      ],
      [
        [1, 1],
        [1, 2],
      ],
      [[4, 1]],
    ],
    "equal times in order of the file",
  );
  const long = history("h", dated("2024-01-02T00:00", "aaa bbb"), dated("2024-01-01T00:00", "ccc"));
  t.strictSame(
    full(long, 100, 4),
    [
      [[2, 1]],
      [
        [1, 1],
        [1, 1],
      ],
    ],
    "all passages of a turn",
  );
  t.strictSame(full(history("h"), 100), []);
  t.strictSame(full(history("h", dated("2024-01-01T00:00", "  ")), 100), [], "a blank session is none");
});

t.test("full: the dataset's order when a date is missing", async (t) => {
  const made = history("h", dated("2024-03-01T10:00", "c"), dated(null, "a"), dated("2023-12-31T23:59", "b"));
  t.strictSame(full(made, 100), [[[1, 1]], [[2, 1]], [[3, 1]]]);
  const last = history("h", dated("2024-03-01T10:00", "c"), dated("2023-12-31T23:59", "b"), dated(null, "a"));
  t.strictSame(full(last, 100), [[[1, 1]], [[2, 1]], [[3, 1]]], "wherever it is missing");
  const blank = history("h", dated("2024-03-01T10:00", "c"), dated(null, " "), dated("2023-12-31T23:59", "b"));
  t.strictSame(full(blank, 100), [[[3, 1]], [[1, 1]]], "unless nothing was said on it");
  const worded = history(
    "h",
    session("May", null, turn("A", "x")),
    session("April", "2024-04-01T00:00", turn("A", "y")),
  );
  t.strictSame(full(worded, 100), [[[1, 1]], [[2, 1]]], "a date that is no time");
});

t.test("full: the oldest sessions are left out when not all fit", async (t) => {
  const made = history(
    "h",
    dated("2024-01-03T00:00", "33333"),
    dated("2024-01-01T00:00", "1"),
    dated("2024-01-02T00:00", "222"),
  );
  const sessions = (ceiling: number) => full(made, ceiling).map(([first]) => first![0]);
  t.strictSame(sessions(9), [2, 3, 1]);
  t.strictSame(sessions(8), [3, 1]);
  t.strictSame(sessions(7), [1], "no older, smaller one in its place");
  t.strictSame(sessions(5), [1]);
  t.strictSame(sessions(4), [], "not even when the newest alone is too large");
  t.strictSame(sessions(0), []);
  fc.assert(
    fc.property(histories(4), fc.nat(60), fc.boolean(), (random, ceiling, withDates) => {
      const times = ["2024-01-02T00:00", "2024-01-01T00:00", "2024-01-03T00:00"];
      const timed = {
        ...random,
        sessions: random.sessions.map((one, index) => ({ ...one, time: withDates ? times[index]! : null })),
      };
      const context = contextOf(timed, ceiling);
      const all = rank("full", "", { ...context, ceilingTokens: Number.POSITIVE_INFINITY });
      const some = rank("full", "", context);
      const costs = all.map((group) => context.tokensOf(group));
      let fitting = 0;
      let cost = 0;
      while (fitting < costs.length && cost + costs.at(-1 - fitting)! <= ceiling) {
        cost += costs.at(-1 - fitting)!;
        fitting += 1;
      }
      return (
        all.flat().length === context.segments.length &&
        JSON.stringify(some) === JSON.stringify(fitting === 0 ? [] : all.slice(-fitting))
      );
    }),
    { seed: SEED, numRuns: 1000 },
  );
});

t.test("full: the question changes nothing", async (t) => {
  const context = contextOf(historyOf(...TALK), 40);
  t.strictSame(rank("full", "kite", context), rank("full", "?", context));
});
