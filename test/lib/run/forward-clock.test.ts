import t from "tap";
import { forwardClock } from "../../../lib/run/forward-clock.js";
import type { Call, DecisionRow } from "../../../lib/run/ledger.js";

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const ticking = (...seconds: number[]) => ({ now: () => at(seconds.shift() ?? 9) });

function ledger(calls: [started: number, ended: number | null][], decisions: number[] = []) {
  return {
    calls: () =>
      calls.map(([started, ended]) => ({ started: at(started), ended: ended === null ? null : at(ended) }) as Call),
    decisions: () => decisions.map((second) => ({ time: at(second) }) as DecisionRow),
  };
}

t.test("a clock that goes on is left alone", async (t) => {
  const clock = forwardClock(ticking(3, 4, 4, 6), ledger([[1, 2]], [2]));
  t.strictSame([clock.now(), clock.now(), clock.now(), clock.now()], [3, 4, 4, 6].map(at));
});

t.test("one that is set back stands still until it has caught up", async (t) => {
  const clock = forwardClock(ticking(5, 2, 4, 7), ledger([]));
  t.strictSame([clock.now(), clock.now(), clock.now(), clock.now()], [5, 5, 5, 7].map(at));
});

t.test("nor does it go behind what the ledger holds", async (t) => {
  t.equal(forwardClock(ticking(1), ledger([[2, 6]])).now(), at(6), "an end");
  t.equal(forwardClock(ticking(1), ledger([[5, null]])).now(), at(5), "the start of a call that never ended");
  t.equal(forwardClock(ticking(1), ledger([[2, 3]], [8, 4])).now(), at(8), "a decision");
  t.equal(forwardClock(ticking(9), ledger([[2, 3]], [8])).now(), at(9));
});
