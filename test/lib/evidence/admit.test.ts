import fc from "fast-check";
import t from "tap";
import { ADMISSION_ID, type Admission, admit, Coverage, mergeNeighbours } from "../../../lib/evidence/admit.js";
import type { Span } from "../../../lib/evidence/segment.js";
import { SEED, span } from "./histories.js";

/** A price that is easy to reckon: a token a byte, one more a span, ten more a session header. */
function price(before: number, spans: readonly Span[]): number {
  let session = before;
  let total = 0;
  for (const { session: next, start, end } of spans) {
    total += end - start + 1 + (next === session ? 0 : 10);
    session = next;
  }
  return total;
}

const admitted = (ceiling: number, ...groups: Span[][]): Admission => admit(groups, ceiling, price);

t.test("a group enters whole or not at all", async (t) => {
  const pair = [span(1, 1, 0, 5), span(1, 2, 0, 5)];
  t.strictSame(admitted(22, pair), { spans: pair, tokens: 22, skipped: 0 });
  t.strictSame(admitted(21, pair), { spans: [], tokens: 0, skipped: 1 }, "though one of the two would fit");
});

t.test("what does not fit is skipped, and a later, smaller group may fit", async (t) => {
  const groups = [[span(1, 1, 0, 5)], [span(1, 2, 0, 50)], [span(1, 3, 0, 4)], [span(1, 4, 0, 9)], [span(1, 5, 0, 3)]];
  t.strictSame(admitted(25, ...groups), {
    spans: [span(1, 1, 0, 5), span(1, 3, 0, 4), span(1, 5, 0, 3)],
    tokens: 25,
    skipped: 2,
  });
  t.strictSame(admitted(0, ...groups), { spans: [], tokens: 0, skipped: 5 });
  t.strictSame(admitted(100, ...groups).skipped, 0);
  t.strictSame(admitted(10), { spans: [], tokens: 0, skipped: 0 });
});

t.test("a header is paid for where the session changes", async (t) => {
  t.equal(admitted(99, [span(1, 1, 0, 1)], [span(1, 2, 0, 1)]).tokens, 14);
  t.equal(admitted(99, [span(1, 1, 0, 1)], [span(2, 1, 0, 1)]).tokens, 24);
  t.equal(admitted(99, [span(1, 1, 0, 1)], [span(2, 1, 0, 1)], [span(1, 2, 0, 1)]).tokens, 36);
  t.equal(
    admitted(20, [span(1, 1, 0, 1)], [span(2, 1, 0, 99)], [span(1, 2, 0, 1)]).tokens,
    14,
    "after the last admitted",
  );
});

t.test("what is there already is taken away from a group", async (t) => {
  t.strictSame(admitted(99, [span(1, 1, 2, 4)], [span(1, 1, 0, 9)]), {
    spans: [span(1, 1, 2, 4), span(1, 1, 0, 2), span(1, 1, 4, 9)],
    tokens: 13 + 3 + 6,
    skipped: 0,
  });
  t.strictSame(
    admitted(16, [span(1, 1, 2, 4)], [span(1, 1, 0, 4)]).spans,
    [span(1, 1, 2, 4), span(1, 1, 0, 2)],
    "and only the rest is paid for",
  );
  t.strictSame(admitted(14, [span(1, 1, 0, 3)], [span(1, 1, 0, 3)], [span(1, 1, 1, 2)]), {
    spans: [span(1, 1, 0, 3)],
    tokens: 14,
    skipped: 0,
  });
  t.strictSame(
    admitted(99, [span(1, 1, 0, 3)], [span(1, 2, 0, 3), span(2, 1, 0, 3)]).spans,
    [span(1, 1, 0, 3), span(1, 2, 0, 3), span(2, 1, 0, 3)],
    "the same range of another turn is other text",
  );
  t.strictSame(
    admitted(15, [span(1, 1, 0, 9)], [span(1, 1, 2, 4)]),
    { spans: [span(1, 1, 2, 4)], tokens: 13, skipped: 1 },
    "a group that was skipped covers nothing",
  );
});

