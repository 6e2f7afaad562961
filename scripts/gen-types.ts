// Writes schemas/types.gen.ts from the JSON Schemas, which are the one source of document types.
// renderTypes is also called by test/schemas.test.ts, which fails when the committed file has drifted.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { packageRoot } from "../lib/io/package-root.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** References into one bundle, notes beside a reference dropped (each would become a type of its own), tuples in the older spelling the generator reads. */
function forGenerator(node: Json): Json {
  if (Array.isArray(node)) return node.map(forGenerator);
  if (node === null || typeof node !== "object") return node;
  if (typeof node.$ref === "string") return { $ref: `#/definitions/${node.$ref.split("/").at(-1) ?? ""}` };
  const out: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "$schema" || key === "$id" || key === "$defs") continue;
    if (key === "prefixItems") out.items = forGenerator(value);
    else if (key === "items" && value === false) out.additionalItems = false;
    else out[key] = forGenerator(value);
  }
  return out;
}

export async function renderTypes(root: string): Promise<string> {
  const folder = join(root, "schemas");
  const definitions: { [key: string]: Json } = {};
  const properties: { [key: string]: Json } = {};
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".schema.json"))
    .sort()) {
    const schema = JSON.parse(readFileSync(join(folder, file), "utf8")) as { [key: string]: Json };
    const kind = file.replace(".schema.json", "");
    if (kind === "common") {
      for (const [name, definition] of Object.entries(schema.$defs as object)) {
        definitions[name] = forGenerator(definition as Json);
      }
    } else {
      definitions[kind] = forGenerator(schema);
      properties[kind] = { $ref: `#/definitions/${kind}` };
    }
  }
  const bundle = {
    title: "Documents",
    type: "object",
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
    definitions,
  };
  return compile(bundle as JSONSchema, "Documents", {
    bannerComment: "// Generated from schemas/*.schema.json by `npm run gen`. Do not edit.",
    format: false,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = packageRoot();
  writeFileSync(join(root, "schemas", "types.gen.ts"), await renderTypes(root));
}
