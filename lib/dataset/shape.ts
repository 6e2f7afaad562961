// Small readers for JSON of other people's shape: each says where the file is not what its format says.
import { SealaneError } from "../finding.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function wrongShape(at: string, expected: string): SealaneError {
  return new SealaneError("E_SCHEMA", `${at} is not ${expected}`, { at, expected });
}

export function asObject(value: unknown, at: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrongShape(at, "an object");
  return value as JsonObject;
}

export function asArray(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongShape(at, "an array");
  return value;
}

export function asString(value: unknown, at: string): string {
  if (typeof value !== "string") throw wrongShape(at, "a string");
  return value;
}

/** Refuses a second question or history of one id. */
export function refuseDuplicates(ids: Iterable<string>, kind: string, at: string): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new SealaneError("E_DUPLICATE", `${at}: the ${kind} id ${JSON.stringify(id)} stands twice`, {
        at,
        found: id,
        next: `Give each ${kind} an id of its own.`,
      });
    }
    seen.add(id);
  }
}
