// Documents that keep to a schema of ours, drawn by fast-check: what no lane of ours has ever held, and a parser must take.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { canonicalJson } from "../../../lib/bytes/json.js";
import type { Chance } from "../../../lib/synthetic/chance.js";
import { type DocumentKind, documentFault } from "../../../schemas/index.js";
import { repositoryFile } from "../shared.js";

/** What the schemas of this repository use of JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

const files = new Map<string, Schema>();

function fileOf(name: string): Schema {
  const read = files.get(name) ?? (JSON.parse(readFileSync(repositoryFile(`schemas/${name}`), "utf8")) as Schema);
  files.set(name, read);
  return read;
}

function pointed(reference: string, file: string): { schema: Schema; file: string } {
  const [name = "", pointer = ""] = reference.split("#");
  const target = name === "" ? file : name;
  const steps = pointer.split("/").slice(1);
  const schema = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], fileOf(target));
  return { schema: schema as Schema, file: target };
}

const matches = (pattern: string, drawn: string): boolean => new RegExp(pattern, "u").test(drawn);

const text = (schema: Schema): fc.Arbitrary<unknown> => {
  const { pattern, minLength = 0, maxLength = 40 } = schema;
  const any = fc.string({ unit: "binary", minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
  if (pattern === undefined) return any;
  // What excludes whole categories of characters is no language that fast-check draws from, and leaves most strings.
  if (pattern.includes("\\p{"))
    return fc.string({ unit: "grapheme", minLength: 1 }).filter((drawn) => matches(pattern, drawn));
  return fc
    .stringMatching(new RegExp(pattern, "u"))
    .filter((drawn) => drawn.length >= minLength && drawn.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY));
};

const whole = ({ minimum = -(2 ** 53) + 1, maximum = 2 ** 53 - 1 }: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: Math.min(maximum, minimum + 10) }));

function array(schema: Schema, file: string): fc.Arbitrary<unknown> {
  const { prefixItems, items, minItems = 0, maxItems = 3 } = schema;
  if (prefixItems) return fc.tuple(...prefixItems.map((item) => arbitrary(item, file)));
  const item = items ? arbitrary(items, file) : fc.constant(null);
  return fc.array(item, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) });
}

function object(schema: Schema, file: string): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
  const size = { minKeys: schema.minProperties ?? 0, maxKeys: Math.max(2, schema.minProperties ?? 0) };
  const members = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, arbitrary(of, file)]));
  const fixed = fc.record(members, { requiredKeys: required.filter((name) => name in members) as never[] });
  const named = Object.entries(patternProperties).map(([pattern, of]) =>
    fc.dictionary(fc.stringMatching(new RegExp(pattern, "u")), arbitrary(of, file), size),
  );
  if (typeof additionalProperties === "object") {
    named.push(fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,9}$/), arbitrary(additionalProperties, file), size));
  }
  return fc.tuple(fixed, ...named).map((parts) => Object.assign({}, ...parts) as unknown);
}

const referenced = new Map<string, fc.Arbitrary<unknown>>();

/** Values of a schema, none of which refers to itself. Where it says nothing of a value, any JSON. */
function arbitrary(schema: Schema, file: string): fc.Arbitrary<unknown> {
  const { $ref, oneOf } = schema;
  if ($ref !== undefined) {
    const target = pointed($ref, file);
    const key = JSON.stringify([target.file, schema]);
    const known = referenced.get(key) ?? arbitrary({ ...target.schema, ...siblings(schema) }, target.file);
    referenced.set(key, known);
    return known;
  }
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (oneOf) return fc.oneof(...oneOf.map((choice) => arbitrary({ ...siblings(schema), ...choice }, file)));
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const kinds = types.map((type) => ofType(type, schema, file));
  return kinds.length > 0 ? fc.oneof(...kinds) : fc.jsonValue({ maxDepth: 2 });
}

/** What stands beside a reference or a choice and narrows it. */
function siblings({ $ref: _ref, oneOf: _oneOf, $defs: _defs, ...rest }: Schema): Schema {
  return rest;
}

function ofType(type: string, schema: Schema, file: string): fc.Arbitrary<unknown> {
  switch (type) {
    case "object":
      return object(schema, file);
    case "array":
      return array(schema, file);
    case "string":
      return text(schema);
    case "integer":
      return whole(schema);
    case "number":
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
      });
    case "boolean":
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

const arbitraries = new Map<DocumentKind, fc.Arbitrary<unknown>>();

/** A document of a kind, in canonical form. Throws when what was drawn is none: then this file reads the schema wrongly. */
export function drawnDocument(kind: DocumentKind, chance: Chance): Buffer {
  const file = `${kind}.schema.json`;
  const values = arbitraries.get(kind) ?? arbitrary(fileOf(file), file);
  arbitraries.set(kind, values);
  const [value] = fc.sample(values, { seed: chance.below(2 ** 31), numRuns: 1 });
  const drawn = wellFormed(value);
  const fault = documentFault(kind, drawn);
  if (fault) throw new Error(`what was drawn is no ${kind}: ${fault.problem}`);
  return Buffer.from(canonicalJson(drawn));
}

/** Without objects that have no prototype and without halves of surrogate pairs, which canonical JSON has no word for. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  );
}
