import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { checkClaim, checkClaims, type LaneLookup, parseClaims } from "../../../lib/claims/check.js";
import { CLAIM_KINDS } from "../../../lib/claims/index.js";
import { NotCheckable } from "../../../lib/claims/not-checkable.js";
import { parsePrinted, ruleOf, shownLike } from "../../../lib/claims/printed.js";
import { ofDouble, rational, toDouble } from "../../../lib/claims/rational.js";
import { claimsTemplate } from "../../../lib/claims/template.js";
import type { ScoredLane } from "../../../lib/compare/scored.js";
import { SealaneError } from "../../../lib/finding.js";
import type { Claims } from "../../../schemas/index.js";
import { repositoryFile, shared } from "../../support/shared.js";

type Claim = Claims["claims"][number];

const NO_LANE: LaneLookup = (lane) => {
  throw new NotCheckable("lane-missing", lane);
};
const check = (kind: string, given: object, printed: object) =>
  checkClaim({ id: "c", kind, given: given as Claim["given"] & object, printed: printed as Claim["printed"] }, NO_LANE);
const outcome = (kind: string, given: object, printed: object): string => {
  const { outcome, reason } = check(kind, given, printed);
  return reason ?? outcome;
};

/** Every claim that differs from `claim` in one printed digit, flag or verdict, by the place of the change. */
function* changed(claim: Claim): Generator<{ place: string; claim: Claim; digit: boolean }> {
  function* values(value: unknown): Generator<[string, unknown, boolean]> {
    if (typeof value === "boolean") yield ["flag", !value, false];
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        for (const [place, other, digit] of values(item)) yield [`${index}/${place}`, value.with(index, other), digit];
      }
    } else {
      const text = String(value);
      if (!/\d/.test(text)) yield ["word", `${text}!`, false];
      for (const { index, 0: digit } of text.matchAll(/\d/g)) {
        for (let other = 0; other < 10; other += 1) {
          if (String(other) === digit) continue;
          const put = text.slice(0, index) + other + text.slice(index + 1);
          yield [String(index), typeof value === "number" ? Number(put) : put, true];
        }
      }
    }
  }
  for (const [field, value] of Object.entries(claim.printed)) {
    for (const [place, other, digit] of values(value)) {
      yield { place: `${field}/${place}`, claim: { ...claim, printed: { ...claim.printed, [field]: other } }, digit };
    }
  }
}

const { path, skip } = shared("data/claims");
const published = ["memstrata", "dreambench-swe"].map((name) => ({
  name,
  read: () => parseClaims(readFileSync(`${path}/${name}.json`), name),
}));

t.test("the 239 printed figures of two papers are confirmed", { skip }, async (t) => {
  let total = 0;
  for (const { name, read } of published) {
    const report = checkClaims(read(), NO_LANE);
    total += report.confirmed;
    t.match(report, { contradicted: 0, not_checkable: 0, exit_code: 0 }, name);
  }
  t.equal(total, 239);
});

t.test("one changed digit in any of them is contradicted", { skip }, async (t) => {
  /** What the rounding of both sides of a difference leaves open is no contradiction: the next digit or two. */
  const OPEN = new Set(["difference-of-rounded", "mean-of-equal-groups"]);
  let mutations = 0;
  for (const { read } of published) {
    for (const claim of read().claims) {
      const contradictedAt = new Set<string>();
      const places = new Set<string>();
      for (const { place, claim: other } of changed(claim)) {
        mutations += 1;
        places.add(place);
        const { outcome, figures } = checkClaim(other, NO_LANE);
        if (outcome === "contradicted") contradictedAt.add(place);
        const open =
          OPEN.has(claim.kind) &&
          figures.every(({ rule }) => rule === "given-rounded" || rule === "nearest" || rule === "same");
        if (outcome !== "contradicted" && !open) t.fail(`${claim.id} at ${place}: ${JSON.stringify(other.printed)}`);
      }
      t.strictSame(contradictedAt, places, claim.id);
    }
  }
  t.ok(mutations > 5000, String(mutations));
});

