import fc from "fast-check";
import t from "tap";
import { sha256Hex } from "../../../lib/bytes/digest.js";
import { LSA_PARAMETERS, LsaIndex } from "../../../lib/embedding/lsa.js";
import type { Passage } from "../../../lib/embedding/types.js";
import { stem } from "../../../lib/text/porter.js";
import { words } from "../../../lib/text/words.js";

const SEED = 20260906;

const inOneSession = (...texts: string[]): Passage[] => texts.map((text) => ({ session: 1, text }));
const apart = (...texts: string[]): Passage[] => texts.map((text, index) => ({ session: index + 1, text }));

/** Plain cosines of weighted stem counts, worked out with maps: what LSA gives when it leaves nothing out. */
function plainCosines(texts: readonly string[], query: string): number[] {
  const bags = [...texts, query].map((text) => {
    const bag = new Map<string, number>();
    for (const word of words(text)) bag.set(stem(word), (bag.get(stem(word)) ?? 0) + 1);
    return bag;
  });
  const weight = (word: string, count: number): number => {
    const df = bags.slice(0, texts.length).filter((bag) => bag.has(word)).length;
    return df === 0 ? 0 : (1 + Math.log(count)) * Math.log(1 + texts.length / df) ** 1.5;
  };
  const product = (a: Map<string, number>, b: Map<string, number>): number =>
    [...a].reduce(
      (sum, [word, count]) => sum + weight(word, count) * weight(word, b.get(word) ?? 1) * Number(b.has(word)),
      0,
    );
  const asked = bags.pop()!;
  return bags.map((bag) => {
    const length = Math.sqrt(product(bag, bag) * product(asked, asked));
    return length === 0 ? 0 : product(bag, asked) / length;
  });
}

const TEXTS = [
  "Ana\nWe sailed to the island in the old boat.",
  "Ben\nWas the sailing rough? My boat leaks.",
  "Ana\nA storm came up near the lighthouse!",
  "Ben\nI baked bread and lemon cakes today.",
  "Ana\nThe cake smelled of lemons — délicieux 🍋.",
  "Ben\nשלום, the bread is שלך.",
];

t.test("with room for every dimension and no neighbours it is the plain cosine of weighted words", async (t) => {
  const word = fc.constantFrom("boat", "boats", "sailing", "storm", "lemon", "cake", "bread", "baked", "island", "é");
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((list) => list.join(" "));
  await fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), fc.nat(11), (texts, pick) => {
      const index = new LsaIndex(apart(...texts), LSA_PARAMETERS);
      const query = texts[pick % texts.length]!;
      const cosines = index.cosines(query);
      for (const [at, expected] of plainCosines(texts, query).entries()) {
        if (Math.abs(cosines[at]! - expected) > 1e-5) return false;
      }
      return true;
    }),
    { seed: SEED },
  );
  t.pass();
});

t.test("words that keep the same company are near, though they never meet", async (t) => {
  const texts = [
    ...Array.from({ length: 6 }, (_, n) => `the car engine wheel road number${n}`),
    ...Array.from({ length: 6 }, (_, n) => `the automobile engine wheel road item${n}`),
    ...Array.from({ length: 6 }, (_, n) => `a soup spoon kitchen salt dish${n}`),
  ];
  const cosines = new LsaIndex(apart(...texts), { ...LSA_PARAMETERS, dimensions: 2 }).cosines("car");
  for (let at = 6; at < 12; at += 1) t.ok(cosines[at]! > 0.95, `the other word for it: ${cosines[at]}`);
  for (let at = 12; at < 18; at += 1) t.ok(Math.abs(cosines[at]!) < 0.1, `something else: ${cosines[at]}`);
});

t.test("a passage is mixed with its neighbours of the same session, two away at most", async (t) => {
  const filler = ["one", "two", "three", "four", "five"];
  const query = "petrel";
  const together = new LsaIndex(inOneSession("petrel", ...filler), LSA_PARAMETERS).cosines(query);
  t.ok(together[1]! > 0.3 && together[2]! > 0.1 && together[1]! > together[2]!);
  t.ok(Math.abs(together[3]!) < 1e-6);
  const parted = new LsaIndex(apart("petrel", ...filler), LSA_PARAMETERS).cosines(query);
  for (let at = 1; at < parted.length; at += 1) t.ok(Math.abs(parted[at]!) < 1e-6);
});

t.test("every cosine is finite and within its bounds, whatever the text", async (t) => {
  await fc.assert(
    fc.property(
      fc.array(
        fc.record({ session: fc.integer({ min: 1, max: 3 }), text: fc.string({ unit: "binary", maxLength: 30 }) }),
        {
          maxLength: 20,
        },
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
      (passages, query) => {
        const cosines = new LsaIndex(passages, LSA_PARAMETERS).cosines(query);
        return cosines.length === passages.length && cosines.every((cosine) => cosine >= -1 && cosine <= 1);
      },
    ),
    { seed: SEED },
  );
  t.pass();
});

t.test("where there is nothing to compare the cosine is nought", async (t) => {
  t.strictSame([...new LsaIndex([], LSA_PARAMETERS).cosines("boat")], []);
  t.strictSame([...new LsaIndex(apart("!", "—"), LSA_PARAMETERS).cosines("boat")], [0, 0]);
  t.strictSame([...new LsaIndex(apart(...TEXTS), LSA_PARAMETERS).cosines("zeppelin ?")], [0, 0, 0, 0, 0, 0]);
  const one = new LsaIndex(apart("boat boat"), LSA_PARAMETERS).cosines("boats");
  t.ok(Math.abs(one[0]! - 1) < 1e-6);
});

t.test("the vectors are the same bytes everywhere", async (t) => {
  const index = new LsaIndex(inOneSession(...TEXTS), { ...LSA_PARAMETERS, dimensions: 3 });
  t.equal(index.dimensions, 3);
  t.equal(index.vectors.length, 18);
  const bytes = Buffer.alloc(18 * 4);
  for (const [at, value] of index.vectors.entries()) bytes.writeFloatLE(value, at * 4);
  const cosines = [...index.cosines("Which cakes did Ben bake?")].map(String).join(" ");
  t.equal(sha256Hex(bytes), "61d8079b00a884ae4d9f9a281ed9839456681e5e8d3301bead48f88da5ce113d");
  t.equal(sha256Hex(cosines), "e70a729baa46bae74d3a2458bdf2452072d17426068339e1ccb9de42bcb94593");
});
