// Writes build/schemas/validators.cjs: the validators of all documents as code, so that no command compiles schemas. Part of
// the build. Where the file is missing, or was made from other schemas, they are compiled when they are needed.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../lib/io/package-root.js";
import { DOCUMENT_KINDS, schemaCompiler, schemaId, schemasSha256 } from "../schemas/index.js";

/** A CommonJS module that exports the digest of the schemas and a validator of each kind. */
export function renderValidators(): string {
  const { default: standalone } = createRequire(import.meta.url)("ajv/dist/standalone/index.js") as {
    default: (compiler: ReturnType<typeof schemaCompiler>, names: Record<string, string>) => string;
  };
  const names = Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, schemaId(kind)]));
  const code = standalone(schemaCompiler({ source: true }), names);
  return `${code}\nmodule.exports = { sha256: "${schemasSha256()}", validators: { ...exports } };\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(packageRoot(), "build/schemas/validators.cjs"), renderValidators());
}
