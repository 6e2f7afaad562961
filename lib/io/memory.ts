import { setFlagsFromString } from "node:v8";

/** Asks the engine to free memory sooner rather than later: for work over files of any size, whose own memory is bounded. */
export function keepMemorySmall(): void {
  setFlagsFromString("--optimize-for-size");
}
