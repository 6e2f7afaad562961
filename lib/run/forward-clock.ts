import type { Clock } from "../io/clock.js";
import type { CallStore } from "./ledger.js";

/**
 * A clock that never goes behind what a ledger holds, nor back: where the machine's clock is set back, a retry is still not
 * before the decision that allowed it, and whoever reads the lane can hold its times against each other.
 */
export function forwardClock(clock: Clock, store: Pick<CallStore, "calls" | "decisions">): Clock {
  let latest = "";
  const see = (time: string | null): void => {
    if (time !== null && time > latest) latest = time;
  };
  for (const { started, ended } of store.calls()) for (const time of [started, ended]) see(time);
  for (const { time } of store.decisions()) see(time);
  return {
    now() {
      see(clock.now());
      return latest;
    },
  };
}
