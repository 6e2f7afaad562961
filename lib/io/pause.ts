import { SealaneError } from "../finding.js";

/** How long work may go on before others get a turn: signals, progress, timers. */
const TURN_MS = 50;

/**
 * Cuts long synchronous work into turns. `await turn()` is free until a turn is used up; then it lets signals be
 * handled, and throws E_CANCELLED when the work was asked to stop.
 */
export function turns(stop: AbortSignal): () => Promise<void> {
  let started = performance.now();
  return async () => {
    if (performance.now() - started < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    if (stop.aborted) throw new SealaneError("E_CANCELLED", "stopped before it was finished");
    started = performance.now();
  };
}