t.test("neighbours in a group become one span", async (t) => {
  t.strictSame(admitted(99, [span(1, 1, 0, 3), span(1, 1, 3, 5), span(1, 1, 5, 6)]), {
    spans: [span(1, 1, 0, 6)],
    tokens: 17,
    skipped: 0,
  });
  t.strictSame(
    admitted(99, [span(1, 1, 3, 5), span(1, 1, 0, 3)]).spans,
    [span(1, 1, 3, 5), span(1, 1, 0, 3)],
    "in their order only",
  );
  t.strictSame(
    admitted(99, [span(1, 1, 0, 3)], [span(1, 1, 3, 5)]).spans,
    [span(1, 1, 0, 3), span(1, 1, 3, 5)],
    "not over groups: what was admitted stays as it is",
  );
  t.strictSame(
    admitted(99, [span(1, 1, 0, 3), span(1, 2, 3, 5)], [span(2, 1, 0, 3), span(3, 1, 3, 5)]).spans,
    [span(1, 1, 0, 3), span(1, 2, 3, 5), span(2, 1, 0, 3), span(3, 1, 3, 5)],
    "not over turns or sessions",
  );
  const segments = [
    { ...span(1, 1, 0, 1), text: "a" },
    { ...span(1, 1, 2, 3), text: "c" },
  ];
  t.strictSame(admitted(99, segments).spans, [span(1, 1, 0, 1), span(1, 1, 2, 3)], "a span holds no text");
  t.strictSame(mergeNeighbours([]), []);
});

t.test("an arm that offers a byte twice in one group is a broken arm", async (t) => {
  t.throws(() => admitted(99, [span(1, 1, 0, 3), span(1, 1, 2, 5)]), Error);
  t.throws(() => admitted(99, [span(1, 1, 0, 3), span(1, 2, 0, 3), span(1, 1, 0, 3)]), Error);
});

t.test("the rule has a name", async (t) => t.equal(ADMISSION_ID, "atomic-skip-1"));

const BYTES = 24;
const anySpan = fc
  .tuple(
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 2 }),
    fc.nat(BYTES - 1),
    fc.integer({ min: 1, max: 8 }),
  )
  .map(([session, turn, start, length]) => span(session, turn, start, Math.min(BYTES, start + length)));

/** Which bytes are covered, one by one. */
class Bitmap {
  readonly bytes = new Set<string>();
  static keys = ({ session, turn, start, end }: Span): string[] =>
    Array.from({ length: end - start }, (_, index) => `${session}.${turn}.${start + index}`);
  free = (span: Span): string[] => Bitmap.keys(span).filter((key) => !this.bytes.has(key));
  add = (span: Span): void => Bitmap.keys(span).forEach((key) => void this.bytes.add(key));

  /** The free parts of a span, each as long as can be. */
  parts({ session, turn, start, end }: Span): Span[] {
    const found: Span[] = [];
    for (let at = start; at < end; at += 1) {
      if (this.bytes.has(`${session}.${turn}.${at}`)) continue;
      const last = found.at(-1);
      if (last?.end === at) found[found.length - 1] = { ...last, end: at + 1 };
      else found.push(span(session, turn, at, at + 1));
    }
    return found;
  }
}

t.test("Coverage against a bitmap", async (t) => {
  const counts = { covered: 0, refused: 0, split: 0 };
  fc.assert(
    fc.property(fc.array(anySpan, { maxLength: 40, size: "max" }), (spans) => {
      const coverage = new Coverage();
      const bitmap = new Bitmap();
      for (const next of spans) {
        const parts = coverage.uncovered(next);
        const expected = bitmap.parts(next);
        if (JSON.stringify(parts) !== JSON.stringify(expected)) throw new Error("the free parts differ");
        if (parts.length > 1) counts.split += 1;
        const whole = bitmap.free(next).length === next.end - next.start;
        if (coverage.cover(next) !== whole) throw new Error("cover is wrong");
        counts[whole ? "covered" : "refused"] += 1;
        if (whole) bitmap.add(next);
        else if (JSON.stringify(coverage.uncovered(next)) !== JSON.stringify(expected)) {
          throw new Error("a refused span left a mark");
        }
      }
    }),
    { seed: SEED, numRuns: 1500 },
  );
  t.ok(Math.min(counts.covered, counts.refused, counts.split) > 500, JSON.stringify(counts));
});

