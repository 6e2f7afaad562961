import { canonicalJson } from "../bytes/json.js";
import type { Compute, EmbeddingIdentity } from "../embedding/types.js";
import { encodeRow, KEY_BYTES, vectorOf } from "../embedding/vector-file.js";
import { SealaneError } from "../finding.js";
import { SqliteFile } from "./sqlite.js";

const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE binding (identity TEXT NOT NULL) STRICT;
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    software TEXT NOT NULL,
    device TEXT NOT NULL,
    started TEXT NOT NULL
  ) STRICT;
  CREATE TABLE vectors (
    key BLOB PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number),
    row BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export interface Session extends Compute {
  readonly number: number;
  readonly started: string;
}

/** Vectors that were made but are not sealed yet: a finished batch is on disk before the next is asked for. */
export class VectorCache {
  readonly #opened: SqliteFile;

  /** Opens or makes the file. Throws E_RUN_BUSY, E_RUN_CHANGED, E_VERSION, E_IO. */
  constructor(file: string) {
    this.#opened = new SqliteFile(file, "an unfinished vector file", SCHEMA, SCHEMA_VERSION);
  }

  /** The embedding that the vectors are of; null while there is none. */
  bound(): EmbeddingIdentity | null {
    return this.#opened.guard(() => {
      const text = this.#opened.database.prepare<[], string>("SELECT identity FROM binding").pluck().get();
      return text === undefined ? null : (JSON.parse(text) as EmbeddingIdentity);
    });
  }

  /** Says what the vectors are of, once and for all. Throws E_RUN_MIX when it was said to be something else. */
  bind(identity: EmbeddingIdentity): void {
    const before = this.bound();
    if (before === null) {
      this.#opened.guard(() =>
        this.#opened.database.prepare("INSERT INTO binding VALUES (?)").run(canonicalJson(identity)),
      );
      return;
    }
    const [expected, found] = [canonicalJson(before), canonicalJson(identity)];
    if (expected !== found) {
      throw new SealaneError("E_RUN_MIX", `${this.#opened.file} holds vectors of another embedding`, {
        at: this.#opened.file,
        expected,
        found,
        next: "Go on with the embedding it was begun with, or choose another --out.",
      });
    }
  }

  isEmpty(): boolean {
    return this.#opened.guard(() => this.#opened.database.prepare("SELECT 1 FROM vectors").get() === undefined);
  }

  has(key: Uint8Array): boolean {
    return this.#opened.guard(
      () => this.#opened.database.prepare("SELECT 1 FROM vectors WHERE key = ?").get(key) !== undefined,
    );
  }

  startSession(compute: Compute, started: string): number {
    return this.#opened.guard(() => {
      const { lastInsertRowid } = this.#opened.database
        .prepare("INSERT INTO sessions (software, device, started) VALUES (?, ?, ?)")
        .run(compute.software, compute.device, started);
      return Number(lastInsertRowid);
    });
  }

  /** Keeps one batch, whole or not at all. */
  keep(session: number, batch: readonly { readonly key: Uint8Array; readonly vector: Float32Array }[]): void {
    this.#opened.guard(() => {
      const insert = this.#opened.database.prepare("INSERT INTO vectors (key, session, row) VALUES (?, ?, ?)");
      this.#opened.database.transaction(() => {
        for (const { key, vector } of batch) insert.run(key, session, encodeRow(key, 0, vector));
      })();
    });
  }

  /** Takes back what a session made: its model turned out to be another at the end than at the beginning. */
  discard(session: number): void {
    this.#opened.guard(() => this.#opened.database.prepare("DELETE FROM vectors WHERE session = ?").run(session));
  }

  sessions(): Session[] {
    return this.#opened.guard(() =>
      this.#opened.database.prepare<[], Session>("SELECT * FROM sessions ORDER BY number").all(),
    );
  }

  /** Every vector, in order of key, one at a time. */
  *vectors(): Generator<{ key: Buffer; session: number; vector: Float32Array }> {
    const rows = this.#opened.guard(() =>
      this.#opened.database
        .prepare<[], { key: Buffer; session: number; row: Buffer }>(
          "SELECT key, session, row FROM vectors ORDER BY key",
        )
        .iterate(),
    );
    for (const { key, session, row } of rows) {
      if (!row.subarray(0, KEY_BYTES).equals(key)) {
        throw new SealaneError("E_RUN_CHANGED", `${this.#opened.file} holds a row under another's key`, {
          at: this.#opened.file,
        });
      }
      yield { key, session, vector: vectorOf(row) };
    }
  }

  close(): void {
    this.#opened.database.close();
  }
}
