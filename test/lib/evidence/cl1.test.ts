// CL1 and the arms that are made of it, under fixed scores: orders by hand, and what each keeps of the other.
import fc from "fast-check";
import t from "tap";
import type { History } from "../../../lib/dataset/types.js";
import { Assembly, type Price } from "../../../lib/evidence/admit.js";
import { armOf } from "../../../lib/evidence/arms/index.js";
import type { ArmContext } from "../../../lib/evidence/arms/types.js";
import { headersBefore } from "../../../lib/evidence/render.js";
import type { Segment, Span } from "../../../lib/evidence/segment.js";
import { contextOf, places, rank } from "./contexts.js";
import { asked, histories, history, SEED, session, turn } from "./histories.js";

const talk = (time: string | null, ...texts: string[]) =>
  session(time, time, ...texts.map((text) => turn("Ada", text)));
const given =
  (...cosines: number[]) =>
  (_: Segment, index: number) =>
    cosines[index]!;

const MADE = history(
  "h",
  talk("2024-01-03T00:00", "blue kite", "a red kite", "stone"),
  talk("2024-01-01T00:00", "red", "sea"),
  talk("2024-01-02T00:00", "kite", "sand", "wind"),
);

t.test("nobackbone and cl1: the fused order of eligible segments, leaders first, by hand", async (t) => {
  // Segments: 1.1 blue kite, 1.2 a red kite, 1.3 stone, 2.1 red, 2.2 sea, 3.1 kite, 3.2 sand, 3.3 wind.
  const context = contextOf(MADE, 1000, { cosine: given(0.2, 0.6, 0.5, -1, 0.4, 0.1, 0.7, 0.49) });
  // Eligible: with "red kite" 1.1, 1.2, 2.1, 3.1; by meaning 1.2 (.8), 1.3 (.75), 3.2 (.85). Not 2.2 (.7), 3.3 (.745).
  // r_sem: 3.2, 1.2, 1.3, 1.1, 3.1, 2.1. BM25: red (2 of 8 segments) weighs more than kite (3 of 8); 1.2 has both;
  // so r_lex: 1.2, 2.1, 3.1, 1.1.
  // f: 3.2 1/61, 1.2 1/62 + 1/61, 1.3 1/63, 1.1 1/64 + 1/64, 3.1 1/65 + 1/63, 2.1 1/66 + 1/62.
  // 1.1: .031250, 3.1: .031258, 2.1: .031281.
  const expected = ["1.2", "2.1", "3.1", "1.1", "3.2", "1.3"];
  t.strictSame(places(rank("nobackbone", "red kite", context)), expected);
  t.strictSame(places(rank("cl1", "red kite", context)), expected);
  t.strictSame(
    places(rank("cl1", "red kite", context, { lexical_min: 0.75 })),
    ["1.2", "2.1", "3.2", "1.3"],
    "what shares too little is out, and ranks are those of the pool that is left",
  );
  t.strictSame(places(rank("cl1", "red kite", context, { semantic_min: 0.85 })), ["1.2", "2.1", "3.1", "1.1", "3.2"]);
  t.strictSame(places(rank("cl1", "submarine", context)), ["3.2", "1.2", "1.3"], "no words: meaning alone");
});

t.test("the numbers of the paper", async (t) => {
  const { lexical_min, semantic_min, fusion_offset, rows_max } = armOf("cl1").parameters;
  t.strictSame([lexical_min, semantic_min, fusion_offset, rows_max], [0.05, 0.75, 60, 32_768]);
  t.equal(armOf("dense").parameters.rows_max, 32_768);
  t.equal(armOf("nobackbone").backbone, undefined);
  for (const id of ["cl1", "cs1", "r", "breadth"]) t.ok(armOf(id).backbone, id);
  for (const id of ["cl1", "nobackbone", "dense", "cs1", "r", "breadth"]) t.strictSame(armOf(id).needs, ["semantic"]);
  for (const id of ["bm25", "full", "full-untrimmed"]) t.equal(armOf(id).needs, undefined);
});

t.test("dense: everything, by meaning; ties in order of the history", async (t) => {
  const context = contextOf(MADE, 0, { cosine: given(0, 0.5, -0.2, 0.5, 1, -1, 0, 0.9) });
  t.strictSame(places(rank("dense", "red kite", context)), ["2.2", "3.3", "1.2", "2.1", "1.1", "3.2", "1.3", "3.1"]);
  t.throws(() => rank("dense", "red", context, { rows_max: 7 }), { code: "E_LIMIT" });
  const twice = contextOf(history("h", talk(null, "Yes.\nYes.", "Yes.")), 0, { bytesMax: 5, cosine: () => 0 });
  t.strictSame(places(rank("dense", "?", twice)), ["1.1", "1.2"], "a text repeated in a turn once");
});

