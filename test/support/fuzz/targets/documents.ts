// Every document that has a schema: drawn from it, mutated, read by the reader of its kind.
import { canonicalJson } from "../../../../lib/bytes/json.js";
import { readManifest } from "../../../../lib/lane/archive-manifest.js";
import { parseState, remembered, stateText } from "../../../../lib/manifest/state.js";
import { recordParser } from "../../../../lib/records/documents.js";
import { Chance } from "../../../../lib/synthetic/chance.js";
import { DOCUMENT_KINDS, type DocumentKind, type Manifest } from "../../../../schemas/index.js";
import { BASES } from "../../cases/bases.js";
import { drawnDocument } from "../documents.js";
import { mutateJson } from "../mutators/json.js";
import { must, type Seed, type Target } from "../target.js";

/** Documents of a kind by the numbers of their draws. */
const drawnSeeds = (kind: DocumentKind): Seed[] =>
  Array.from({ length: 4 }, (_, index) => ({
    name: `${kind} ${index}`,
    bytes: drawnDocument(kind, new Chance(`${kind} ${index}`)),
  }));

const documentTarget = (kind: DocumentKind): Target => ({
  name: `document-${kind}`,
  seeds: async () => drawnSeeds(kind),
  draw: (chance) => drawnDocument(kind, chance),
  mutators: [mutateJson],
  quickInputs: 40,
  weight: 0.3,
  run(input) {
    const value = recordParser(kind)(input, kind);
    must(canonicalJson(value) === input.toString("utf8"), "accepted bytes are the canonical form of their value");
    return true;
  },
});

const manifest: Target = {
  name: "manifest",
  async seeds() {
    return [{ name: "one", bytes: (await BASES.one!.lane()).get("manifest.json")! }];
  },
  mutators: [mutateJson],
  quickInputs: 300,
  run(input) {
    const value: Manifest = readManifest(input);
    must(canonicalJson(value) === input.toString("utf8"), "accepted bytes are the canonical form of their value");
    const paths = value.files.map(({ path }) => path);
    must(
      paths.every(
        (path) => path !== "" && !path.startsWith("/") && !path.split("/").some((part) => /^\.{0,2}$/.test(part)),
      ),
      "no path leads out of the lane",
    );
    return true;
  },
};

const state: Target = {
  name: "state",
  seeds: async () =>
    drawnSeeds("state").map(({ name, bytes }) => ({
      name,
      bytes: Buffer.from(stateText(parseState(bytes, name))),
    })),
  draw: (chance) => drawnDocument("state", chance),
  mutators: [mutateJson],
  quickInputs: 300,
  run(input) {
    const read = parseState(input, "state");
    const text = stateText(read);
    must(stateText(parseState(Buffer.from(text), "state")) === text, "what is written is read as it was");
    const lane = { lane_id: "constructor", lane_version: 3, manifest_sha256: "0".repeat(64) };
    const next = remembered(read, lane, "2026-01-01T00:00:00.000Z");
    must(parseState(Buffer.from(stateText(next)), "state").lanes.constructor !== undefined, "what was seen is kept");
    return true;
  },
};

export const DOCUMENT_TARGETS: readonly Target[] = [manifest, state, ...DOCUMENT_KINDS.map(documentTarget)];
