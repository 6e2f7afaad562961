import { backboneOf } from "../session-ranges.js";
import { nobackbone } from "./nobackbone.js";
import type { Arm } from "./types.js";

/**
 * MemStrata CL1 (paper section 3): a protected backbone, then eligible segments by fused rank, the best of each session
 * first. The paper keeps its session retriever private, so how the backbone is made is ours.
 */
export const cl1: Arm = {
  ...nobackbone,
  id: "cl1",
  title: "a protected backbone, then segments by lexical and semantic rank, the best of each session first",
  parameters: {
    ...nobackbone.parameters,
    session_segments: 3,
    baseline_sessions: 3,
    baseline_share: 0.25,
    backbone_sessions: 10,
    backbone_share: 0.5,
    range_turns: 1,
  },
  backbone: backboneOf,
};