t.test("full-untrimmed: all of it, or nothing is prepared", async (t) => {
  const size = "blue kitea red kitestoneredseakitesandwind".length;
  t.strictSame(places(rank("full-untrimmed", "", contextOf(MADE, size))), ["2.1+2.2", "3.1+3.2+3.3", "1.1+1.2+1.3"]);
  t.throws(() => rank("full-untrimmed", "", contextOf(MADE, size - 1)), {
    code: "E_BUDGET",
    at: "q",
    found: `${size} tokens`,
  });
});

t.test("breadth: in turn from strata of time, for summaries and orders of events alone", async (t) => {
  const context = contextOf(MADE, 1000, { cosine: given(0.9, 0.8, 0.7, 0.6, 0.95, 0.5, 0.65, 0.55) });
  const plain = "Who was there?";
  const cl1 = places(rank("cl1", plain, context));
  t.strictSame(cl1, ["2.2", "1.1", "3.2", "1.2", "1.3", "2.1", "3.3", "3.1"]);
  t.strictSame(places(rank("breadth", plain, context)), cl1);
  const summary = "Summary, please";
  t.strictSame(
    places(rank("breadth", summary, context)),
    ["2.2", "3.2", "1.1", "2.1", "3.3", "1.2", "3.1", "1.3"],
    "a stratum a session: the second is the oldest",
  );
  t.strictSame(
    places(rank("breadth", summary, context, { strata: 2 })),
    ["2.2", "1.1", "3.2", "1.2", "2.1", "1.3", "3.3", "3.1"],
    "of three sessions two in the older stratum",
  );
  t.strictSame(places(rank("breadth", summary, context, { strata: 1 })), cl1);
});

/** No backbone, so that the orders of candidates show. */
const BARE = { baseline_share: 0, backbone_share: 0 };

t.test("cs1: what cl1 chose, then the rest of its turn, then the turns beside it, by hand", async (t) => {
  const made = history("h", talk(null, "ee"), talk(null, "ff", "aa bb. kite", "cc", "dd"), talk(null, "gg"));
  const context = contextOf(made, 1000, { bytesMax: 7, cosine: () => -1 });
  const cs1 = (changed: object) =>
    rank("cs1", "kite", context, { ...BARE, ...changed }).map((group) =>
      group.map(({ session, turn, start, end }) => `${session}.${turn}:${start}-${end}`).join("+"),
    );
  t.strictSame(cs1({}), ["2.2:7-11", "2.2:0-7", "2.3:0-2"]);
  t.strictSame(cs1({ completion_share: 0.008 }), ["2.2:7-11", "2.2:0-7"], "8 tokens: 7, and 2 do not fit");
  t.strictSame(cs1({ completion_share: 0.002 }), ["2.2:7-11", "2.3:0-2"], "2 tokens: the first is skipped whole");
  t.strictSame(cs1({ completion_share: 0 }), ["2.2:7-11"]);
  const edges = contextOf(history("h", talk(null, "aa"), talk(null, "kite"), talk(null, "bb")), 1000, {
    cosine: () => -1,
  });
  t.strictSame(places(rank("cs1", "kite", edges, BARE)), ["2.1"], "never out of the session");
});

t.test("r: word by word, the rarer first, by hand", async (t) => {
  const nothing = { ...BARE, lexical_min: 2, coverage_word_share: 1, coverage_share: 1 };
  const context = contextOf(MADE, 1000, { cosine: () => -1 });
  const r = (question: string, changed: object = {}) =>
    places(rank("r", question, context, { ...nothing, ...changed }));
  // red is in 1.2 and 2.1, kite in 1.2, 3.1 and 1.1; each by BM25.
  t.strictSame(r("red kite"), [], "no list, no exclusion, no name");
  t.strictSame(r("List red kite"), ["1.2", "2.1", "3.1", "1.1"]);
  t.strictSame(r("List red kite", { coverage_depth: 2 }), ["1.2", "2.1", "3.1"]);
  t.strictSame(r("List red kite", { coverage_word_share: 0.25 }), ["1.2", "2.1"], "kite is in three of eight");
  t.strictSame(r("List red kite", { coverage_share: 0.014 }), ["1.2", "2.1"], "of 14 tokens 10 and 3; 4 do not fit");
  const said = [turn("Ada", "blue kite"), turn("Bo", "a red kite"), turn("Ada", "stone")];
  const named = contextOf(history("h", session(null, null, ...said)), 1000, { cosine: () => -1 });
  t.strictSame(places(rank("r", "Has Bo no kite", named, nothing)), ["1.2", "1.1"], "what a named person said first");
  t.strictSame(places(rank("r", "List kite", named, nothing)), ["1.1", "1.2"], "BM25 otherwise");
});

