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
  "inclusionPath",
  "leafHash",
  "openLane",
  "packLane",
  "parseCanonicalJson",
  "parseStrictJson",
  "parseTrust",
  "preparationProtocol",
  "preparePackets",
  "publicKeyProblem",
  "readDataset",
  "reportText",
  "signatureProblem",
  "unpackLane",
  "verifyConsistency",
  "verifyInclusion",
]);
t.strictSame(Object.keys(verifiers).sort(), ["CHECKS", "gatherLane", "verifyLane"]);
