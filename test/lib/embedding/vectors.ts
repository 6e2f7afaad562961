// Small vector files for tests, made row by row.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddingIdentity, TextKind } from "../../../lib/embedding/types.js";
import { encodeRow, headerBytes, KEY_BYTES, keyOf } from "../../../lib/embedding/vector-file.js";
import type { Vectors } from "../../../schemas/index.js";
import { vectorFor } from "../../support/embedding-server.js";

export const IDENTITY: EmbeddingIdentity = {
  id: "ollama",
  model: "nomic-embed-text",
  digest: "0a".repeat(32),
  dimensions: 5,
  document_prefix: "search_document: ",
  query_prefix: "search_query: ",
  vectors_sha256: null,
  parameters: { truncate: false },
};

export interface Entry {
  readonly kind: TextKind;
  readonly text: string;
}

/** Header and sorted rows of the vectors of some texts; the last of them by a second compute entry when there are more than one. */
export function partsOf(entries: readonly Entry[]): { header: Vectors; rows: Buffer[] } {
  const prefix = (kind: TextKind): string => (kind === "document" ? IDENTITY.document_prefix : IDENTITY.query_prefix);
  const rows = entries
    .map(({ kind, text }, index) =>
      encodeRow(
        keyOf(IDENTITY, kind, text),
        index > 0 && index === entries.length - 1 ? 1 : 0,
        Float32Array.from(vectorFor(prefix(kind) + text, IDENTITY.dimensions)),
      ),
    )
    .sort((a, b) => Buffer.compare(a.subarray(0, KEY_BYTES), b.subarray(0, KEY_BYTES)));
  const compute = { software: "ollama 0.12.3", device: "cpu", started: "2026-01-01T00:00:00.000Z" };
  const header: Vectors = {
    schema: "sealane-vectors/1",
    embedding: IDENTITY,
    compute:
      entries.length > 1
        ? [
            { ...compute, vectors: entries.length - 1 },
            { ...compute, device: "gpu", vectors: 1 },
          ]
        : [{ ...compute, vectors: entries.length }],
    count: entries.length,
  };
  return { header, rows };
}

export function fileOf({ header, rows }: { header: Vectors; rows: readonly Buffer[] }): Buffer {
  return Buffer.concat([headerBytes(header), ...rows]);
}

/** Writes bytes into a folder and gives their path. */
export function written(folder: string, bytes: Buffer, name = "v.vectors"): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
