import { canonicalJson } from "../../lib/bytes/json.js";
import type { ReasonCode } from "../../lib/finding.js";
import { endpointProtocolPath, LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

const CODE: ReasonCode = "E_PROTOCOL";

/** The protocols, dataset, tokenizer, embedding and model that the manifest names are those of the lane's documents. */
export const protocols: Check = {
  id: "protocols",
  how: "the manifest's identities against the protocol documents",
  title: "The protocols are those the manifest names",
  emits: ["E_PROTOCOL"],
  needs: (manifest) => [
    LANE_FILES.preparation,
    LANE_FILES.reader,
    ...manifest.protocols.endpoints.map((entry) => endpointProtocolPath(entry.endpoint)),
  ],
  start: ({ manifest, preparation, reader, endpoints }) => ({
    finish() {
      const notes = new Notes();
      if (!manifest.ok || !preparation.ok || !reader.ok)
        return { kind: "not-run", why: "a protocol could not be read" };
      const same = (name: string, declared: unknown, found: unknown): void => {
        notes.examined();
        notes.expect(canonicalJson(declared) === canonicalJson(found), () => ({
          code: CODE,
          at: LANE_FILES.manifest,
          expected: canonicalJson(found),
          found: canonicalJson(declared),
          message: `the manifest names another ${name} than the lane's documents`,
        }));
      };
      same("preparation protocol", manifest.value.protocols.preparation, preparation.sha256);
      same("reader protocol", manifest.value.protocols.reader, reader.sha256);
      same("dataset", manifest.value.dataset, preparation.value.dataset);
      same("arm", manifest.value.arm, preparation.value.arm.id);
      same("tokenizer", manifest.value.tokenizer, {
        id: preparation.value.tokenizer.id,
        sha256: preparation.value.tokenizer.sha256,
      });
      same("embedding", manifest.value.embedding, preparation.value.embedding ?? null);
      same("model", manifest.value.model, reader.value.model);
      const named = new Set<string>();
      for (const { endpoint, sha256 } of manifest.value.protocols.endpoints) {
        const protocol = endpoints.get(endpoint);
        same(`protocol of endpoint ${endpoint}`, sha256, protocol?.ok ? protocol.sha256 : null);
        notes.expect(!named.has(endpoint), () => ({
          code: CODE,
          at: LANE_FILES.manifest,
          found: shown(endpoint),
          message: "an endpoint stands twice in the manifest",
        }));
        named.add(endpoint);
      }
      return notes.outcome({ code: CODE, at: LANE_FILES.manifest });
    },
  }),
};
