import t from "tap";
import * as library from "../../lib/index.js";
import * as verifiers from "../../verifiers/index.js";

t.strictSame(Object.keys(library).sort(), [
  "ADAPTERS",
  "ARMS",
  "ENDPOINTS",
  "EXIT",
  "FolderSource",
  "MemorySource",
  "MerkleAccumulator",
  "READERS",
  "REASONS",
  "SealaneError",
  "canonicalJson",
  "emptyState",
  "inclusionPath",
  "leafHash",
  "openLane",
  "packLane",
  "parseCanonicalJson",
  "parseState",
  "parseStrictJson",
  "parseTrust",
  "preparationProtocol",
  "preparePackets",
  "proveQuestion",
  "publicKeyProblem",
  "readDataset",
  "remembered",
  "reportText",
  "signatureProblem",
  "trustOf",
  "unpackLane",
  "verifyConsistency",
  "verifyInclusion",
]);
t.strictSame(Object.keys(verifiers).sort(), ["CHECKS", "gatherLane", "verifyLane", "verifyProof"]);
