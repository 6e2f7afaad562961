import t from "tap";
import { median, summary } from "../../../lib/statistics/describe.js";

t.test("summaries, as numpy.percentile interpolates", async (t) => {
  t.strictSame(summary([4, 1, 3, 2]), { n: 4, mean: 2.5, median: 2.5, p95: 3.8499999999999996, max: 4 });
  t.strictSame(summary([7]), { n: 1, mean: 7, median: 7, p95: 7, max: 7 });
  t.equal(summary([]), null, "of nothing there is no zero");
  t.equal(median([]), 0);
  t.equal(median([10, 9]), 9.5, "numbers are ordered as numbers");
});
