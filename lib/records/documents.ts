// The files of a lane and what stands in each; reading records and documents out of any source.
import {
  type DocumentKind,
  type Documents,
  documentProblem,
  documentVersion,
  isDocument,
  type TreeName,
} from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson, parseCanonicalJson } from "../bytes/json.js";
import { unescapeCanonical } from "../bytes/json-string.js";
import { LIMITS } from "../bytes/limits.js";
import { isUtf8 } from "../bytes/text.js";
import { SealaneError } from "../finding.js";
import { LineReader } from "../io/lines.js";
import { type LaneSource, readWhole } from "../io/source.js";

/** Files whose place and meaning is the same in every lane. */
export const LANE_FILES = {
  manifest: "manifest.json",
  envelope: "manifest.dsse.json",
  population: "population.jsonl",
  turns: "turns.jsonl",
  packets: "packets.jsonl",
  requests: "requests.jsonl",
  bodies: "bodies/requests.jsonl",
  receipts: "receipts/reader.jsonl",
  answers: "answers.jsonl",
  references: "evaluator/references.jsonl",
  preparation: "protocols/preparation.json",
  reader: "protocols/reader.json",
  results: "results.json",
  amendments: "amendments.jsonl",
} as const;

export const gradesPath = (endpoint: string): string => `evaluator/${endpoint}/grades.jsonl`;
export const endpointProtocolPath = (endpoint: string): string => `protocols/${endpoint}.json`;
export const checkpointPath = (tree: TreeName): string => `checkpoints/${tree}`;

/** Kinds of the documents that are one JSON value a file. */
export type WholeKind =
  | "manifest"
  | "envelope"
  | "preparation-protocol"
  | "reader-protocol"
  | "token-f1-protocol"
  | "results"
  | "run";

/**
 * Checks a parsed value against its kind. The version comes first: a document of a version this release does not know
 * is told apart (E_VERSION) from one of a wrong shape (E_SCHEMA), with a path outside the grammar (E_PATH) or with a threshold
 * that is none (E_THRESHOLD_CFG).
 */
export function checked<K extends DocumentKind>(kind: K, value: unknown, at: string): Documents[K] {
  if (isDocument(kind, value)) return value;
  const expected = documentVersion(kind);
  const found = (value as { schema?: unknown } | null)?.schema;
  if (expected !== undefined && typeof found === "string" && found !== expected) {
    const family = expected.slice(0, expected.indexOf("/") + 1);
    if (found.startsWith(family)) {
      throw new SealaneError("E_VERSION", `${at} is of a version this release does not know`, { at, expected, found });
    }
  }
  const problem = documentProblem(kind, value) ?? "";
  throw new SealaneError(codeOf(kind, problem), `${at}: ${problem}`, { at });
}

function codeOf(kind: DocumentKind, problem: string): "E_PATH" | "E_THRESHOLD_CFG" | "E_SCHEMA" {
  if (/^\/files\/\d+\/path /.test(problem)) return "E_PATH";
  return kind === "trust" && /\/threshold |'threshold'/.test(problem) ? "E_THRESHOLD_CFG" : "E_SCHEMA";
}

/** Bytes of a canonical document as its type. Throws E_UTF8, E_JSON, E_JSON_CANON, E_SCHEMA, E_VERSION, E_LIMIT. */
export function parseDocument<K extends WholeKind>(kind: K, bytes: Uint8Array, at: string): Documents[K] {
  return checked(kind, parseCanonicalJson(bytes, at), at);
}

export interface Whole<T> {
  readonly value: T;
  readonly sha256: string;
}

/** Reads one canonical document out of a source, with the digest of its bytes. */
export function readDocument<K extends WholeKind>(source: LaneSource, kind: K, path: string): Whole<Documents[K]> {
  const bytes = readWhole(source, path, LIMITS.documentBytesMax);
  return { value: parseDocument(kind, bytes, path), sha256: sha256Hex(bytes) };
}

/** A record with its place and the digest of its canonical text, by which other records name it. */
export interface Located<T> {
  readonly value: T;
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** SHA-256 of a record as it stands in its file, line feed excluded. */
export function recordSha256(record: object): string {
  return sha256Hex(canonicalJson(record));
}

/** How one line of a record file becomes a record; throws E_UTF8, E_JSON, E_JSON_CANON, E_SCHEMA, E_LIMIT. */
export type LineParser<T> = (bytes: Uint8Array, at: string) => T;

/** Lines of a kind: canonical JSON, of its schema. */
export function recordParser<K extends DocumentKind>(kind: K): LineParser<Documents[K]> {
  return (bytes, at) => checked(kind, parseCanonicalJson(bytes, at), at);
}

/** A request body as the bytes it is. */
export interface Body {
  readonly question_id: string;
  readonly body: Buffer;
}

const BODY_START = Buffer.from('{"body":"');
const BODY_END = /^","question_id":"([A-Za-z0-9._/-]+)"\}$/;

/**
 * A line of bodies/requests.jsonl in its one canonical form, the body unescaped as bytes in one pass; undefined for whatever
 * is not of that form. The question's id is not held against its schema.
 * @param out where the body goes, when it is to stand in memory of the caller's: as long as the line at least
 */
export function scanBody(bytes: Uint8Array, out?: Buffer): Body | undefined {
  if (!isUtf8(bytes) || !BODY_START.equals(bytes.subarray(0, BODY_START.length))) return undefined;
  const body = unescapeCanonical(bytes, BODY_START.length, bytes.length, out);
  const end = body && BODY_END.exec(Buffer.from(bytes.subarray(body.stopped)).toString("latin1"));
  return body && end ? { question_id: end[1]!, body: body.text } : undefined;
}

/** Whether an id that `scanBody` found may stand in a body record. */
export function isBodyId(questionId: string): boolean {
  return isDocument("body-record", { question_id: questionId, body: "" });
}

/** Lines of bodies/requests.jsonl: what recordParser("body-record") makes of them, the body as bytes, in one pass. */
export const bodyParser: LineParser<Body> = (bytes, at) => {
  const scanned = scanBody(bytes);
  if (scanned && isBodyId(scanned.question_id)) return scanned;
  // Whatever is not of that one form is judged by the rule for all records, which also says what is wrong.
  const { question_id, body } = recordParser("body-record")(bytes, at);
  return { question_id, body: Buffer.from(body) };
};

/** Reads the records of one file in order, each checked for canonical form and shape as it is read. */
export class RecordReader<T> {
  readonly path: string;
  readonly #parse: LineParser<T>;
  readonly #lines: LineReader;
  readonly #close: () => void;

  /** @param reuse whether a record's bytes may be overwritten once the next is asked for */
  constructor(source: LaneSource, path: string, parse: LineParser<T>, reuse = false) {
    this.path = path;
    this.#parse = parse;
    const file = source.open(path);
    this.#lines = new LineReader(file, path, reuse);
    this.#close = () => file.close();
  }

  /** The next record, or undefined at the end. Throws what the parser throws, at `path:line`. */
  next(): Located<T> | undefined {
    const bytes = this.#lines.next();
    if (bytes === undefined) return undefined;
    const line = this.#lines.line;
    return { value: this.#parse(bytes, `${this.path}:${line}`), line, bytes };
  }

  *[Symbol.iterator](): Generator<Located<T>> {
    for (let record = this.next(); record; record = this.next()) yield record;
  }

  /** Length and digest of the whole file, what was not read included; the file is closed. */
  finish(): { bytes: number; sha256: string } {
    const result = this.#lines.finish();
    this.#close();
    return result;
  }
}
