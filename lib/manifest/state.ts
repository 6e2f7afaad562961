// What verification remembers when it is asked to (`verify --state`), as a TUF client keeps trusted metadata (TUF 1.0.31 section
// 5.1): of each lane the highest version that it found good. Against it an older or another version shows.
import type { LaneSeen, State } from "../../schemas/index.js";
import { parseStrictJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import { checked } from "../records/documents.js";

export function emptyState(): State {
  return { schema: "sealane-state/1", lanes: {} };
}

/** Reads a state file. Throws E_UTF8, E_JSON, E_LIMIT, E_SCHEMA, E_VERSION. */
export function parseState(bytes: Uint8Array, at: string): State {
  return checked("state", parseStrictJson(bytes, at), at);
}

/** The bytes of a state file; the same state gives the same bytes. */
export function stateText(state: State): string {
  const lanes = Object.entries(state.lanes).sort(([a], [b]) => byCodeUnit(a, b));
  return `${JSON.stringify({ ...state, lanes: Object.fromEntries(lanes) }, null, 2)}\n`;
}

/** The highest version of a lane that was found good; undefined when none was. */
export function seenOf(state: State, laneId: string): LaneSeen | undefined {
  // A lane may be named as a member that every object has.
  return Object.hasOwn(state.lanes, laneId) ? state.lanes[laneId] : undefined;
}

/**
 * The state after a lane was found good at the time `now`. A version that is not higher than the one remembered changes
 * nothing: when a version was first seen is never written again.
 */
export function remembered(
  state: State,
  lane: { readonly lane_id: string; readonly lane_version: number; readonly manifest_sha256: string },
  now: string,
): State {
  const seen = seenOf(state, lane.lane_id);
  if (seen && seen.version >= lane.lane_version) return state;
  const next: LaneSeen = { version: lane.lane_version, manifest_sha256: lane.manifest_sha256, first_seen: now };
  return { ...state, lanes: Object.fromEntries([...Object.entries(state.lanes), [lane.lane_id, next]]) };
}
