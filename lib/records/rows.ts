// All records of one question side by side: the files of a lane read in one pass, line by line, in bounded memory.
import type {
  AnswerRecord,
  BodyRecord,
  DocumentKind,
  Documents,
  GradeRecord,
  PacketRecord,
  PopulationRecord,
  ReceiptRecord,
  ReferenceRecord,
  RequestRecord,
} from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import type { LaneSource } from "../io/source.js";
import { gradesPath, LANE_FILES, type Located, RecordReader } from "./documents.js";

/** What stands at one line of every record file; undefined where a file has ended or could not be read on. */
export interface LaneRow {
  /** Zero-based. */
  readonly index: number;
  readonly question: Located<PopulationRecord> | undefined;
  readonly packet: Located<PacketRecord> | undefined;
  readonly request: Located<RequestRecord> | undefined;
  readonly body: Located<BodyRecord> | undefined;
  readonly receipt: Located<ReceiptRecord> | undefined;
  readonly answer: Located<AnswerRecord> | undefined;
  readonly reference: Located<ReferenceRecord> | undefined;
  /** By endpoint. */
  readonly grades: ReadonlyMap<string, Located<GradeRecord>>;
}

/** What the one pass found out about a file. */
export interface FileSeen {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Why reading stopped before the end; hashing went on. */
  readonly error: SealaneError | undefined;
}

/** The record files that have one line for each question, beside the endpoints' grades. */
const ROW_FILES = {
  question: LANE_FILES.population,
  packet: LANE_FILES.packets,
  request: LANE_FILES.requests,
  body: LANE_FILES.bodies,
  receipt: LANE_FILES.receipts,
  answer: LANE_FILES.answers,
  reference: LANE_FILES.references,
} as const;

class Column<K extends DocumentKind> {
  readonly #reader: RecordReader<K>;
  error: SealaneError | undefined;

  constructor(source: LaneSource, kind: K, path: string) {
    this.#reader = new RecordReader(source, kind, path);
  }

  get path(): string {
    return this.#reader.path;
  }

  next(): Located<Documents[K]> | undefined {
    if (this.error) return undefined;
    try {
      return this.#reader.next();
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      this.error = error;
      return undefined;
    }
  }

  finish(): FileSeen {
    return { path: this.path, ...this.#reader.finish(), error: this.error };
  }
}

/**
 * Reads a lane's record files in step. Files that are not there are as files without lines. The rows end when every
 * file has ended; then `seen` tells length, digest and reading error of each.
 */
export class LaneRows {
  readonly #columns: Column<DocumentKind>[] = [];
  readonly seen: FileSeen[] = [];
  readonly #source: LaneSource;
  readonly #present: ReadonlySet<string>;
  readonly #endpoints: readonly string[];

  constructor(source: LaneSource, endpoints: readonly string[]) {
    this.#source = source;
    this.#endpoints = endpoints;
    this.#present = new Set(
      source
        .entries()
        .filter((entry) => entry.regular)
        .map((entry) => entry.path),
    );
  }

  /** The files that the rows are read from. */
  get paths(): string[] {
    return [...Object.values(ROW_FILES), ...this.#endpoints.map(gradesPath)].filter((path) => this.#present.has(path));
  }

  #open<K extends DocumentKind>(kind: K, path: string): { next(): Located<Documents[K]> | undefined } {
    if (!this.#present.has(path)) return { next: () => undefined };
    const column = new Column(this.#source, kind, path);
    this.#columns.push(column as unknown as Column<DocumentKind>);
    return column;
  }

  *[Symbol.iterator](): Generator<LaneRow> {
    const question = this.#open("population-record", ROW_FILES.question);
    const packet = this.#open("packet-record", ROW_FILES.packet);
    const request = this.#open("request-record", ROW_FILES.request);
    const body = this.#open("body-record", ROW_FILES.body);
    const receipt = this.#open("receipt-record", ROW_FILES.receipt);
    const answer = this.#open("answer-record", ROW_FILES.answer);
    const reference = this.#open("reference-record", ROW_FILES.reference);
    const grades = this.#endpoints.map(
      (endpoint) => [endpoint, this.#open("grade-record", gradesPath(endpoint))] as const,
    );
    try {
      for (let index = 0; ; index += 1) {
        const gradesHere = new Map<string, Located<GradeRecord>>();
        for (const [endpoint, column] of grades) {
          const grade = column.next();
          if (grade) gradesHere.set(endpoint, grade);
        }
        const row: LaneRow = {
          index,
          question: question.next(),
          packet: packet.next(),
          request: request.next(),
          body: body.next(),
          receipt: receipt.next(),
          answer: answer.next(),
          reference: reference.next(),
          grades: gradesHere,
        };
        const { index: _index, grades: _grades, ...single } = row;
        if (gradesHere.size === 0 && Object.values(single).every((record) => record === undefined)) break;
        yield row;
      }
    } finally {
      for (const column of this.#columns.splice(0)) this.seen.push(column.finish());
    }
  }
}