/** Admission as its rule says, byte by byte. */
function naiveAdmit(groups: readonly (readonly Span[])[], ceiling: number): Admission {
  const bitmap = new Bitmap();
  const spans: Span[] = [];
  let skipped = 0;
  for (const group of groups) {
    const fresh: Span[] = [];
    for (const part of group.flatMap((offered) => bitmap.parts(offered))) {
      const last = fresh.at(-1);
      const touches = last?.session === part.session && last.turn === part.turn && last.end === part.start;
      if (touches) fresh[fresh.length - 1] = { ...last, end: part.end };
      else fresh.push(part);
    }
    if (fresh.length === 0) continue;
    if (price(0, [...spans, ...fresh]) > ceiling) {
      skipped += 1;
    } else {
      for (const part of fresh) bitmap.add(part);
      spans.push(...fresh);
    }
  }
  return { spans, tokens: price(0, spans), skipped };
}

/** Groups in which no byte stands twice; over groups they may overlap as they like. */
const groupsArbitrary = fc.array(
  fc.array(anySpan, { minLength: 1, maxLength: 4 }).map((spans) => {
    const bitmap = new Bitmap();
    return spans.filter((next) => {
      const free = bitmap.free(next).length === next.end - next.start;
      if (free) bitmap.add(next);
      return free;
    });
  }),
  { maxLength: 20, size: "max" },
);

t.test("admission against its rule, byte by byte", async (t) => {
  const counts = { skipped: 0, subtracted: 0 };
  fc.assert(
    fc.property(groupsArbitrary, fc.nat(200), (groups, ceiling) => {
      const result = admit(groups, ceiling, price);
      const expected = naiveAdmit(groups, ceiling);
      if (JSON.stringify(result) !== JSON.stringify(expected)) throw new Error("the packets differ");
      if (result.tokens > ceiling) throw new Error("over the ceiling");
      if (result.tokens !== price(0, result.spans)) throw new Error("the count is not true");
      const bytes = result.spans.flatMap(Bitmap.keys);
      if (new Set(bytes).size !== bytes.length) throw new Error("a byte twice");
      const offered = new Set(groups.flat().flatMap(Bitmap.keys));
      if (!bytes.every((byte) => offered.has(byte))) throw new Error("a byte that nobody offered");
      if (result.skipped > 0) counts.skipped += 1;
      if (groups.flat().flatMap(Bitmap.keys).length > bytes.length && result.skipped === 0) counts.subtracted += 1;
    }),
    { seed: SEED, numRuns: 3000 },
  );
  t.ok(Math.min(counts.skipped, counts.subtracted) > 100, JSON.stringify(counts));
});

t.test("a group that was skipped might as well not have been offered", async (t) => {
  let dropped = 0;
  fc.assert(
    fc.property(groupsArbitrary, fc.nat(120), (groups, ceiling) => {
      const result = admit(groups, ceiling, price);
      // A group was skipped when without it, and all after it, nothing is different.
      const kept = groups.filter((_, index) => {
        const upTo = admit(groups.slice(0, index + 1), ceiling, price);
        const before = admit(groups.slice(0, index), ceiling, price);
        return upTo.skipped === before.skipped;
      });
      dropped += groups.length - kept.length;
      const again = admit(kept, ceiling, price);
      return (
        again.skipped === 0 &&
        JSON.stringify(again.spans) === JSON.stringify(result.spans) &&
        again.tokens === result.tokens
      );
    }),
    { seed: SEED, numRuns: 500 },
  );
  t.ok(dropped > 500, `${dropped} groups left out`);
});
