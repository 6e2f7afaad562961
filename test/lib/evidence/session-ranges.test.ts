import fc from "fast-check";
import t from "tap";
import { armOf } from "../../../lib/evidence/arms/index.js";
import type { Arm, Backbone } from "../../../lib/evidence/arms/types.js";
import { backboneOf, rankedSessions } from "../../../lib/evidence/session-ranges.js";
import { contextOf, places } from "./contexts.js";
import { asked, histories, history, SEED, session, turn } from "./histories.js";

const talk = (...texts: string[]) => session(null, null, ...texts.map((text) => turn("Ada", text)));

t.test("sessions by the sum of their best segments", async (t) => {
  const { segments } = contextOf(history("h", talk("a", "b", "c"), talk("d", "e"), talk("f"), talk("g")), 0);
  const scores = Float64Array.from([1, 2, 4, 3, 0, 6, 3]);
  t.strictSame(rankedSessions(segments, scores, [0, 1, 2, 3, 5, 6], 2), [
    { session: 1, best: [2, 1], score: 6 },
    { session: 3, best: [5], score: 6 },
    { session: 2, best: [3], score: 3 },
    { session: 4, best: [6], score: 3 },
  ]);
  t.strictSame(
    rankedSessions(segments, scores, [0, 1, 2], 3).map(({ score }) => score),
    [7],
  );
  t.strictSame(rankedSessions(segments, scores, [], 2), []);
});

const PARAMETERS = { ...armOf("cl1").parameters, baseline_sessions: 2, backbone_sessions: 3 };
const backbone = (made: ReturnType<typeof history>, ceiling: number, changed: Arm["parameters"] = {}): Backbone =>
  backboneOf(asked("h", "q", "kite"), contextOf(made, ceiling, { headerTokens: 10 }), { ...PARAMETERS, ...changed });

// "kite" scores most in session 3 (twice, short), then 1 (twice), then 4 and 2 (once).
const MADE = history(
  "h",
  talk("a kite", "no", "no", "a kite", "no"),
  talk("no", "no", "no", "kite it is then", "no"),
  talk("kite", "kite"),
  talk("no", "kite it is", "no", "no", "no"),
  talk("no", "no"),
);

t.test("E_A: the best sessions, whole, in order of the history", async (t) => {
  // Session 3 costs 10 + 8, session 1 costs 10 + 6 + 2 + 2 + 6 + 2.
  t.strictSame(places(backbone(MADE, 400).baseline), ["1.1+1.2+1.3+1.4+1.5", "3.1+3.2"]);
  const shares = (ceiling: number) => places(backbone(MADE, ceiling).baseline);
  t.strictSame(shares(4 * 46), ["1.1+1.2+1.3+1.4+1.5", "3.1+3.2"], "just enough of a quarter");
  t.strictSame(shares(4 * 46 - 1), ["3.1+3.2"], "a token less");
  t.strictSame(shares(4 * 18 - 1), [], "the third does not enter in the place of the first two");
  t.strictSame(places(backbone(MADE, 400, { baseline_sessions: 1 }).baseline), ["3.1+3.2"]);
});

t.test("what E_0 adds: ranges of the sessions that are not whole, in order of the history", async (t) => {
  t.strictSame(places(backbone(MADE, 400).added), ["4.1+4.2+4.3"], "the third of the sessions");
  t.strictSame(places(backbone(MADE, 400, { backbone_sessions: 4 }).added), ["2.3+2.4+2.5", "4.1+4.2+4.3"]);
  t.strictSame(places(backbone(MADE, 400, { range_turns: 0 }).added), ["4.2"]);
  t.strictSame(
    places(backbone(MADE, 400, { baseline_sessions: 0 }).added),
    ["1.1+1.2+1.3+1.4+1.5", "3.1+3.2", "4.1+4.2+4.3"],
    "ranges that meet are one",
  );
  t.strictSame(
    places(backbone(MADE, 400, { baseline_sessions: 0, session_segments: 1 }).added),
    ["1.1+1.2", "3.1+3.2", "4.1+4.2+4.3"],
    "around the best segments, equal ones in order of the history",
  );
  // E_A takes 46; session 4's range 10 + 2 + 10 + 2.
  t.strictSame(places(backbone(MADE, 2 * 70, { baseline_share: 0.4 }).added), ["4.1+4.2+4.3"]);
  t.strictSame(places(backbone(MADE, 2 * 70 - 1, { baseline_share: 0.4 }).added), [], "a token less");
});

t.test("a question that shares no word has no backbone", async (t) => {
  const context = contextOf(MADE, 400);
  t.strictSame(backboneOf(asked("h", "q", "submarine?"), context, PARAMETERS), { baseline: [], added: [] });
});

t.test("the backbone keeps its shares and offers no byte twice", async (t) => {
  let whole = 0;
  let ranges = 0;
  fc.assert(
    fc.property(
      histories(4),
      fc.nat(400),
      fc.constantFrom("a", "2024 漢字かな", "zoë 1 a"),
      (made, ceiling, question) => {
        const context = contextOf(made, ceiling, { headerTokens: 10, bytesMax: 12 });
        const { baseline, added } = backboneOf(asked("h", "q", question), context, armOf("cl1").parameters);
        const cost = (groups: Backbone["baseline"]) => groups.reduce((sum, group) => sum + context.tokensOf(group), 0);
        if (cost(baseline) > ceiling * 0.25) throw new Error("E_A over its share");
        if (cost([...baseline, ...added]) > ceiling * 0.5) throw new Error("E_0 over its share");
        const keys = [...baseline, ...added].flat().map(({ session, turn, start }) => `${session}.${turn}.${start}`);
        if (new Set(keys).size !== keys.length) throw new Error("a segment twice");
        const sessions = [baseline, added].map((groups) => groups.map(([first]) => first!.session));
        for (const list of sessions) if (list.some((s, i) => i > 0 && s <= list[i - 1]!)) throw new Error("order");
        whole += baseline.length;
        ranges += added.length;
      },
    ),
    { seed: SEED, numRuns: 3000 },
  );
  t.ok(Math.min(whole, ranges) > 100, `${whole} sessions, ${ranges} ranges`);
});