t.test("our own example, with every kind, is confirmed whole", async (t) => {
  const claims = parseClaims(readFileSync(repositoryFile("fixtures/claims/every-kind.json")), "every-kind.json");
  const report = checkClaims(claims, NO_LANE);
  for (const { id, outcome, why } of report.claims) t.equal(outcome, "confirmed", `${id} ${why ?? ""}`);
  t.strictSame(
    [...new Set(claims.claims.map(({ kind }) => kind))].sort(),
    CLAIM_KINDS.map(({ id }) => id).sort(),
    "a kind without an example",
  );
  for (const claim of claims.claims) {
    const contradicted = [...changed(claim)].filter(
      ({ claim: other }) => checkClaim(other, NO_LANE).outcome === "contradicted",
    );
    t.ok(contradicted.length > 0, `${claim.id}: a changed figure is seen`);
  }
});

t.test("kinds are named once and say how they work", async (t) => {
  t.equal(new Set(CLAIM_KINDS.map(({ id }) => id)).size, CLAIM_KINDS.length);
  for (const { id, method, given, printed } of CLAIM_KINDS) t.ok(method && given && printed, id);
  const page = readFileSync(repositoryFile("docs/statistics.md"), "utf8");
  for (const { id } of CLAIM_KINDS) t.ok(page.includes(`\`${id}\``), `docs/statistics.md has ${id}`);
});

t.test("both rules of rounding are accepted, and told apart", async (t) => {
  const rules = (over: number, under: number, printed: string) => ruleOf(rational(over, under), parsePrinted(printed)!);
  t.equal(rules(1, 8, "0.13"), "half-up");
  t.equal(rules(1, 8, "0.12"), "half-even");
  t.equal(rules(3, 8, "0.38"), "nearest", "both round up here");
  t.equal(rules(3, 8, "0.37"), null);
  t.equal(rules(1, 8, "0.125"), "same");
  t.equal(rules(1, 3, "0.333"), "nearest");
  t.equal(rules(1, 3, "0.334"), null, "rounding up always is no rule");
  t.equal(rules(-1, 8, "-0.13"), "half-up", "away from zero");
  t.equal(rules(-1, 8, "−0.12"), "half-even");
  t.equal(rules(1, 1000, "<0.01"), "inequality");
  t.equal(rules(1, 100, "<0.01"), null);
  t.equal(rules(2, 10_000, "<0.001"), "inequality");
  t.equal(rules(2, 10_000, "<0.05"), "inequality", "a usual level");
  t.equal(rules(2, 10_000, "<0.002"), null, "true, but not what those digits say");
  t.equal(rules(15, 10_000, "<0.002"), "inequality", "the next bound that its digits have");
  t.equal(rules(15, 10_000, "<1.001"), null);
  t.equal(rules(1, 10_000, "<0.000"), null);
  t.equal(rules(6, 10, ">0.05"), "inequality");
  t.equal(rules(6, 10, ">0.04"), null);
  t.equal(rules(1, 100, "≤0.01"), "inequality");
  t.equal(rules(1, 100, ">0.001"), "inequality");
  t.equal(rules(49, 1000000, "4.9e-05"), "same");
  t.equal(rules(495, 10000000, "4.9e-05"), null);
  for (const text of ["", "x", "1.2.3", "0x10", ".5", "1.", "1 2", "1e9999", "NaN"])
    t.equal(parsePrinted(text), undefined, text);
});

t.test("a double is the very fraction it is, and is shown like print", async () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
      fc.integer({ min: 0, max: 12 }),
      (value, digits) => {
        const exact = ofDouble(value);
        const printed = parsePrinted(`0.${"0".repeat(digits)}1`)!;
        const shown = shownLike(exact, printed);
        const same = toDouble(exact) === value || Object.is(value, -0);
        const rule = ruleOf(exact, parsePrinted(shown)!);
        return same && (rule === "nearest" || rule === "half-even" || rule === "same");
      },
    ),
  );
});

