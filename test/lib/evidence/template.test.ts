import fc from "fast-check";
import t from "tap";
import { fill } from "../../../lib/evidence/template.js";
import { SEED, texts } from "./histories.js";

t.test("literals and values in order", async (t) => {
  t.equal(fill([], {}), "");
  t.equal(fill(["a", { slot: "x" }, "b", { slot: "y" }, { slot: "x" }], { x: "1", y: "2", z: "3" }), "a1b21");
  t.equal(fill([{ slot: "x" }], { x: "" }), "", "an empty value is a value");
});

t.test("text that looks like a slot stays what it is", async (t) => {
  const looks = ["$&", "$1", "$$", "$`", "{{x}}", "{{context}}", "$\u007bx}", "%s", "{0}", '{"slot":"x"}', "\\n", "x"];
  for (const value of looks) {
    t.equal(fill(["<", { slot: "x" }, ">"], { x: value }), `<${value}>`, value);
    t.equal(fill([value, { slot: "x" }, value], { x: "1" }), `${value}1${value}`, `${value} as a literal`);
    t.equal(fill([{ slot: "x" }, { slot: "y" }], { x: value, y: value }), value + value);
  }
  fc.assert(
    fc.property(
      texts(5),
      texts(5),
      (x, y) => fill(["(", { slot: "x" }, ":", { slot: "y" }], { x, y }) === `(${x}:${y}`,
    ),
    { seed: SEED, numRuns: 500 },
  );
});

t.test("a slot without a value", async (t) => {
  for (const slot of ["y", "X", "toString", "constructor", "__proto__"]) {
    t.throws(() => fill(["a", { slot }], { x: "1" }), RangeError, slot);
  }
  const inherited = Object.create({ x: "1" }) as Record<string, string>;
  t.throws(() => fill([{ slot: "x" }], inherited), RangeError, "a value that is inherited is none");
  t.throws(() => fill([{ slot: "x" }], { x: undefined } as unknown as Record<string, string>), RangeError);
});
