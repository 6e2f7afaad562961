// All records of one question side by side: the files of a lane read in one pass, line by line, in bounded memory.
import type {
  AnswerRecord,
  GradeRecord,
  Manifest,
  PacketRecord,
  PopulationRecord,
  ReceiptRecord,
  ReferenceRecord,
  RequestRecord,
} from "../../schemas/index.js";
import { SealaneError } from "../finding.js";
import type { LaneSource } from "../io/source.js";
import { DETACHED_FILES, questionParser, receiptParser } from "./detached.js";
import {
  type Body,
  bodyParser,
  gradesPath,
  LANE_FILES,
  type LineParser,
  type Located,
  RecordReader,
  recordParser,
} from "./documents.js";
import { packetParser } from "./packet-parser.js";

/**
 * What stands at one line of every record file; undefined where a file has ended or could not be read on.
 * @template B what is made of a request body's line
 */
export interface LaneRow<B = Body> {
  /** Zero-based. */
  readonly index: number;
  readonly question: Located<PopulationRecord> | undefined;
  readonly packet: Located<PacketRecord> | undefined;
  readonly request: Located<RequestRecord> | undefined;
  readonly body: Located<B> | undefined;
  readonly receipt: Located<ReceiptRecord> | undefined;
  readonly answer: Located<AnswerRecord> | undefined;
  readonly reference: Located<ReferenceRecord> | undefined;
  /** By endpoint. */
  readonly grades: ReadonlyMap<string, Located<GradeRecord>>;
}

/** Whether no file has a line here: the rows have ended. */
export function isEmptyRow({ index: _index, grades, ...single }: LaneRow<unknown>): boolean {
  return grades.size === 0 && Object.values(single).every((record) => record === undefined);
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

/** Which file each record of a row is read from, and how those are read that a detached lane holds in another form. */
export interface RowForm {
  readonly paths: Readonly<Record<keyof typeof ROW_FILES, string>>;
  readonly question: LineParser<PopulationRecord>;
  readonly receipt: LineParser<ReceiptRecord>;
}

const WHOLE: RowForm = {
  paths: ROW_FILES,
  question: recordParser("population-record"),
  receipt: recordParser("receipt-record"),
};

/** Rows of a detached lane: questions without their text, receipts without what came back, answers without theirs. */
const DETACHED: RowForm = {
  paths: {
    ...ROW_FILES,
    question: DETACHED_FILES.population,
    receipt: DETACHED_FILES.receipts,
    answer: DETACHED_FILES.answers,
  },
  question: questionParser,
  receipt: receiptParser,
};

/** How the rows of a lane are read that says of itself whether it is detached. */
export const rowFormOf = (manifest: Pick<Manifest, "detached"> | undefined): RowForm =>
  manifest?.detached ? DETACHED : WHOLE;

class Column<T> {
  readonly #reader: RecordReader<T>;
  error: SealaneError | undefined;

  constructor(source: LaneSource, path: string, parse: LineParser<T>, reuse: boolean) {
    this.#reader = new RecordReader(source, path, parse, reuse);
  }

  next(): Located<T> | undefined {
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
    return { path: this.#reader.path, ...this.#reader.finish(), error: this.error };
  }
}

/**
 * Reads a lane's record files in step. Files that are not there are as files without lines. The rows end when every
 * file has ended; then `seen` tells length, digest and reading error of each.
 */
export class LaneRows {
  readonly #columns: Column<unknown>[] = [];
  readonly seen: FileSeen[] = [];
  readonly #source: LaneSource;
  readonly #present: ReadonlySet<string>;
  readonly #endpoints: readonly string[];
  readonly #form: RowForm;

  /**
   * @param only the files to read, when not all: the others are as files that are not there, and are never opened
   * @param form without one, the lane has to be a whole one: a detached lane is refused (E_DETACHED)
   */
  constructor(source: LaneSource, endpoints: readonly string[], only?: readonly string[], form?: RowForm) {
    this.#source = source;
    this.#endpoints = endpoints;
    this.#form = form ?? WHOLE;
    this.#present = new Set(
      source
        .entries()
        .filter((entry) => entry.regular && (only?.includes(entry.path) ?? true))
        .map((entry) => entry.path),
    );
    const there = source.entries().map((entry) => entry.path);
    if (!form && there.includes(DETACHED_FILES.population) && !there.includes(LANE_FILES.population))
      throw new SealaneError("E_DETACHED", "this lane is detached: it holds no text of its dataset", {
        at: DETACHED_FILES.population,
      });
  }

  /** The files that the rows are read from. */
  get paths(): string[] {
    return [...Object.values(this.#form.paths), ...this.#endpoints.map(gradesPath)].filter((path) =>
      this.#present.has(path),
    );
  }

  #open<T>(path: string, parse: LineParser<T>, reuse = false): { next(): Located<T> | undefined } {
    if (!this.#present.has(path)) return { next: () => undefined };
    const column = new Column(this.#source, path, parse, reuse);
    this.#columns.push(column as Column<unknown>);
    return column;
  }

  [Symbol.iterator](): Generator<LaneRow> {
    return this.#rows(bodyParser, false);
  }

  /** The same rows, each request body left as the line it stands in, for the caller to parse (bodyParser) before the next row. */
  withUnparsedBodies(): Generator<LaneRow<Uint8Array>> {
    return this.#rows((bytes) => bytes, true);
  }

  *#rows<B>(parseBody: LineParser<B>, reuse: boolean): Generator<LaneRow<B>> {
    const { paths } = this.#form;
    const question = this.#open(paths.question, this.#form.question);
    const packet = this.#open(paths.packet, packetParser());
    const request = this.#open(paths.request, recordParser("request-record"));
    const body = this.#open(paths.body, parseBody, reuse);
    const receipt = this.#open(paths.receipt, this.#form.receipt);
    const answer = this.#open(paths.answer, recordParser("answer-record"));
    const reference = this.#open(paths.reference, recordParser("reference-record"));
    const grades = this.#endpoints.map(
      (endpoint) => [endpoint, this.#open(gradesPath(endpoint), recordParser("grade-record"))] as const,
    );
    try {
      for (let index = 0; ; index += 1) {
        const gradesHere = new Map<string, Located<GradeRecord>>();
        for (const [endpoint, column] of grades) {
          const grade = column.next();
          if (grade) gradesHere.set(endpoint, grade);
        }
        const row: LaneRow<B> = {
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
        if (isEmptyRow(row)) break;
        yield row;
      }
    } finally {
      for (const column of this.#columns.splice(0)) this.seen.push(column.finish());
    }
  }
}
