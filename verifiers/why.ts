// Why a printed number is what it is: the checks under it are run, and their report is read from the number down.
import { readCompared } from "../lib/compare/diff.js";
import { partings } from "../lib/compare/partings.js";
import {
  declaredIn,
  figureApart,
  layersOf,
  type NumberName,
  numberNamed,
  numbersIn,
  numberText,
  publishedOf,
  rowsOf,
  WALKED_CHECKS,
} from "../lib/compare/why.js";
import { EXIT, type ReasonCode } from "../lib/finding.js";
import type { Input } from "../lib/io/input.js";
import type { LaneSource } from "../lib/io/source.js";
import { LANE_FILES, readDocument } from "../lib/records/documents.js";
import { TOOL } from "../lib/tool.js";
import type { NumberWalk, Why } from "../schemas/index.js";
import { gatherLane } from "./evidence.js";
import { checksOf } from "./only.js";
import { bySeverity, exitCodeOf } from "./verdict.js";
import { verifyLane } from "./verify.js";

export interface WhyQuestion {
  /** `endpoint/category` or `endpoint`; undefined: the lane's first. */
  readonly number: string | undefined;
  readonly dataset: Input | undefined;
  /** Told after each row how many of how many are done. */
  readonly onRow?: (done: number, total: number) => void;
}

/**
 * Walks a number of one lane and, where there is a second, says where the two part. Throws E_UNKNOWN for a number that
 * the lane does not have, and what its manifest can be refused for; with a second lane, what its records can be refused for.
 */
export function whyNumber(source: LaneSource, other: LaneSource | undefined, asked: WhyQuestion): Why {
  const number = numberNamed(numbersIn(source), asked.number);
  const walk = walkOf(source, number, asked);
  const against = other === undefined ? null : againstOf(source, other, walk, { ...asked, name: number });
  const limits = ["Who signed is not looked at here; that is for verify."];
  if (asked.dataset === undefined)
    limits.push("No dataset was given: that questions, spans and references are the dataset's own was not checked.");
  return {
    schema: "sealane-why/1",
    tool: TOOL,
    number,
    exit_code: walk.exit_code !== EXIT.ok ? walk.exit_code : (against?.walk.exit_code ?? EXIT.ok),
    walk,
    against,
    limits,
  };
}

function walkOf(source: LaneSource, number: NumberName, { dataset, onRow }: WhyQuestion): NumberWalk {
  const manifest = readDocument(source, "manifest", LANE_FILES.manifest);
  const declared = declaredIn(source);
  const report = verifyLane(gatherLane(source, dataset), { trust: undefined }, checksOf(WALKED_CHECKS), onRow);
  const made = rowsOf(source, number);
  const { recounted, zeros } = made;
  const apart = figureApart({ results: declared, manifest: manifest.value }, number, recounted);
  const layers = layersOf(report.checks, number, made, apart);
  const codes = layers.flatMap((layer) => layer.codes as ReasonCode[]);
  const gaps = layers.some(({ outcome }) => outcome === "not-judged");
  const { lane_id, lane_version } = manifest.value;
  return {
    lane: { lane_id, lane_version, manifest_sha256: manifest.sha256 },
    exit_code: exitCodeOf(bySeverity(codes), gaps),
    published: publishedOf(declared, number),
    recounted,
    zeros,
    layers,
    first_failing:
      (layers.find(({ outcome }) => outcome === "fails") ?? layers.find(({ outcome }) => outcome === "not-judged"))
        ?.layer ?? null,
  };
}

function againstOf(
  source: LaneSource,
  other: LaneSource,
  walk: NumberWalk,
  asked: WhyQuestion & { name: NumberName },
): NonNullable<Why["against"]> {
  const theirs = walkOf(other, numberNamed(numbersIn(other), numberText(asked.name)), asked);
  const mine = walk.recounted?.score_mean ?? null;
  const his = theirs.recounted?.score_mean ?? null;
  return {
    walk: theirs,
    ...partings(readCompared(source), readCompared(other), asked.name),
    mean_difference: mine === null || his === null ? null : mine - his,
  };
}
