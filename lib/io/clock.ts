/** Time as an argument: nothing but this reads the clock. */
export interface Clock {
  /** Now, in UTC with milliseconds (RFC 3339). */
  now(): string;
}

export const systemClock: Clock = { now: () => new Date().toISOString() };
