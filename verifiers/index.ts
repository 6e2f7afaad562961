// Verification for other programs: gather what stands in a lane, then judge it.
export { CHECKS } from "./checks/index.js";
export { verifyDetached } from "./detached.js";
export { gatherLane } from "./evidence.js";
export { verifyProof } from "./proof.js";
export { verifyLane } from "./verify.js";
