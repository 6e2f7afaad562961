// A report as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for the tools that show findings beside files.
// No time and no path of a machine stands in it: the same report gives the same bytes.
import type { CheckReport, Report } from "../../schemas/index.js";
import { EXIT, REASONS, type ReasonCode, type Severity } from "../finding.js";

/** What of a report SARIF speaks of; reports on a lane and on one question's proof both have it. */
export interface SarifSubject {
  readonly tool: Report["tool"];
  readonly checks: readonly CheckReport[];
  readonly exit_code: number;
}

type Finding = Extract<CheckReport, { outcome: "failed" }>["findings"][number];

/** Severities that a verdict can have, and how loud each is: what is proved wrong is an error, what could not be judged a warning. */
const LEVELS: Partial<Record<Severity, "error" | "warning">> = {
  failed: "error",
  malformed: "error",
  policy: "error",
  unsupported: "warning",
  limit: "warning",
  inconclusive: "warning",
  io: "warning",
};

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** What relative places are relative to. It has no URI: where a lane lies is no part of what was found. */
const BASE = "LANE";

const RULES = (Object.keys(REASONS) as ReasonCode[]).filter((code) => LEVELS[REASONS[code].severity] !== undefined);

/**
 * One run: a rule for each reason code that a verdict can rest on, a result for each finding, a notification for each check
 * that could not be run and for findings that were counted only.
 * @param properties facts of the report that SARIF has no place of its own for
 */
export function sarifLog({ tool, checks, exit_code }: SarifSubject, properties: object): object {
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: tool.name, version: tool.version, semanticVersion: tool.version, rules: RULES.map(rule) },
        },
        originalUriBaseIds: { [BASE]: { description: { text: "The lane's folder, or the root of its archive." } } },
        columnKind: "unicodeCodePoints",
        invocations: [
          {
            executionSuccessful: exit_code !== EXIT.io,
            exitCode: exit_code,
            toolExecutionNotifications: checks.flatMap(notifications),
          },
        ],
        results: checks.flatMap((check) =>
          check.outcome === "failed" ? check.findings.map((finding) => result(finding, check)) : [],
        ),
        properties,
      },
    ],
  };
}

function rule(code: ReasonCode): object {
  const { severity, meaning, next } = REASONS[code];
  return {
    id: code,
    shortDescription: { text: meaning },
    help: { text: `${next} See: sealane explain ${code}` },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { severity, exit_code: EXIT[severity] },
  };
}

function notifications(check: CheckReport): object[] {
  const note = (level: string, text: string) => ({ level, message: { text }, properties: { check: check.id } });
  switch (check.outcome) {
    case "not-run":
      return [note("warning", `${check.id} was not run: ${check.why}`)];
    case "not-asked":
      return [note("note", `${check.id} was not asked for`)];
    case "failed": {
      const { findings_total: total, findings } = check;
      return total > findings.length
        ? [note("note", `${check.id}: ${total} findings; the first ${findings.length} are listed`)]
        : [];
    }
    default:
      return [];
  }
}

function result(finding: Finding, check: CheckReport): object {
  const { code, at, question_id, expected, found, message } = finding;
  const severity = REASONS[code as ReasonCode].severity;
  const ruleIndex = RULES.indexOf(code as ReasonCode);
  const parts = [sentence(message)];
  if (expected !== undefined) parts.push(`Expected: ${expected}`);
  if (found !== undefined) parts.push(`Found: ${found}`);
  return {
    ruleId: code,
    ...(ruleIndex < 0 ? {} : { ruleIndex }),
    level: LEVELS[severity] ?? "error",
    message: { text: parts.join("\n") },
    locations: [locationOf(NAMED_BY_OTHERS.has(code) ? { path: at } : placeIn(at), at, question_id)],
    properties: {
      check: check.id,
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
    },
  };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Codes whose place is a file that the manifest does not name: its name may be anything, also what looks like a line's number. */
const NAMED_BY_OTHERS: ReadonlySet<string> = new Set(["E_FILE_EXTRA", "E_NOT_REGULAR"]);

interface Place {
  readonly path: string;
  readonly line?: string | undefined;
  readonly offset?: string | undefined;
  readonly pointer?: string | undefined;
}

/** A place as findings write it: a path, with a line (`answers.jsonl:17`), a pointer (`results.json#/questions`) or an offset (`lane.tar@512`). */
function placeIn(at: string): Place {
  const match = /^(?<path>.*?)(?::(?<line>[1-9]\d*))?(?:@(?<offset>\d+))?(?:#(?<pointer>(?:\/|extra).*))?$/su.exec(at);
  const { path = at, line, offset, pointer } = match?.groups ?? {};
  return { path, line, offset, pointer };
}

function locationOf({ path, line, offset, pointer }: Place, at: string, questionId: string | undefined): object {
  const region =
    line !== undefined
      ? { startLine: Number(line) }
      : offset !== undefined
        ? { byteOffset: Number(offset) }
        : undefined;
  const logical = [
    ...(questionId === undefined
      ? []
      : [{ name: questionId, fullyQualifiedName: `question/${questionId}`, kind: "question" }]),
    ...(pointer === undefined ? [] : [{ name: pointer, fullyQualifiedName: at, kind: "value" }]),
  ];
  return {
    physicalLocation: {
      artifactLocation: { uri: relativeUri(path), uriBaseId: BASE },
      ...(region === undefined ? {} : { region }),
    },
    ...(logical.length === 0 ? {} : { logicalLocations: logical }),
  };
}

/** A path as a relative URI reference (RFC 3986): each segment escaped, so that a colon or a blank in a name is no syntax. */
function relativeUri(path: string): string {
  return path
    .split("/")
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join("/");
}
