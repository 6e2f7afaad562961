import Database from "better-sqlite3";
import { SealaneError } from "../finding.js";
import type { Call, CallStore, DecisionRow } from "./ledger.js";

const SCHEMA_VERSION = 1;

/** The ledger's schema on SQLite. Rows of calls are inserted and finished once; rows of decisions are only inserted. */
const SCHEMA = `
  CREATE TABLE binding (protocol_sha256 TEXT NOT NULL) STRICT;
  CREATE TABLE calls (
    question_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    request_sha256 TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('dispatched', 'completed', 'interrupted', 'not-sent')),
    started TEXT NOT NULL,
    ended TEXT,
    http_status INTEGER,
    response BLOB,
    error TEXT,
    PRIMARY KEY (question_id, attempt)
  ) STRICT;
  CREATE UNIQUE INDEX one_completed ON calls (question_id) WHERE state = 'completed';
  CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    question_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('retry-once', 'count-as-failure')),
    time TEXT NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (question_id, attempt),
    FOREIGN KEY (question_id, attempt) REFERENCES calls (question_id, attempt)
  ) STRICT;
`;

interface CallRow {
  question_id: string;
  attempt: number;
  request_sha256: string;
  state: Call["state"];
  started: string;
  ended: string | null;
  http_status: number | null;
  error: string | null;
}

interface DecisionRowRaw {
  question_id: string;
  attempt: number;
  decision: DecisionRow["decision"];
  time: string;
  reason: string;
}

/**
 * One SQLite file of ours, held by one process at a time: every commit is on disk when it returns. What SQLite throws comes out
 * as E_RUN_BUSY, E_RUN_CHANGED or E_IO.
 */
export class SqliteFile {
  readonly database: Database.Database;
  readonly file: string;

  /** Opens the file, or makes it with a schema. Throws E_RUN_BUSY, E_VERSION, E_IO. */
  constructor(file: string, what: string, schema: string, schemaVersion: number) {
    this.file = file;
    this.database = this.guard(() => new Database(file, { timeout: 0 }));
    try {
      this.#prepare(what, schema, schemaVersion);
    } catch (cause) {
      this.database.close();
      throw cause;
    }
  }

  #prepare(what: string, schema: string, schemaVersion: number): void {
    const file = this.file;
    this.guard(() => {
      // Exclusive for the life of the process: two runs of one folder would each dispatch the same question.
      this.database.pragma("locking_mode = EXCLUSIVE");
      this.database.pragma("journal_mode = WAL");
      this.database.pragma("synchronous = FULL");
      this.database.pragma("foreign_keys = ON");
      this.database
        .transaction(() => {
          const version = this.database.pragma("user_version", { simple: true }) as number;
          if (version === 0) {
            this.database.exec(schema);
            this.database.pragma(`user_version = ${schemaVersion}`);
          } else if (version !== schemaVersion) {
            throw new SealaneError("E_VERSION", `${file} is ${what} of another version`, {
              at: file,
              expected: String(schemaVersion),
              found: String(version),
            });
          }
        })
        .exclusive();
    });
  }

  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      const code = (cause as { code?: unknown }).code;
      if (typeof code !== "string" || !code.startsWith("SQLITE_")) throw cause;
      if (code.startsWith("SQLITE_BUSY")) {
        throw new SealaneError("E_RUN_BUSY", `${this.file} is in use by another process`, { at: this.file, cause });
      }
      if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
        throw new SealaneError("E_RUN_CHANGED", `${this.file} is not intact: ${(cause as Error).message}`, {
          at: this.file,
          cause,
        });
      }
      throw new SealaneError("E_IO", `${this.file}: ${(cause as Error).message}`, { at: this.file, cause });
    }
  }
}

/** The ledger in one SQLite file. */
export class SqliteCallStore implements CallStore {
  readonly #opened: SqliteFile;
  readonly #database: Database.Database;
  readonly #file: string;

