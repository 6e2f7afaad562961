// The public surface of the library, declared once. A new export is a reviewed line (test/repository/public-api.test.ts).

export { publicKeyProblem, signatureProblem } from "./bytes/ed25519.js";
export { canonicalJson, parseCanonicalJson, parseStrictJson } from "./bytes/json.js";
export { inclusionPath, leafHash, MerkleAccumulator, verifyConsistency, verifyInclusion } from "./bytes/merkle.js";
export { ADAPTERS, openDataset, readDataset } from "./dataset/index.js";
export { ARMS } from "./evidence/arms/index.js";
export { preparationProtocol, preparePackets } from "./evidence/prepare.js";
export { tokenizerFromJson } from "./evidence/tokenizer-json.js";
export { EXIT, REASONS, SealaneError } from "./finding.js";
export { FolderSource } from "./io/folder-source.js";
export { openInput } from "./io/input.js";
export { MemorySource } from "./io/memory-source.js";
export { ENDPOINTS } from "./judge/index.js";
export { openLane } from "./lane/open.js";
export { packLane, unpackLane } from "./lane/pack.js";
export { proveQuestion } from "./lane/prove.js";
export { emptyState, parseState, remembered } from "./manifest/state.js";
export { parseTrust, trustOf } from "./manifest/trust.js";
export { READERS } from "./reader/index.js";
export { reportText } from "./report/text.js";
