// How an edit is described: what it asks for, as JSON Schema and as a type, and what it does to the bench.
import type { Bench, Json } from "./bench.js";
import type { BytesValue, Place } from "./values.js";

/** One parameter of an edit. */
export interface Field<T> {
  readonly schema: object;
  readonly optional: boolean;
  /** Never there: carries the type. */
  readonly of?: T;
}

const field = <T>(schema: object): Field<T> => ({ schema, optional: false });

export const TEXT = field<string>({ type: "string" });
export const PATH = field<string>({ type: "string", minLength: 1 });
export const INTEGER = field<number>({ type: "integer" });
export const FLAG = field<boolean>({ type: "boolean" });
/** RFC 6901; a negative step counts from a list's end, and "-" is the place after it. */
export const POINTER = field<string>({ type: "string", pattern: "^(?:/[^/]*)*$" });
export const VALUE = field<Json>({});
export const BYTES = field<BytesValue>({ type: ["string", "object", "array"] });
export const PLACE = field<Place>({
  anyOf: [
    { type: "integer" },
    {
      type: "object",
      additionalProperties: false,
      required: ["find"],
      properties: {
        find: BYTES.schema,
        last: { type: "boolean" },
        after: { type: "boolean" },
        plus: { type: "integer" },
      },
    },
  ],
});
/** A line counted from one, or from the end when negative; a question id; or "all". */
export const WHICH = field<number | string>({ type: ["integer", "string"] });
export const TEXTS = field<readonly string[]>({ type: "array", items: { type: "string" } });

export const oneOf = <const T extends readonly string[]>(...values: T): Field<T[number]> => field({ enum: values });
export const several = <T>(item: Field<T>): Field<readonly T[]> => field({ type: "array", items: item.schema });
export const optional = <T>(of: Field<T>): Field<T | undefined> => ({ schema: of.schema, optional: true });
/** More edits, run one after the other. */
export const EDITS = field<readonly Edit[]>({ type: "array", items: { $ref: "#/$defs/edit" } });

type Shape = Readonly<Record<string, Field<unknown>>>;
type Arguments<S extends Shape> = { readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never };

/** An edit as it stands in a recipe. */
export interface Edit {
  readonly op: string;
  readonly [parameter: string]: unknown;
}

export interface Op {
  readonly shape: Shape;
  run(bench: Bench, edit: Edit): void;
}

/** Describes one edit. */
export function op<S extends Shape>(shape: S, run: (bench: Bench, args: Arguments<S>) => void): Op {
  return { shape, run: (bench, edit) => run(bench, edit as unknown as Arguments<S>) };
}
