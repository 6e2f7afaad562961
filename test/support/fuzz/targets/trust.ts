// Trust files and their chains of roots: nobody but the holders of keys makes a version that is taken.

import { parseStrictJson } from "../../../../lib/bytes/json.js";
import { SealaneError } from "../../../../lib/finding.js";
import { MemorySource } from "../../../../lib/io/memory-source.js";
import { readRoot, walkRootChain } from "../../../../lib/manifest/root-chain.js";
import { parseState } from "../../../../lib/manifest/state.js";
import { parseTrustChain } from "../../../../lib/manifest/trust.js";
import { addSigner, initTrust, revokeKey, rotateRoot } from "../../../../lib/manifest/trust-change.js";
import { addWitness, requireTime } from "../../../../lib/manifest/trust-time.js";
import type { TrustRoot } from "../../../../schemas/index.js";
import { gatherLane } from "../../../../verifiers/evidence.js";
import { verifyLane } from "../../../../verifiers/verify.js";
import { BASES } from "../../cases/bases.js";
import { authorTrust } from "../../lane.js";
import { testKey } from "../../test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../../trust-files.js";
import { withinBase64 } from "../mutators/base64.js";
import { mutateJson } from "../mutators/json.js";
import { must, type Target } from "../target.js";
import { mustBeShown } from "./lane.js";

const first = initTrust({ root: [owned("keeper")], signers: [owned("author")], lanes: "*", expires: FAR });
const keys = (word: string) => testKey(word).keyId;

const CHAINS: Readonly<Record<string, TrustRoot[]>> = {
  one: chainOf([first, "keeper"]),
  grown: chainOf(
    [first, "keeper"],
    [(before) => addSigner(before, { signer: owned("second"), lanes: "*", threshold: 2 }), "keeper"],
    [(before) => addWitness(before, { witness: owned("bob"), threshold: 1 }), "keeper"],
    [(before) => requireTime(before, true), "keeper"],
    [
      (before) => revokeKey(before, { keyId: keys("second"), since: "2026-03-01T12:00:00.000Z", reason: "lost" }),
      "keeper",
    ],
  ),
  rotated: chainOf(
    [first, "keeper"],
    [(before) => rotateRoot(before, { add: [owned("next")], remove: [keys("keeper")] }), "keeper", "next"],
  ),
};

/** What holders of keys did sign: the digest of each version in the chains above. */
const SIGNED = new Set(
  Object.values(CHAINS).flatMap((roots) => roots.map((root, index) => readRoot(root, `#${index}`).sha256)),
);

const trustFile: Target = {
  name: "trust",
  seeds: async () => Object.entries(CHAINS).map(([name, roots]) => ({ name, bytes: bytesOf(roots) })),
  mutators: [mutateJson, mutateJson, withinBase64((bytes) => bytes)],
  quickInputs: 100,
  weight: 3,
  async run(input) {
    const { versions, trust } = parseTrustChain(input, "trust.json");
    must(
      versions.every(({ sha256 }) => SIGNED.has(sha256)),
      "every version was signed by those who may",
    );
    must(trust.firstRootSha256 === versions[0]!.sha256, "trust begins with the first version");
    mustBeShown(verifyLane(gatherLane(new MemorySource(await BASES.one!.lane()), undefined), { trust }));
    return true;
  },
};

const rootChain: Target = {
  name: "root-chain",
  seeds: async () =>
    Object.entries(CHAINS).map(([name, roots]) => ({ name, bytes: Buffer.from(JSON.stringify(roots)) })),
  mutators: [mutateJson],
  quickInputs: 300,
  run(input) {
    const roots = parseStrictJson(input, "roots");
    if (!Array.isArray(roots)) throw new SealaneError("E_SCHEMA", "no array");
    const walked = walkRootChain(roots, "roots");
    must(
      walked.every(({ sha256 }) => SIGNED.has(sha256)),
      "every version was signed by those who may",
    );
    must(
      walked.every(({ version }, index) => version === index + 1),
      "versions go on by one",
    );
    return true;
  },
};

/** What was seen before, whatever it says, is held against a lane. */
const remembered: Target = {
  name: "state-of-lane",
  async seeds() {
    const seen = { version: 1, manifest_sha256: "0".repeat(64), first_seen: "2026-01-01T00:00:00.000Z" };
    const text = JSON.stringify({ schema: "sealane-state/1", lanes: { "harbour-test": seen, other: seen } });
    return [{ name: "seen", bytes: Buffer.from(text) }];
  },
  mutators: [mutateJson],
  quickInputs: 60,
  async run(input) {
    const state = parseState(input, "state.json");
    const lane = new MemorySource(await BASES.one!.lane());
    const report = verifyLane(gatherLane(lane, undefined), { trust: authorTrust(), state });
    mustBeShown(report);
    const seen = Object.hasOwn(state.lanes, "harbour-test") ? state.lanes["harbour-test"] : undefined;
    must(
      report.exit_code !== 0 || seen === undefined || seen.version < 1,
      "another manifest of this version is refused",
    );
    return true;
  },
};

export const TRUST_TARGETS: readonly Target[] = [trustFile, rootChain, remembered];
