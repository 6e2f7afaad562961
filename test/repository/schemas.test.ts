import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import fc from "fast-check";
import t from "tap";
import { packageRoot } from "../../lib/io/package-root.js";
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  documentProblem,
  documentVersion,
  isDocument,
  schemaCompiler,
  schemaId,
  schemasSha256,
} from "../../schemas/index.js";
import { renderTypes } from "../../scripts/gen-types.js";
import { renderValidators } from "../../scripts/gen-validators.js";
import { goodLane } from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

t.test("the generated types are those of the schemas", async (t) => {
  const committed = readFileSync(repositoryFile("schemas/types.gen.ts"), "utf8");
  t.equal(await renderTypes(packageRoot()), committed, "run `npm run gen` after changing a schema");
});

t.test("every schema compiles in strict mode and refuses an empty object", async (t) => {
  for (const kind of DOCUMENT_KINDS) {
    t.notOk(isDocument(kind, {}), kind);
    t.type(documentProblem(kind, {}), "string");
  }
});

t.test("documents name their version, records do not", async (t) => {
  t.equal(documentVersion("manifest"), "sealane-manifest/1");
  t.equal(documentVersion("answer-record"), undefined);
});

t.test("no document of a lane takes a field its schema does not have", async (t) => {
  const files = await goodLane();
  const manifest: unknown = JSON.parse(files.get("manifest.json")!.toString("utf8"));
  t.ok(isDocument("manifest", manifest));
  t.notOk(isDocument("manifest", { ...(manifest as object), extra: 1 }));
  t.match(documentProblem("manifest", { ...(manifest as object), extra: 1 }), /extra/);
});

t.test("the build's validators decide as compiled ones do", async (t) => {
  // Beside the build, because the code asks for a part of ajv.
  const folder = mkdtempSync(join(packageRoot(), "build/validators-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "validators.cjs"), renderValidators());
  const { sha256, validators } = createRequire(import.meta.url)(join(folder, "validators.cjs")) as {
    sha256: string;
    validators: Record<DocumentKind, ValidateFunction>;
  };
  t.equal(sha256, schemasSha256());
  const compiler = schemaCompiler();
  const good = await goodLane();
  const documents: [DocumentKind, string][] = [
    ["manifest", "manifest.json"],
    ["envelope", "manifest.dsse.json"],
    ["preparation-protocol", "protocols/preparation.json"],
    ["results", "results.json"],
    ["packet-record", "packets.jsonl"],
    ["receipt-record", "receipts/reader.jsonl"],
    ["population-record", "population.jsonl"],
  ];
  for (const [kind, path] of documents) {
    const text = good.get(path)!.toString("utf8").split("\n")[0]!;
    const [theirs, ours] = [compiler.getSchema(schemaId(kind))!, validators[kind]];
    t.ok(ours(JSON.parse(text)), kind);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom("", "0", "a", '"', "é", "[", "-1"), (at, put) => {
        let changed: unknown;
        try {
          changed = JSON.parse(text.slice(0, at) + put + text.slice(at + 1));
        } catch {
          return true;
        }
        return ours(changed) === theirs(changed) && ours.errors?.[0]?.message === theirs.errors?.[0]?.message;
      }),
      { seed: 2020, numRuns: 300 },
    );
  }
  t.strictSame(Object.keys(validators).sort(), [...DOCUMENT_KINDS].sort());
  for (const kind of DOCUMENT_KINDS) t.notOk(validators[kind]({}), kind);
});
