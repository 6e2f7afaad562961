import { readFileSync } from "node:fs";
import t from "tap";
import { packageRoot } from "../../lib/io/package-root.js";
import { DOCUMENT_KINDS, documentFault, documentVersion, isDocument } from "../../schemas/index.js";
import { renderTypes } from "../../scripts/gen-types.js";
import { goodLane } from "../support/lane.js";
import { repositoryFile } from "../support/shared.js";

t.test("the generated types are those of the schemas", async (t) => {
  const committed = readFileSync(repositoryFile("schemas/types.gen.ts"), "utf8");
  t.equal(await renderTypes(packageRoot()), committed, "run `npm run gen` after changing a schema");
});

t.test("every schema compiles in strict mode and refuses an empty object", async (t) => {
  for (const kind of DOCUMENT_KINDS) {
    t.notOk(isDocument(kind, {}), kind);
    t.type(documentFault(kind, {})?.problem, "string");
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
  t.match(documentFault("manifest", { ...(manifest as object), extra: 1 })?.problem ?? "", /extra/);
});
