// The good lanes that cases are made from. Each is made once a process, and is the same bytes every time.
import { callsLane } from "../calls-lane.js";
import { goodLane, harbourBytes, type LaneFiles } from "../lane.js";

export interface Base {
  /** What it is, for people. */
  readonly title: string;
  lane(): Promise<LaneFiles>;
  dataset(): { readonly bytes: Uint8Array; readonly at: string };
}

export const BASES: Readonly<Record<string, Base>> = {
  harbour: { title: "36 questions of harbour, answered by extraction", lane: goodLane, dataset: harbourBytes },
  "harbour-calls": {
    title: "the same questions, asked of a server that fails, thinks, says nothing and is asked again",
    lane: callsLane,
    dataset: harbourBytes,
  },
};