t.test("why a claim cannot be checked", async (t) => {
  t.equal(outcome("no-such-kind", {}, { p: "1" }), "unknown-kind");
  t.equal(outcome("proportion", { k: 1 }, { percent: "50" }), "given-incomplete");
  t.equal(outcome("proportion", { k: 1.5, n: 2 }, { percent: "50" }), "given-invalid");
  t.equal(outcome("proportion", { k: 3, n: 2 }, { percent: "150" }), "given-invalid");
  t.equal(outcome("proportion", { k: -1, n: 2 }, { percent: "-50" }), "given-invalid");
  t.equal(outcome("proportion", { k: 0, n: 0 }, { percent: "0" }), "undefined");
  t.equal(outcome("proportion", { k: 1, n: 2 }, {}), "nothing-printed");
  t.equal(outcome("proportion", { k: 1, n: 2 }, { share: "0.5" }), "not-recomputed");
  t.equal(outcome("proportion", { k: 1, n: 2 }, { toString: "0.5" }), "not-recomputed");
  t.equal(outcome("proportion", { k: 1, n: 2 }, { percent: "half" }), "not-recomputed");
  t.equal(outcome("proportion", { k: 1, n: 2 }, { percent: null }), "not-recomputed");
  t.equal(outcome("proportion", { k: 1, n: 1e15 }, { percent: "0" }), "beyond-limit");
  t.equal(outcome("cluster-normal", { means: [0.5] }, { lower: "0.5" }), "undefined", "one cluster");
  t.equal(
    outcome("cluster-bootstrap", { totals: [1], counts: [1], seed: "1", draws: 10 }, { lower: "1" }),
    "undefined",
  );
  t.equal(outcome("sign-test-threshold", { n: 5, alpha: 0.05 }, { wins: 5 }), "undefined");
  t.equal(
    outcome("paired-table", { both: 1, neither: 1, first_only: 1, second_only: 1, n: 5 }, { net: 0 }),
    "given-invalid",
  );
  t.equal(outcome("holm", { p: ["0.5"], alpha: 0.05, unavailable: [3] }, { adjusted: ["0.5"] }), "given-invalid");
  t.equal(
    outcome("holm", { p: ["0.01", "0.02"], alpha: 0.05 }, { adjusted: ["0.02"] }),
    "contradicted",
    "a slot was dropped",
  );
});

t.test("a contradicted claim is told with the recomputed figure", async (t) => {
  const { outcome, figures } = check("proportion", { k: 463, n: 500 }, { percent: "92.7" });
  t.equal(outcome, "contradicted");
  t.strictSame(figures, [
    { field: "percent", printed: "92.7", recomputed: "92.6", value: 92.6, confirmed: false, rule: null },
  ]);
});

t.test("exit codes: contradicted over not checkable over fine", async (t) => {
  const good: Claim = { id: "a", kind: "sum", given: { parts: [1, 2] }, printed: { total: 3 } };
  const bad: Claim = { ...good, id: "b", printed: { total: 4 } };
  const open: Claim = { ...good, id: "c", kind: "other" };
  const code = (...claims: Claim[]): number => checkClaims({ paper: "p", claims }, NO_LANE).exit_code;
  t.strictSame([code(good), code(good, open), code(open, bad, good)], [0, 6, 1]);
});

t.test("files that are no claims are refused", async (t) => {
  const refused = (text: string): string => {
    try {
      parseClaims(Buffer.from(text), "claims.json");
      return "taken";
    } catch (error) {
      return error instanceof SealaneError ? error.code : String(error);
    }
  };
  t.equal(refused("{"), "E_JSON");
  t.equal(refused('{"paper":"p","claims":[]}'), "E_SCHEMA");
  t.equal(refused('{"schema":"sealane-claims/2","paper":"p","claims":[]}'), "E_VERSION");
  t.equal(refused('{"paper":"p","claims":[{"id":"a","kind":"sum","given":{},"printed":{},"more":1}]}'), "E_SCHEMA");
});

