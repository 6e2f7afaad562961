// The claims that a lane supports, each pointing at its rows, with the figures that they give now.
import type { Claims } from "../../schemas/index.js";
import { byCodeUnit } from "../bytes/order.js";
import { isBinary, type ScoredLane, type ScoredRow } from "../compare/scored.js";
import { Given } from "./given.js";
import { CLAIM_KINDS } from "./index.js";
import type { Figure } from "./kind.js";
import { parsePrinted, shownLike } from "./printed.js";

type Claim = Claims["claims"][number];

/** Digits as papers print them. */
const TWO_DIGITS = parsePrinted("0.00")!;

/** What is claimed of rows: of 0/1 scores a proportion with an interval, of others a mean. */
const BINARY: readonly (readonly [kind: string, fields: readonly string[]])[] = [
  ["proportion", ["k", "n", "percent"]],
  ["wilson", ["lower_points", "upper_points"]],
];
const GRADED: typeof BINARY = [["mean", ["n", "percent"]]];

function printedOf(figure: Figure, field: string): string | number {
  if (figure.type !== "number") throw new TypeError(`${field} is no number`);
  // Counts stand as counts.
  return figure.value.under === 1n ? Number(figure.value.over) : shownLike(figure.value, TWO_DIGITS);
}

function claimsOf({ name, endpoint }: ScoredLane, category: string | null, rows: readonly ScoredRow[]): Claim[] {
  const from = { lane: name, endpoint, ...(category === null ? {} : { category }) };
  const kinds = rows.every(({ score }) => isBinary(score)) ? BINARY : GRADED;
  return kinds.map(([id, fields]) => {
    const kind = CLAIM_KINDS.find((candidate) => candidate.id === id)!;
    const figures = kind.figures(new Given({ ...kind.fromRows?.(rows) }));
    const printed = Object.fromEntries(fields.map((field) => [field, printedOf(figures[field]!, field)]));
    return { id: `${endpoint}/${category ?? "all"}/${id}`, kind: id, from, printed };
  });
}

/** The claims of a lane over all of its endpoints and categories; no claim is made over no question. */
export function claimsTemplate(name: string, lanes: readonly ScoredLane[]): Claims {
  const claims = lanes.flatMap((lane) => {
    const categories = [...new Set(lane.rows.map(({ category }) => category))].sort(byCodeUnit);
    const parts: [string | null, readonly ScoredRow[]][] = [
      [null, lane.rows],
      ...categories.map((category): [string, readonly ScoredRow[]] => [
        category,
        lane.rows.filter((row) => row.category === category),
      ]),
    ];
    return parts.flatMap(([category, rows]) => (rows.length === 0 ? [] : claimsOf(lane, category, rows)));
  });
  return { schema: "sealane-claims/1", paper: name, claims };
}
