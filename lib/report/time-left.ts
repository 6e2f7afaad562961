/** Time left is told from so much of the work itself. */
const RATE_AFTER_MS = 1000;

/**
 * How long a piece of work will take yet, by its rate since it was first told of: what came before, start-up, is no measure of
 * it. Work that begins anew, at a smaller number, is measured anew.
 */
export class TimeLeft {
  #first: { readonly atMs: number; readonly done: number } | undefined;
  #last = 0;

  /** "12 s", "3 min", "1.5 h"; undefined while too little was done to tell. */
  after(nowMs: number, done: number, total: number): string | undefined {
    if (this.#first === undefined || done < this.#last) this.#first = { atMs: nowMs, done };
    this.#last = done;
    const sinceMs = nowMs - this.#first.atMs;
    const since = done - this.#first.done;
    if (sinceMs < RATE_AFTER_MS || since === 0) return undefined;
    return duration(((sinceMs / since) * (total - done)) / 1000);
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
