import t from "tap";
import { TimeLeft } from "../../../lib/report/time-left.js";

t.test("the rate is of what was done since the work was first told of", async (t) => {
  const left = new TimeLeft();
  // Start-up took a minute: it says nothing of the 99 things to do.
  t.equal(left.after(60_000, 1, 100), undefined);
  t.equal(left.after(60_900, 10, 100), undefined, "too little was done to tell");
  t.equal(left.after(61_000, 11, 100), "9 s", "10 things a second, 89 left");
  t.equal(left.after(70_000, 11, 100), "89 s", "a pause counts");
  t.equal(left.after(70_000, 100, 100), "0 s");
});

t.test("work that begins anew is measured anew", async (t) => {
  const left = new TimeLeft();
  left.after(0, 0, 10);
  t.equal(left.after(2000, 10, 10), "0 s");
  t.equal(left.after(2500, 0, 10), undefined);
  t.equal(left.after(4500, 5, 10), "2 s");
});

t.test("seconds, minutes, hours", async (t) => {
  for (const [total, text] of [
    [90, "89 s"],
    [91, "2 min"],
    [3601, "60 min"],
    [9001, "2.5 h"],
  ] as const) {
    const left = new TimeLeft();
    left.after(0, 0, total);
    t.equal(left.after(1000, 1, total), text);
  }
});
