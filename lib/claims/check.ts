// Every printed figure of a claims file recomputed: first computed, then held against what is printed.
import type { Claims, ClaimsReport } from "../../schemas/index.js";
import { parseStrictJson } from "../bytes/json.js";
import { pairsOf, type ScoredLane, type ScoredRow, unpairable } from "../compare/scored.js";
import { EXIT } from "../finding.js";
import { checked } from "../records/documents.js";
import { Given } from "./given.js";
import { CLAIM_KINDS } from "./index.js";
import type { ClaimKind, Figure } from "./kind.js";
import { NotCheckable } from "./not-checkable.js";
import { parsePrinted, ruleOf, shownLike } from "./printed.js";
import { toDouble } from "./rational.js";

type Claim = Claims["claims"][number];
type CheckedClaim = ClaimsReport["claims"][number];
type CheckedFigure = CheckedClaim["figures"][number];
type LaneRows = Extract<NonNullable<Claim["from"]>, { lane: string }>;

/** Opens the rows that a claim points at; throws NotCheckable when there are none. */
export type LaneLookup = (lane: string, endpoint: string) => ScoredLane;

/** Bytes of a claims file. Throws E_UTF8, E_JSON, E_SCHEMA, E_VERSION, E_LIMIT. */
export function parseClaims(bytes: Uint8Array, at: string): Claims {
  return checked("claims", parseStrictJson(bytes, at), at);
}

function figureText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** One figure held against print; lists go item by item. */
function heldAgainst(field: string, figure: Figure, printed: unknown): CheckedFigure[] {
  if (figure.type === "list") {
    if (!Array.isArray(printed) || printed.length !== figure.items.length) {
      const recomputed = `${figure.items.length} items`;
      return [{ field, printed: figureText(printed), recomputed, value: null, confirmed: false, rule: null }];
    }
    return figure.items.flatMap((item, index) => heldAgainst(`${field}/${index}`, item, printed[index]));
  }
  const text = figureText(printed);
  if (figure.type === "word") {
    const confirmed = printed === figure.value;
    const rule = confirmed ? "same" : null;
    return [{ field, printed: text, recomputed: String(figure.value), value: null, confirmed, rule }];
  }
  const value = toDouble(figure.value);
  const parsed = typeof printed === "string" || typeof printed === "number" ? parsePrinted(text) : undefined;
  if (!parsed) throw new NotCheckable("not-recomputed", `'${field}' is printed as '${text}', which is no figure`);
  const rule = ruleOf(figure.value, parsed, figure.reach);
  const recomputed = parsed.relation === "=" ? shownLike(figure.value, parsed) : String(value);
  return [{ field, printed: text, recomputed, value, confirmed: rule !== null, rule }];
}

function rowsOf({ lane, endpoint, category }: LaneRows, lookup: LaneLookup): ScoredLane {
  const scored = lookup(lane, endpoint);
  const rows: readonly ScoredRow[] =
    category === undefined ? scored.rows : scored.rows.filter((row) => row.category === category);
  if (rows.length === 0) throw new NotCheckable("rows-missing", `${lane} has no question of '${category ?? ""}'`);
  return { ...scored, rows };
}

/** What a claim is given, counted from the rows where it points at some. */
function givenOf(claim: Claim, kind: ClaimKind, lookup: LaneLookup): Given {
  const { given = {}, from } = claim;
  if (from === undefined) return new Given(given);
  const counted = countedFrom(from, kind, lookup);
  const twice = Object.keys(counted).find((name) => Object.hasOwn(given, name));
  if (twice !== undefined) throw new NotCheckable("given-invalid", `'${twice}' is both typed and counted from rows`);
  return new Given({ ...given, ...counted });
}

function countedFrom(from: NonNullable<Claim["from"]>, kind: ClaimKind, lookup: LaneLookup): object {
  if ("lane" in from) {
    if (!kind.fromRows) throw new NotCheckable("given-invalid", `'${kind.id}' cannot be counted from one lane`);
    return kind.fromRows(rowsOf(from, lookup).rows);
  }
  if (!kind.fromPairs) throw new NotCheckable("given-invalid", `'${kind.id}' cannot be counted from pairs`);
  const [first, second] = [rowsOf(from.first, lookup), rowsOf(from.second, lookup)];
  const apart = unpairable(first, second);
  if (apart) throw new NotCheckable("populations-differ", `${apart.expected} on one side, ${apart.found} on the other`);
  return kind.fromPairs(pairsOf(first, second));
}

function figuresOf(claim: Claim, kind: ClaimKind, lookup: LaneLookup): CheckedFigure[] {
  const computed = kind.figures(givenOf(claim, kind, lookup));
  const printed = Object.entries(claim.printed);
  if (printed.length === 0) throw new NotCheckable("nothing-printed", "no figure is printed");
  return printed.flatMap(([field, text]) => {
    const figure = Object.hasOwn(computed, field) ? computed[field] : undefined;
    if (!figure) throw new NotCheckable("not-recomputed", `'${field}' does not follow from what is given`);
    return heldAgainst(field, figure, text);
  });
}

/** One claim. */
export function checkClaim(claim: Claim, lookup: LaneLookup): CheckedClaim {
  const kind = CLAIM_KINDS.find(({ id }) => id === claim.kind);
  const named = { id: claim.id, where: claim.where ?? null, kind: claim.kind, method: kind?.method ?? null };
  try {
    if (!kind) throw new NotCheckable("unknown-kind", `no kind '${claim.kind}' is known`);
    const figures = figuresOf(claim, kind, lookup);
    const outcome = figures.every(({ confirmed }) => confirmed) ? "confirmed" : "contradicted";
    return { ...named, outcome, figures, reason: null, why: null };
  } catch (error) {
    if (!(error instanceof NotCheckable)) throw error;
    return { ...named, outcome: "not-checkable", figures: [], reason: error.reason, why: error.message };
  }
}

/** Every claim of a file. Exit code: contradicted over not checkable over fine. */
export function checkClaims({ paper, claims }: Claims, lookup: LaneLookup): ClaimsReport {
  const results = claims.map((claim) => checkClaim(claim, lookup));
  const count = (outcome: CheckedClaim["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length;
  const [contradicted, not_checkable] = [count("contradicted"), count("not-checkable")];
  return {
    schema: "sealane-claims-report/1",
    paper,
    confirmed: count("confirmed"),
    contradicted,
    not_checkable,
    claims: results,
    exit_code: contradicted > 0 ? EXIT.failed : not_checkable > 0 ? EXIT.inconclusive : EXIT.ok,
  };
}
