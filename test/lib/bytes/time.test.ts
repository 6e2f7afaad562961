import fc from "fast-check";
import t from "tap";
import { isInstant } from "../../../lib/bytes/time.js";

t.test("what is no moment, or not in the one form", async (t) => {
  for (const text of [
    "",
    "2025-02-29T00:00:00.000Z",
    "1900-02-29T00:00:00.000Z",
    "2025-02-30T00:00:00.000Z",
    "2025-04-31T00:00:00.000Z",
    "2025-00-01T00:00:00.000Z",
    "2025-13-01T00:00:00.000Z",
    "2025-01-00T00:00:00.000Z",
    "2025-01-32T00:00:00.000Z",
    "2025-12-31T24:00:00.000Z",
    "2025-12-31T23:60:00.000Z",
    "2016-12-31T23:59:60.000Z",
    "10000-01-01T00:00:00.000Z",
    "+010000-01-01T00:00:00.000Z",
    "-000001-01-01T00:00:00.000Z",
    "2025-01-01T00:00:00Z",
    "2025-01-01T00:00:00.00Z",
    "2025-01-01T00:00:00.000000Z",
    "2025-01-01T00:00:00.000+00:00",
    "2025-01-01T00:00:00.000z",
    "2025-01-01t00:00:00.000Z",
    "2025-01-01 00:00:00.000Z",
    " 2025-01-01T00:00:00.000Z",
    "2025-01-01T00:00:00.000Z\n",
    "２025-01-01T00:00:00.000Z",
  ]) {
    t.notOk(isInstant(text), JSON.stringify(text));
  }
  for (const text of ["0000-01-01T00:00:00.000Z", "2000-02-29T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]) {
    t.ok(isInstant(text), text);
  }
});

const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

t.test("as the engine's own calendar has it", async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: FIRST, max: LAST }), (ms) => isInstant(new Date(ms).toISOString())),
    { numRuns: 2000 },
  );
  const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
  const year = fc.integer({ min: 0, max: 9999 }).map((value) => String(value).padStart(4, "0"));
  fc.assert(
    fc.property(year, two(13), two(32), two(24), two(60), two(61), (y, m, d, h, min, s) => {
      const text = `${y}-${m}-${d}T${h}:${min}:${s}.000Z`;
      const parsed = new Date(text);
      return isInstant(text) === (!Number.isNaN(parsed.getTime()) && parsed.toISOString() === text);
    }),
    { numRuns: 5000 },
  );
  t.pass();
});

t.test("texts stand in the order of their moments", async (t) => {
  const moment = fc.integer({ min: FIRST, max: LAST });
  fc.assert(fc.property(moment, moment, (a, b) => a < b === new Date(a).toISOString() < new Date(b).toISOString()));
  t.pass();
});