  /** Opens or makes the ledger. Throws E_RUN_BUSY, E_VERSION, E_IO. */
  constructor(file: string) {
    this.#opened = new SqliteFile(file, "a ledger", SCHEMA, SCHEMA_VERSION);
    this.#database = this.#opened.database;
    this.#file = file;
  }

  #guard<T>(work: () => T): T {
    return this.#opened.guard(work);
  }

  bind(protocolSha256: string): void {
    this.#guard(() => {
      const bound = this.#database.prepare<[], string>("SELECT protocol_sha256 FROM binding").pluck().get();
      if (bound === undefined) {
        this.#database.prepare("INSERT INTO binding VALUES (?)").run(protocolSha256);
      } else if (bound !== protocolSha256) {
        throw new SealaneError("E_RUN_MIX", "the run folder holds calls made under another reader protocol", {
          at: this.#file,
          expected: bound,
          found: protocolSha256,
        });
      }
    });
  }

  dispatch(call: Pick<Call, "questionId" | "attempt" | "requestSha256" | "started">): void {
    this.#guard(() =>
      this.#database
        .prepare(
          "INSERT INTO calls (question_id, attempt, request_sha256, state, started) VALUES (?, ?, ?, 'dispatched', ?)",
        )
        .run(call.questionId, call.attempt, call.requestSha256, call.started),
    );
  }

  finish(call: Pick<Call, "questionId" | "attempt" | "state" | "ended" | "httpStatus" | "response" | "error">): void {
    this.#guard(() => {
      const { changes } = this.#database
        .prepare(
          `UPDATE calls SET state = ?, ended = ?, http_status = ?, response = ?, error = ?
           WHERE question_id = ? AND attempt = ? AND state = 'dispatched'`,
        )
        .run(call.state, call.ended, call.httpStatus, call.response, call.error, call.questionId, call.attempt);
      if (changes !== 1) throw new Error(`call ${call.questionId}, attempt ${call.attempt} is not in flight`);
    });
  }

  decide(row: DecisionRow): void {
    this.#guard(() =>
      this.#database
        .prepare("INSERT INTO decisions (question_id, attempt, decision, time, reason) VALUES (?, ?, ?, ?, ?)")
        .run(row.questionId, row.attempt, row.decision, row.time, row.reason),
    );
  }

  interruptDispatched(): number {
    // No end is noted: when the process died nobody wrote down the time.
    return this.#guard(
      () =>
        this.#database
          .prepare(
            `UPDATE calls SET state = 'interrupted', error = 'the process ended while the call was in flight'
             WHERE state = 'dispatched'`,
          )
          .run().changes,
    );
  }

  calls(): Omit<Call, "response">[] {
    return this.#guard(() =>
      this.#database
        .prepare<[], CallRow>(
          `SELECT question_id, attempt, request_sha256, state, started, ended, http_status, error
           FROM calls ORDER BY question_id, attempt`,
        )
        .all()
        .map((row) => ({
          questionId: row.question_id,
          attempt: row.attempt,
          requestSha256: row.request_sha256,
          state: row.state,
          started: row.started,
          ended: row.ended,
          httpStatus: row.http_status,
          error: row.error,
        })),
    );
  }

  response(questionId: string, attempt: number): Uint8Array | null {
    return this.#guard(
      () =>
        this.#database
          .prepare<[string, number], Buffer | null>("SELECT response FROM calls WHERE question_id = ? AND attempt = ?")
          .pluck()
          .get(questionId, attempt) ?? null,
    );
  }

  decisions(): DecisionRow[] {
    return this.#guard(() =>
      this.#database
        .prepare<[], DecisionRowRaw>(
          "SELECT question_id, attempt, decision, time, reason FROM decisions ORDER BY number",
        )
        .all()
        .map((row) => ({
          questionId: row.question_id,
          attempt: row.attempt,
          decision: row.decision,
          time: row.time,
          reason: row.reason,
        })),
    );
  }

  close(): void {
    this.#database.close();
  }
}