/** Bounds wide enough for histories of a few words, and a pool that does not take in all that matches. */
const ROOMY = { lexical_min: 0.95, completion_share: 0.2, coverage_share: 0.3, coverage_word_share: 1 };

/** The packet of an arm, as preparation assembles it. */
function packet(arm: string, question: string, context: ArmContext, headerTokens: number): Assembly {
  const { backbone, renderer } = armOf(arm);
  const parameters = { ...armOf(arm).parameters, ...ROOMY };
  const when = renderer === "session-lines-once-1" ? ({ header_when: "session-first" } as const) : {};
  const price: Price = (before, spans, seen) => {
    const headed = headersBefore(when, before, spans, seen);
    return spans.reduce((sum, { start, end }, i) => sum + end - start + (headed[i] ? headerTokens : 0), 0);
  };
  const assembly = new Assembly(context.ceilingTokens, price);
  const { baseline, added } = backbone?.(asked("h", "q", question), context, parameters) ?? { baseline: [], added: [] };
  assembly.offer([...baseline, ...added]);
  assembly.offer(rank(arm, question, context, ROOMY));
  return assembly;
}

const cosines = fc.array(fc.constantFrom(-1, 0, 0.3, 0.5, 0.8, 1), { minLength: 7, maxLength: 7 });
const QUESTIONS = ["a Zoë 1", "List all 2024, not 漢字かな", "zoë", "what?"];

t.test("cs1 keeps every span of cl1, r every span of cs1", async (t) => {
  const counts = { completed: 0, covered: 0, bounded: 0 };
  fc.assert(
    fc.property(
      histories(6),
      fc.nat(300),
      cosines,
      fc.constantFrom(...QUESTIONS),
      (made: History, ceiling, list, question) => {
        const context = contextOf(made, ceiling, {
          bytesMax: 8,
          headerTokens: 10,
          cosine: (_, index) => list[index % list.length]!,
        });
        const [cl1, cs1, r] = ["cl1", "cs1", "r"].map((arm) => packet(arm, question, context, 10));
        const beginning = (longer: Assembly, shorter: Assembly, spans: number): boolean =>
          JSON.stringify(longer.spans.slice(0, spans)) === JSON.stringify(shorter.spans.slice(0, spans));
        if (!beginning(cs1!, cl1!, cl1!.spans.length)) throw new Error("cs1 lost a span of cl1");
        if (!beginning(r!, cs1!, cs1!.spans.length)) throw new Error("r lost a span of cs1");
        const size = (spans: readonly Span[]) => spans.reduce((sum, { start, end }) => sum + end - start, 0);
        const added = size(cs1!.spans) - size(cl1!.spans);
        const covered = size(r!.spans) - size(cs1!.spans);
        if (added > ceiling * 0.2 || covered > ceiling * 0.3) throw new Error("over its bound");
        if (cs1!.spans.length > cl1!.spans.length) counts.completed += 1;
        if (r!.spans.length > cs1!.spans.length) counts.covered += 1;
        if (cl1!.skipped > 0) counts.bounded += 1;
      },
    ),
    { seed: SEED, numRuns: 1500 },
  );
  t.ok(counts.completed > 300 && counts.bounded > 300 && counts.covered > 8, JSON.stringify(counts));
});

t.test("breadth has the candidates of cl1, each once", async () => {
  fc.assert(
    fc.property(histories(4), cosines, (made, list) => {
      const context = contextOf(made, 500, { bytesMax: 8, cosine: (_, index) => list[index % list.length]! });
      const sorted = (groups: readonly (readonly Span[])[]) => groups.map((group) => JSON.stringify(group)).sort();
      const question = "summary of 2024 a";
      return (
        JSON.stringify(sorted(rank("breadth", question, context))) ===
        JSON.stringify(sorted(rank("cl1", question, context)))
      );
    }),
    { seed: SEED, numRuns: 300 },
  );
});

t.test("under fixed scores, a segment that was not admitted might as well not be there: dense", async (t) => {
  let dropped = 0;
  fc.assert(
    fc.property(histories(6), fc.nat(120), cosines, (made, ceiling, list) => {
      const context = contextOf(made, ceiling, { bytesMax: 8, cosine: (_, index) => list[index % list.length]! });
      const all = packet("dense", "?", context, 10);
      const key = ({ session, turn, start }: Span) => `${session}.${turn}.${start}`;
      const admitted = new Set(all.spans.map(key));
      const rows = context.rows.filter((index) => admitted.has(key(context.segments[index]!)));
      dropped += context.rows.length - rows.length;
      const fewer = packet("dense", "?", { ...context, rows }, 10);
      return JSON.stringify(fewer.spans) === JSON.stringify(all.spans);
    }),
    { seed: SEED, numRuns: 500 },
  );
  t.ok(dropped > 500, `${dropped} segments left out`);
});
