// What a case.json says, and the schema that holds it to that. The schema is put together from the edits there are.
import { Ajv2020 } from "ajv/dist/2020.js";
import { REASONS } from "../../../lib/finding.js";
import { BASES } from "./bases.js";
import type { Json } from "./bench.js";
import type { Edit } from "./op.js";
import { OPS } from "./ops/index.js";

/** Who makes the lane hold together again below its signature, and what he leaves as it is. */
export interface Seal {
  /** Word of the test key that signs; null: nobody signs, and the old signatures stay. */
  readonly key: string | null;
  readonly keep?: readonly ("checkpoints" | "files" | "protocols")[];
  /** Edits of manifest.json after its list of files is made and before it is signed. */
  readonly manifest?: readonly Edit[];
  /** Edits of "statement.json" before it is signed. */
  readonly statement?: readonly Edit[];
}

/** One later version of a trust file. */
export type TrustChange = { readonly by?: readonly string[] } & (
  | { readonly add: string; readonly lanes?: string; readonly threshold?: number }
  | { readonly remove: string; readonly lanes?: string }
  | { readonly revoke: string; readonly since?: string; readonly reason?: string }
  | {
      readonly rotate: {
        readonly add?: readonly string[];
        readonly remove?: readonly string[];
        readonly threshold?: number;
      };
    }
);

export interface TrustSpec {
  readonly root?: readonly string[];
  readonly root_threshold?: number;
  readonly signers?: readonly string[];
  readonly lanes?: string;
  readonly threshold?: number;
  readonly changes?: readonly TrustChange[];
  /** Edits of "trust.json". */
  readonly edits?: readonly Edit[];
}

export type Form = "raw" | "resealed" | "signed" | "control";

export interface Recipe {
  readonly row: string;
  readonly form: Form;
  readonly base?: string;
  readonly edits?: readonly Edit[];
  readonly seal?: Seal | null;
  /** Edits after sealing. */
  readonly after?: readonly Edit[];
  /** The lane as an archive, edited as "archive". */
  readonly container?: { readonly as: "tar" | "tar.gz" | "zip"; readonly edits?: readonly Edit[] } | null;
  readonly with?: {
    /** "author" (the author alone, for every lane), "none", or a trust file made for the case. */
    readonly trust?: "author" | "none" | TrustSpec;
    /** The base's own dataset, or that dataset edited as "dataset.json". */
    readonly dataset?: true | { readonly edits: readonly Edit[] };
    /** A state file; values are worked out when the lane is made. */
    readonly state?: Json;
  };
  readonly expect: {
    readonly exit: number;
    /** Every reason code of every failed check, each once, sorted. */
    readonly codes: readonly string[];
    /** What the limits of the verdict must name. */
    readonly limits?: readonly string[];
    /** Outcomes of checks by their ids, where the case is about that a check is not run. */
    readonly outcomes?: Readonly<Record<string, "passed" | "failed" | "not-applicable" | "not-run">>;
  };
}

const EDITS = { type: "array", items: { $ref: "#/$defs/edit" } };
const WORDS = { type: "array", items: { type: "string" } };

const object = (properties: Record<string, object>, required: readonly string[] = []): object => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

const editSchema = (): object => ({
  type: "object",
  required: ["op"],
  properties: { op: { enum: Object.keys(OPS) } },
  allOf: Object.entries(OPS).map(([name, { shape }]) => ({
    if: { properties: { op: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: object(
      { op: {}, ...Object.fromEntries(Object.entries(shape).map(([key, { schema }]) => [key, schema])) },
      Object.entries(shape).flatMap(([key, field]) => (field.optional ? [] : [key])),
    ),
  })),
});

const by = { by: WORDS };
const CHANGE = {
  oneOf: [
    object({ ...by, add: { type: "string" }, lanes: { type: "string" }, threshold: { type: "integer" } }, ["add"]),
    object({ ...by, remove: { type: "string" }, lanes: { type: "string" } }, ["remove"]),
    object({ ...by, revoke: { type: "string" }, since: { type: "string" }, reason: { type: "string" } }, ["revoke"]),
    object({ ...by, rotate: object({ add: WORDS, remove: WORDS, threshold: { type: "integer" } }) }, ["rotate"]),
  ],
};

const TRUST = object({
  root: WORDS,
  root_threshold: { type: "integer" },
  signers: WORDS,
  lanes: { type: "string" },
  threshold: { type: "integer" },
  changes: { type: "array", items: CHANGE },
  edits: EDITS,
});

/** JSON Schema of a case.json. */
export function recipeSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A lane that was tampered with, or a control, as a recipe",
    ...object(
      {
        row: { type: "string", pattern: "^(?:[A-K][0-9]{2}|control)$" },
        form: { enum: ["raw", "resealed", "signed", "control"] },
        base: { enum: Object.keys(BASES) },
        edits: EDITS,
        seal: {
          oneOf: [
            { type: "null" },
            object(
              {
                key: { type: ["string", "null"] },
                keep: { type: "array", items: { enum: ["checkpoints", "files", "protocols"] } },
                manifest: EDITS,
                statement: EDITS,
              },
              ["key"],
            ),
          ],
        },
        after: EDITS,
        container: {
          oneOf: [{ type: "null" }, object({ as: { enum: ["tar", "tar.gz", "zip"] }, edits: EDITS }, ["as"])],
        },
        with: object({
          trust: { oneOf: [{ enum: ["author", "none"] }, TRUST] },
          dataset: { oneOf: [{ const: true }, object({ edits: EDITS }, ["edits"])] },
          state: {},
        }),
        expect: object(
          {
            exit: { type: "integer" },
            codes: { type: "array", items: { enum: Object.keys(REASONS) } },
            limits: WORDS,
            outcomes: {
              type: "object",
              additionalProperties: { enum: ["passed", "failed", "not-applicable", "not-run"] },
            },
          },
          ["exit", "codes"],
        ),
      },
      ["row", "form", "expect"],
    ),
    $defs: { edit: editSchema() },
  };
}

let compiled: ReturnType<Ajv2020["compile"]> | undefined;

/** A parsed case.json as a recipe; throws an error that says where it is none. */
export function recipeOf(value: unknown, at: string): Recipe {
  compiled ??= new Ajv2020({ strict: false, allErrors: false }).compile(recipeSchema());
  if (compiled(value)) return value as Recipe;
  const [error] = compiled.errors ?? [];
  throw new Error(`${at}${error?.instancePath}: ${error?.message} ${JSON.stringify(error?.params)}`);
}
