import fc from "fast-check";
import t from "tap";
import type { History } from "../../../lib/dataset/types.js";
import { preparationProtocol } from "../../../lib/evidence/prepare.js";
import { RENDERER, renderEvidence, renderHeader, renderSpan } from "../../../lib/evidence/render.js";
import { type Span, segmentHistory } from "../../../lib/evidence/segment.js";
import { tokenizerOf } from "../../../lib/evidence/tokens.js";
import { isDocument } from "../../../schemas/index.js";
import { asked, datasetOf, histories, history, SEED, session, span, turn } from "./histories.js";

const small = history(
  "h",
  session(
    "4:10 pm on 26 October, 2023",
    null,
    turn("Zoë", "Hi 👋 all.\nBye."),
    turn("Bo", "{{text}} $&", "a red kite", "two"),
  ),
  session(null, null, turn("Bo", "No date."), turn("Zoë", " "), turn("Zoë", "Last.", "a door")),
);

const render = (...spans: Span[]) => renderEvidence(small, spans, RENDERER);

t.test("known output", async (t) => {
  t.equal(render(), "");
  t.equal(
    render(span(1, 1, 0, 17), span(1, 2, 0, 11), span(2, 1, 0, 8), span(2, 3, 0, 5)),
    "[Session 1 | 4:10 pm on 26 October, 2023]\n" +
      "(1.1) Zoë: Hi 👋 all.\nBye.\n" +
      "(1.2) Bo: {{text}} $&\n" +
      "(1.2) [image: a red kite]\n" +
      "(1.2) [image: two]\n" +
      "[Session 2 | date not recorded]\n" +
      "(2.1) Bo: No date.\n" +
      "(2.3) Zoë: Last.\n" +
      "(2.3) [image: a door]\n",
  );
});

t.test("a range stands with what is only a part of its turn", async (t) => {
  t.equal(renderSpan(small, span(1, 1, 0, 17), RENDERER), "(1.1) Zoë: Hi 👋 all.\nBye.\n");
  t.equal(renderSpan(small, span(1, 1, 0, 13), RENDERER), "(1.1:0-13) Zoë: Hi 👋 all.\n\n");
  t.equal(renderSpan(small, span(1, 1, 13, 17), RENDERER), "(1.1:13-17) Zoë: Bye.\n");
  t.equal(renderSpan(small, span(1, 1, 3, 7), RENDERER), "(1.1:3-7) Zoë: 👋\n", "offsets are bytes");
});

t.test("captions stand with the beginning of their turn", async (t) => {
  t.equal(
    renderSpan(small, span(1, 2, 0, 5), RENDERER),
    "(1.2:0-5) Bo: {{tex\n(1.2) [image: a red kite]\n(1.2) [image: two]\n",
  );
  t.equal(renderSpan(small, span(1, 2, 5, 11), RENDERER), "(1.2:5-11) Bo: t}} $&\n");
});

t.test("a header stands where the session changes", async (t) => {
  const first = "[Session 1 | 4:10 pm on 26 October, 2023]\n";
  const second = "[Session 2 | date not recorded]\n";
  t.equal(renderHeader(small, 1, RENDERER), first);
  t.equal(renderHeader(small, 2, RENDERER), second);
  t.equal(
    render(span(2, 1, 0, 8), span(1, 1, 13, 17), span(1, 1, 0, 2), span(2, 3, 0, 5), span(2, 1, 0, 2)),
    `${second}(2.1) Bo: No date.\n${first}(1.1:13-17) Zoë: Bye.\n(1.1:0-2) Zoë: Hi\n` +
      `${second}(2.3) Zoë: Last.\n(2.3) [image: a door]\n(2.1:0-2) Bo: No\n`,
  );
  const dated = history("h", session("", null, turn("A", "x")));
  t.equal(renderHeader(dated, 1, RENDERER), "[Session 1 | ]\n", "an empty date is the dataset's own word");
});

t.test("a span that is not in the history gives nothing", async (t) => {
  const outside = [
    span(0, 1, 0, 1),
    span(3, 1, 0, 1),
    span(1, 0, 0, 1),
    span(1, 3, 0, 1),
    span(1, 1, 0, 18),
    span(1, 1, 5, 5),
    span(1, 1, 7, 3),
    span(1, 1, -4, 17),
    span(1, 1, 0, 4),
    span(1, 1, 5, 17),
  ];
  for (const bad of outside) {
    const at = JSON.stringify(bad);
    t.equal(renderSpan(small, bad, RENDERER), undefined, at);
    t.equal(render(bad), undefined, at);
    t.equal(render(span(1, 2, 0, 11), bad), undefined, at);
  }
});

t.test("the templates are the protocol's", async (t) => {
  const other = {
    ...RENDERER,
    session_header: ["<", { slot: "date" }, ">\n"],
    turn_line: [{ slot: "speaker" }, "=", { slot: "text" }, ";"],
    caption_line: ["{", { slot: "text" }, "}"],
    date_missing: "?",
  };
  t.equal(renderEvidence(small, [span(2, 3, 0, 5)], other), "<?>\nZoë=Last.;{a door}");
  const protocol = preparationProtocol(datasetOf([small], [asked("h", "q", "?")]), {
    arm: "full",
    tokenizer: "o200k_base",
    ceilingTokens: 1,
  });
  t.equal(protocol.renderer, RENDERER);
  t.ok(isDocument("preparation-protocol", protocol));
});

/** Spans of a history as an arm might choose them: any segments, in any order. */
const chosen: fc.Arbitrary<[History, Span[]]> = fc
  .tuple(histories(8), fc.constantFrom(3, 10, 1200))
  .chain(([made, max]) => fc.tuple(fc.constant(made), fc.shuffledSubarray(segmentHistory(made, max))));

t.test("adding a span only adds text, in pieces whose tokens add up", async (t) => {
  const { count } = tokenizerOf("o200k_base");
  let longest = 0;
  fc.assert(
    fc.property(chosen, ([made, spans]) => {
      longest = Math.max(longest, spans.length);
      let before = "";
      let tokens = 0;
      for (const [index, next] of spans.entries()) {
        const evidence = renderEvidence(made, spans.slice(0, index + 1), RENDERER)!;
        if (!evidence.startsWith(before)) throw new Error("the beginning changed");
        const added = evidence.slice(before.length);
        const line = renderSpan(made, next, RENDERER)!;
        const header = added.slice(0, added.length - line.length);
        const changed = next.session !== spans[index - 1]?.session;
        if (header + line !== added) throw new Error("the lines are not at the end");
        if (header !== (changed ? renderHeader(made, next.session, RENDERER) : "")) throw new Error("the header");
        if (!/^[[(]/.test(line) || !line.endsWith("\n")) throw new Error("a piece without its ends");
        tokens += count(header) + count(line);
        if (count(evidence) !== tokens) throw new Error("tokens do not add up");
        before = evidence;
      }
    }),
    { seed: SEED, numRuns: 400 },
  );
  t.ok(longest > 20, `up to ${longest} spans`);
});
