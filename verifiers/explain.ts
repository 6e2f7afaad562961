// Reason codes and checks in words: what each means, how it is come by, and what it leaves of a printed number.
import { EXIT, REASONS, type ReasonCode, SealaneError, type Severity } from "../lib/finding.js";
import type { Check } from "./check.js";
import { CHECKS } from "./checks/index.js";

export interface ExplainedCode {
  readonly code: ReasonCode;
  readonly meaning: string;
  readonly next: string;
  readonly severity: Severity;
  readonly exit_code: number;
  /** The check that raises it in a lane; null when none does. */
  readonly check: { readonly id: string; readonly title: string; readonly how: string } | null;
  /** What it means for a printed number. */
  readonly number: string;
  /** A line as a user meets it. */
  readonly example: string;
}

export interface ExplainedCheck {
  readonly id: string;
  readonly title: string;
  readonly how: string;
  readonly number: string;
  readonly codes: readonly ReasonCode[];
}

export interface CodeGroup {
  readonly id: string;
  readonly title: string;
  readonly codes: readonly ReasonCode[];
}

/** Codes that no check of a lane raises, by where they come from; what stands nowhere is of commands. */
const ELSEWHERE: readonly CodeGroup[] = [
  { id: "archives", title: "Opening an archive", codes: ["E_TAR_BYTES", "E_ZIP_BYTES", "E_GZIP", "E_FORMAT"] },
  { id: "proofs", title: "The proof of one question", codes: ["E_PROOF", "E_INCLUSION"] },
  {
    id: "keys",
    title: "Keys and trust files",
    codes: ["E_KEY", "E_KEY_WEAK", "E_KEYTYPE", "E_PASSPHRASE", "E_ROOT_CHAIN", "E_ROLE_OVERLAP", "E_THRESHOLD_CFG"],
  },
];

const OF_ROWS =
  "The score of the question named cannot be relied on. verify prints the range in which each number must lie: such a question is counted once as wholly wrong and once as wholly right.";
const OF_FILES =
  "Checks that rest on what is named are not run, and a number counted from it may be anything. A changed results.json touches only what is published: the rows still give the figure.";

/** By check or group. A check that is not among them is taken to speak of rows. */
const NUMBER: Readonly<Record<string, string>> = {
  signatures: "The rows may well give the number, but nothing shows that its author published it.",
  history: "The number may be right for this version, but another version of the lane may say something else.",
  anchors: "The rows may well give the number; nothing shows when it was signed, or who else saw it.",
  files: OF_FILES,
  documents: OF_FILES,
  protocols: OF_FILES,
  population:
    "Its denominator may not be the declared one. verify counts questions that are known to be missing once as wholly wrong and once as wholly right.",
  dataset: "It may be about other questions than those of the dataset you hold.",
  trees: "The rows and their totals stand; proofs of single questions do not.",
  checkpoints: "The rows and their totals stand; proofs of single questions do not.",
  results: "The published figure is not the one that the rows give. The recounted one stands.",
  amendments: "The rows and their totals stand; what was decided about broken-off calls cannot be followed.",
  archives: "The archive was not looked into: nothing is known of its numbers.",
  proofs: "The lane's numbers are not touched; nothing is shown of this one question.",
  keys: "It says nothing of a number; until it is settled, nobody vouches for one.",
  commands: "It says nothing of a number: it is about a command, or a run that is not sealed yet.",
};

/** A place as findings of a check name it. */
const PLACES: Readonly<Record<string, string>> = {
  signatures: "manifest.dsse.json",
  history: "manifest.json",
  anchors: "lane.tsr",
  files: "answers.jsonl",
  documents: "packets.jsonl:17",
  population: "population.jsonl:17, question conv-26/16",
  dataset: "manifest.json#/dataset",
  packets: "packets.jsonl:17, question conv-26/16",
  tokens: "packets.jsonl:17, question conv-26/16",
  requests: "bodies/requests.jsonl:17, question conv-26/16",
  receipts: "receipts/reader.jsonl:17, question conv-26/16",
  answers: "answers.jsonl:17, question conv-26/16",
  references: "evaluator/references.jsonl:17, question conv-26/16",
  grades: "evaluator/token-f1/grades.jsonl:17, question conv-26/16",
  trees: "manifest.json#/trees/item",
  checkpoints: "checkpoints/item",
  results: "results.json#/endpoints/0/overall/score_total",
  amendments: "amendments.jsonl:1",
  archives: "lane.tar@512",
};

/** Every code, by the check that raises it in the order of the report, then by where else it comes from. */
export function codeGroups(checks: readonly Check[] = CHECKS): CodeGroup[] {
  const groups: CodeGroup[] = [...checks.map(({ id, title, emits }) => ({ id, title, codes: emits })), ...ELSEWHERE];
  const grouped = new Set(groups.flatMap(({ codes }) => codes));
  const rest = (Object.keys(REASONS) as ReasonCode[]).filter((code) => !grouped.has(code));
  return [...groups, { id: "commands", title: "Making a lane, and commands", codes: rest }];
}

const numberOf = (id: string): string => NUMBER[id] ?? OF_ROWS;

/** @throws nothing: every code stands in a group */
export function explainCode(code: ReasonCode): ExplainedCode {
  const { meaning, next, severity } = REASONS[code];
  const group = codeGroups().find(({ codes }) => codes.includes(code))!;
  const check = CHECKS.find(({ id }) => id === group.id);
  const place = PLACES[group.id] ?? (check ? "manifest.json" : undefined);
  return {
    code,
    meaning,
    next,
    severity,
    exit_code: EXIT[severity],
    check: check ? { id: check.id, title: check.title, how: check.how } : null,
    number: numberOf(group.id),
    example: place === undefined ? `${code}: ${meaning}` : `${code} at ${place}`,
  };
}

export function explainCheck({ id, title, how, emits }: Check): ExplainedCheck {
  return { id, title, how, number: numberOf(id), codes: emits };
}

/** A code, in capitals or not, or a check by its id. Throws E_UNKNOWN. */
export function explain(name: string): ExplainedCode | ExplainedCheck {
  const check = CHECKS.find(({ id }) => id === name);
  if (check) return explainCheck(check);
  const code = name.toUpperCase();
  if (Object.hasOwn(REASONS, code)) return explainCode(code as ReasonCode);
  throw new SealaneError("E_UNKNOWN", `'${name}' is neither a reason code nor a check`, {
    expected: `a code such as E_GRADE, or one of ${CHECKS.map(({ id }) => id).join(", ")}`,
    found: name,
    next: "List them all with: sealane explain",
  });
}
