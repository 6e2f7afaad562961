import { execFileSync } from "node:child_process";
import fc from "fast-check";
import t from "tap";
import { byCodeUnit } from "../../../lib/bytes/order.js";

t.test("order by UTF-16 code units", async (t) => {
  t.equal(byCodeUnit("a", "b"), -1);
  t.equal(byCodeUnit("b", "a"), 1);
  t.equal(byCodeUnit("a", "a"), 0);
  t.equal(byCodeUnit("", "a"), -1);
  t.same(
    ["b", "é", "😀", "a", "Z", "\ufb33", "z", "10", "9", "", "e\u0301", "_", "a.b", "a", "A"].sort(byCodeUnit),
    ["", "10", "9", "A", "Z", "_", "a", "a", "a.b", "b", "e\u0301", "z", "é", "😀", "\ufb33"],
    "capitals first, digits as text, no normalisation, surrogates before U+FB33",
  );
  t.not(byCodeUnit("é", "e\u0301"), 0, "what looks alike is not equal");
});

t.test("for ASCII it is the order of bytes", async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), fc.string({ unit: "binary-ascii" }), (a, b) => {
      return byCodeUnit(a, b) === Buffer.compare(Buffer.from(a), Buffer.from(b));
    }),
    { seed: 16, numRuns: 2000 },
  );
  t.pass();
});

t.test("whatever the locale", async (t) => {
  const script = `
    const { byCodeUnit } = await import(${JSON.stringify(new URL("../../../lib/bytes/order.js", import.meta.url).href)});
    const { canonicalJson } = await import(${JSON.stringify(new URL("../../../lib/bytes/json.js", import.meta.url).href)});
    const words = ["z", "ä", "a", "I", "ı", "i", "ch", "cz", "B", "ö", "o", "ll", "lz"];
    console.log(JSON.stringify({
      locale: [...words].sort((a, b) => a.localeCompare(b)),
      sorted: words.sort(byCodeUnit),
      canonical: canonicalJson(Object.fromEntries(words.map((word) => [word, 1.5]))),
    }));`;
  const outputs = ["C", "sv_SE.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "cs_CZ.UTF-8"].map((locale) => {
    const env = { ...process.env, LC_ALL: locale, LANG: locale, TZ: "Asia/Kathmandu" };
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" });
    return JSON.parse(output) as { locale: string[]; sorted: string[]; canonical: string };
  });
  if (process.platform === "linux") {
    t.ok(new Set(outputs.map(({ locale }) => locale.join())).size > 1, "localeCompare would differ");
  }
  for (const { sorted, canonical } of outputs) {
    t.same(sorted, ["B", "I", "a", "ch", "cz", "i", "ll", "lz", "o", "z", "ä", "ö", "ı"]);
    t.equal(canonical, `{${sorted.map((word) => `"${word}":1.5`).join()}}`);
  }
});