const scored = (
  name: string,
  scores: readonly number[],
  change: Partial<ScoredLane["rows"][number]> = {},
): ScoredLane => ({
  name,
  endpoint: "judge",
  protocolSha256: null,
  rows: scores.map((score, index) => ({
    questionId: `q${index}`,
    historyId: `h${index % 3}`,
    category: index % 2 === 0 ? "even" : "odd",
    score,
    graded: true,
    identity: `i${index}`,
    ...change,
  })),
});

t.test("claims that point into lanes", async (t) => {
  const lanes = [
    scored("a", [1, 1, 1, 0, 1, 1]),
    scored("b", [1, 0, 0, 0, 1, 0]),
    scored("c", [0.5, 0.25, 1, 0, 0, 1]),
    scored("d", [1, 0, 0, 0, 1, 0], { identity: "another" }),
  ];
  const lookup: LaneLookup = (lane) => lanes.find(({ name }) => name === lane) ?? NO_LANE(lane, "judge");
  const rows = (lane: string, category?: string) => ({
    lane,
    endpoint: "judge",
    ...(category === undefined ? {} : { category }),
  });
  const got = (kind: string, from: object, printed: object, given: object = {}): string => {
    const claim = { id: "c", kind, given, from, printed } as unknown as Claim;
    const { outcome, reason } = checkClaim(claim, lookup);
    return reason ?? outcome;
  };
  const pair = { first: rows("a"), second: rows("b") };
  t.equal(got("proportion", rows("a"), { k: 5, n: 6, percent: "83.33" }), "confirmed");
  t.equal(got("proportion", rows("a", "odd"), { k: 2, n: 3 }), "confirmed");
  t.equal(got("proportion", rows("a"), { k: 4 }), "contradicted");
  t.equal(got("proportion", rows("c"), { k: 4 }), "scores-not-binary");
  t.equal(got("mean", rows("c"), { percent: "45.83", n: 6 }), "confirmed");
  t.equal(got("mcnemar-exact", pair, { p: "0.250", discordant: 3 }), "confirmed");
  t.equal(got("gains-losses", pair, { net: 3, after: 5 }), "confirmed");
  t.equal(got("transitions", { first: rows("b"), second: rows("a") }, { source: 5 }), "confirmed");
  t.equal(got("sign-flip", pair, { statistic: 3, clusters: 2, p: "0.5" }), "confirmed");
  t.equal(
    got("noninferiority-tango", pair, { verdict: "non-inferior" }, { margin_points: 30, one_sided_level: 0.95 }),
    "confirmed",
  );
  t.equal(got("proportion", rows("e"), { k: 4 }), "lane-missing");
  t.equal(got("proportion", rows("a", "none"), { k: 4 }), "rows-missing");
  t.equal(got("mcnemar-exact", { first: rows("a"), second: rows("d") }, { p: "1" }), "populations-differ");
  t.equal(got("mcnemar-exact", { first: rows("a", "odd"), second: rows("b") }, { p: "1" }), "populations-differ");
  t.equal(got("mcnemar-exact", rows("a"), { p: "1" }), "given-invalid", "one lane has no pairs");
  t.equal(got("sum", rows("a"), { total: 1 }), "given-invalid");
  t.equal(got("proportion", rows("a"), { k: 5 }, { k: 5 }), "given-invalid", "typed and counted");
});

t.test("the template of a lane confirms itself, and sees a changed score", async (t) => {
  for (const lane of [scored("a", [1, 1, 1, 0, 1, 1]), scored("c", [0.5, 0.25, 1, 0, 0, 1])]) {
    const template = claimsTemplate(lane.name, [lane]);
    const again = parseClaims(Buffer.from(JSON.stringify(template)), "template");
    t.match(
      checkClaims(again, () => lane),
      { contradicted: 0, not_checkable: 0 },
    );
    const other = { ...lane, rows: lane.rows.map((row, index) => (index === 2 ? { ...row, score: 0 } : row)) };
    t.ok(checkClaims(again, () => other).contradicted > 0);
  }
});
